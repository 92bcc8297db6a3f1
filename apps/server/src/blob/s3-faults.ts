import { S3ServiceException } from '@aws-sdk/client-s3'
import { ObjectChanged, ObjectGone, StorageRefusal, StorageTrouble, UploadGone } from '#blob/storage-errors'

// 4xx answers that are about the moment, not about the request.
const passing = new Set([408, 425, 429])

/** What an error of the S3 library means to us. Stores name things differently; nobody else needs to know. */
export function judge(error: unknown, doing: string): Error {
  if (isOurs(error)) return error
  if (!(error instanceof Error)) return new StorageTrouble(`${doing}: ${String(error)}`)

  const status = error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? 0) : 0
  const said = status === 0 ? error.message || error.name : `${status} ${error.name}: ${error.message}`
  if (error.name === 'NoSuchUpload') return new UploadGone(`${doing}: ${said}`, { cause: error })
  if (error.name === 'NoSuchKey' && status === 404) return new ObjectGone(`${doing}: ${said}`, { cause: error })
  if (status === 412) return new ObjectChanged(`${doing}: ${said}`, { cause: error })
  // The connector that other people's stores are reached through does not go there.
  if (error.name === 'ForbiddenAddress') return new StorageRefusal(error.name, `${doing}: ${said}`, { cause: error })
  // We follow nobody to another place, so being sent there is a no.
  if (status >= 300 && status < 500 && !passing.has(status)) {
    return new StorageRefusal(error.name, `${doing}: ${said}`, { cause: error })
  }
  return new StorageTrouble(`${doing}: ${said}`, { cause: error })
}

function isOurs(error: unknown): error is Error {
  return (
    error instanceof UploadGone ||
    error instanceof ObjectGone ||
    error instanceof ObjectChanged ||
    error instanceof StorageRefusal ||
    error instanceof StorageTrouble
  )
}
