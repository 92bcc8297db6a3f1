import { Agent } from 'undici'
import { lentClient } from '#blob/lent-client'
import { completeTimeout } from '#blob/s3-client'
import type { StorageConfig } from '#blob/storage-config'
import { type Target, target } from '#blob/target'

// How long it takes until there is more to send is up to where that comes from; the store itself is not to be waited for.
const dispatcher = () => new Agent({ allowH2: false, headersTimeout: completeTimeout, keepAliveTimeout: 4_000 })

/** Our own store for bytes that come from elsewhere, with the janitor's identity. */
export function ownStore({ endpoint, region, bucket, forcePathStyle, janitor }: StorageConfig): Target {
  const { accessKey: accessKeyId, secretKey: secretAccessKey } = janitor
  const keys = { endpoint, region, bucket, pathStyle: forcePathStyle, accessKeyId, secretAccessKey }
  const lent = dispatcher()
  return target({ patient: lentClient(keys, lent, 3), singleShot: lentClient(keys, lent, 1), bucket, pageSize: 1_000 })
}
