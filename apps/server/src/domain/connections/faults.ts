import { ObjectGone, StorageRefusal, StorageTrouble, UploadGone } from '#blob/storage-errors'
import { Refusal } from '#domain/refusal'

// A store may say anything; of what it says only a plain word is passed on.
const plainWord = /^[A-Za-z0-9]{1,64}$/

/** What somebody else's store did not do for us, for the one whose store it is. Undefined for any other error. */
export function explainFault(error: unknown): string | undefined {
  if (error instanceof StorageRefusal) {
    if (error.code === 'ForbiddenAddress') return 'The address of the store is not public.'
    return `The store refused${plainWord.test(error.code) ? ` (${error.code})` : ''}.`
  }
  if (error instanceof UploadGone || error instanceof ObjectGone) return 'The store refused (NotFound).'
  return error instanceof StorageTrouble ? 'The store did not answer.' : undefined
}

/** The same as a refusal of the call that asked for it. */
export function connectionFault(error: unknown): unknown {
  const said = explainFault(error)
  if (said === undefined) return error
  if (error instanceof StorageTrouble) {
    return new Refusal('storage_unavailable', said, { retryAfterSeconds: 10, cause: error })
  }
  return new Refusal('connection_refused', `${said} Test the connection and correct its authorization.`, {
    cause: error,
  })
}
