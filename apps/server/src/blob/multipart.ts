import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  ListPartsCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import type { Blob, StoredPart } from '#blob/port'
import { completeTimeout, limited } from '#blob/s3-client'
import { judge } from '#blob/s3-faults'
import { ObjectGone, StorageTrouble, UploadGone } from '#blob/storage-errors'

export interface MultipartNeeds {
  /** For what may be repeated. */
  readonly patient: S3Client
  /** For what must be sent once. */
  readonly singleShot: S3Client
  readonly bucket: string
  readonly pageSize: number
}

/** What an upload in parts is asked and told, whoever's store it is in. */
export function multipart(needs: MultipartNeeds): Pick<Blob, 'listParts' | 'complete' | 'abort'> {
  const { patient, singleShot, bucket: Bucket, pageSize } = needs

  async function listParts(key: string, uploadId: string): Promise<readonly StoredPart[] | undefined> {
    const parts: StoredPart[] = []
    let marker: string | undefined
    do {
      const page = await patient
        .send(
          new ListPartsCommand({ Bucket, Key: key, UploadId: uploadId, MaxParts: pageSize, PartNumberMarker: marker }),
          limited(),
        )
        .catch((error: unknown) => undefinedWhenGone(error, `List the parts of ${key}`))
      if (page === undefined) return undefined
      for (const { PartNumber = 0, ETag, Size = 0 } of page.Parts ?? []) {
        parts.push({ partNumber: PartNumber, etag: unquoted(ETag) ?? '', size: Size })
      }
      marker = page.IsTruncated ? page.NextPartNumberMarker : undefined
    } while (marker !== undefined)
    return parts
  }

  async function isGone(key: string, uploadId: string): Promise<boolean> {
    try {
      return (await listParts(key, uploadId)) === undefined
    } catch {
      return false
    }
  }

  return {
    listParts,

    async complete(key, uploadId, parts) {
      const Parts = parts
        .toSorted((a, b) => a.partNumber - b.partNumber)
        .map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: `"${etag}"` }))
      try {
        const done = await singleShot.send(
          new CompleteMultipartUploadCommand({ Bucket, Key: key, UploadId: uploadId, MultipartUpload: { Parts } }),
          { abortSignal: AbortSignal.timeout(completeTimeout) },
        )
        return { etag: unquoted(done.ETag) }
      } catch (error) {
        const fault = judge(error, `Complete ${key}`)
        // Ceph answers 500 where others answer NoSuchUpload, so doubt is worth one more question.
        if (fault instanceof StorageTrouble && (await isGone(key, uploadId))) {
          throw new UploadGone(`${fault.message}; the store lists no such upload`, { cause: error })
        }
        throw fault
      }
    },

    async abort(key, uploadId) {
      await patient
        .send(new AbortMultipartUploadCommand({ Bucket, Key: key, UploadId: uploadId }), limited())
        .catch((error: unknown) => undefinedWhenGone(error, `Abort the upload of ${key}`))
    },
  }
}

function undefinedWhenGone(error: unknown, doing: string): undefined {
  const fault = judge(error, doing)
  // Ceph says NoSuchKey of an upload that was aborted.
  if (fault instanceof UploadGone || fault instanceof ObjectGone) return undefined
  throw fault
}

export function unquoted(etag: string | undefined): string | undefined {
  const bare = etag?.replaceAll('"', '')
  return bare === '' ? undefined : bare
}
