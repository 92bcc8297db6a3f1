import { patientClient, streamingClient } from '#blob/s3-client'
import type { StorageConfig } from '#blob/storage-config'
import { type Target, target } from '#blob/target'

/** Our own store for bytes that come from elsewhere, with the janitor's identity. */
export const ownStore = (config: StorageConfig): Target =>
  target({
    patient: patientClient(config),
    singleShot: streamingClient(config),
    bucket: config.bucket,
    pageSize: 1_000,
  })
