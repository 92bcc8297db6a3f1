import type { Readable } from 'node:stream'
import {
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { multipart, type MultipartNeeds, unquoted } from '#blob/multipart'
import type { Blob, StoredObject } from '#blob/port'
import { limited } from '#blob/s3-client'
import { judge } from '#blob/s3-faults'
import { ObjectGone } from '#blob/storage-errors'

/** A part on its way: where it belongs, and its bytes, of which there are exactly so many. */
export interface PartToSend {
  readonly key: string
  readonly uploadId: string
  readonly partNumber: number
  readonly body: Readable
  readonly length: number
  readonly signal: AbortSignal
}

export interface DatedObject extends StoredObject {
  readonly modifiedAt: Date
}

/** A store that bytes are sent to as they come, whoever's it is. */
export interface Target extends Pick<Blob, 'listParts' | 'complete' | 'abort'> {
  beginUpload(key: string): Promise<string>
  sendPart(part: PartToSend): Promise<string>
  /** Stores an object of exactly so many bytes in one request; without a body an empty one. Answers its ETag. */
  put(
    key: string,
    content: { readonly body: Readable; readonly length: number } | undefined,
    signal: AbortSignal,
  ): Promise<string>
  head(key: string): Promise<DatedObject | undefined>
}

// For one part: a line of 2 MB/s takes a minute for the smallest one that we send.
const partTimeout = 600_000

export function target(needs: MultipartNeeds): Target {
  const { patient, singleShot, bucket: Bucket } = needs
  return {
    ...multipart(needs),

    async beginUpload(key) {
      const begun = await patient
        .send(new CreateMultipartUploadCommand({ Bucket, Key: key }), limited())
        .catch(rethrow('Begin an upload'))
      return begun.UploadId ?? ''
    },

    async sendPart({ key, uploadId, partNumber, body, length, signal }) {
      const { ETag } = await singleShot
        .send(
          new UploadPartCommand({
            Bucket,
            Key: key,
            UploadId: uploadId,
            PartNumber: partNumber,
            Body: body,
            ContentLength: length,
          }),
          { abortSignal: AbortSignal.any([signal, AbortSignal.timeout(partTimeout)]) },
        )
        .catch(rethrow(`Send part ${partNumber}`))
      return unquoted(ETag) ?? ''
    },

    async put(key, content, signal) {
      const body = content === undefined ? { Body: '' } : { Body: content.body, ContentLength: content.length }
      const { ETag } = await singleShot
        .send(new PutObjectCommand({ Bucket, Key: key, ...body }), {
          abortSignal: AbortSignal.any([signal, AbortSignal.timeout(partTimeout)]),
        })
        .catch(rethrow('Store a file'))
      return unquoted(ETag) ?? ''
    },

    async head(key) {
      try {
        const answer = await patient.send(new HeadObjectCommand({ Bucket, Key: key }), limited())
        const { ETag, ContentLength = 0, LastModified = new Date() } = answer
        return { etag: unquoted(ETag) ?? '', size: ContentLength, modifiedAt: LastModified }
      } catch (error) {
        // An answer to HEAD has no body, so the library has only the status to name it by.
        if ((error as Error).name === 'NotFound') return undefined
        const fault = judge(error, 'Look up a file')
        if (fault instanceof ObjectGone) return undefined
        throw fault
      }
    },
  }
}

const rethrow =
  (doing: string) =>
  (error: unknown): never => {
    throw judge(error, doing)
  }
