import { StorageTrouble } from '#blob/storage-errors'
import { Refusal } from '#domain/refusal'

/** The answer to give when the object store did not. Undefined for any other error. */
export const storageAway = (error: unknown): Refusal | undefined =>
  error instanceof StorageTrouble
    ? new Refusal('storage_unavailable', undefined, { retryAfterSeconds: 5, cause: error })
    : undefined
