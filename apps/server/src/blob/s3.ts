import {
  DeleteObjectsCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { multipart, unquoted } from '#blob/multipart'
import type { Blob, ListedObject, OpenUpload } from '#blob/port'
import { listPages } from '#blob/list-pages'
import { limited, patientClient, requestTimeout, singleShotClient } from '#blob/s3-client'
import { judge } from '#blob/s3-faults'
import { signedRequests } from '#blob/signed-request'
import type { StorageConfig } from '#blob/storage-config'
import { ObjectGone, StorageRefusal, StorageTrouble } from '#blob/storage-errors'

// Shorter ones are not worth a connection of their own.
const longRange = 2 ** 20

// The most that one DeleteObjects takes; stores refuse 1,001.
const deleteBatch = 1_000

/** Any S3-compatible store, through its internal endpoint and with the janitor's identity. */
export function s3Blob(config: StorageConfig, { pageSize = 1_000 }: { readonly pageSize?: number } = {}): Blob {
  const patient = patientClient(config)
  const singleShot = singleShotClient(config)
  const { ask, askLong } = signedRequests(config)
  const Bucket = config.bucket

  return {
    ...multipart({ patient, singleShot, bucket: Bucket, pageSize }),

    async head(key) {
      const answer = await ask({ method: 'HEAD', key, doing: `Look up ${key}` })
      if (answer === undefined) return undefined
      const { headers } = answer.resume()
      return { etag: unquoted(headers.etag) ?? '', size: Number(headers['content-length'] ?? 0) }
    },

    async *read(key, range, signal) {
      const doing = `Read ${key}`
      const headers: Record<string, string> = range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` }
      const known = (status: number | undefined) => {
        if (range !== undefined && status !== 206) throw new StorageTrouble(`${doing}: the store knows no ranges`)
      }
      try {
        if (range !== undefined && range.end - range.start >= longRange) {
          const answer = await inTime(askLong({ key, headers, signal, doing }), doing)
          if (answer === undefined) throw new ObjectGone(`${doing}: there is no such object`)
          known(answer.status)
          if (answer.length !== undefined) return yield* neverStalling(answer.pieces, doing, answer.close)
          answer.close()
        }
        const answer = await ask({ method: 'GET', key, headers, signal, doing })
        if (answer === undefined) throw new ObjectGone(`${doing}: there is no such object`)
        known(answer.statusCode)
        yield* neverStalling(answer, doing, () => answer.destroy())
      } catch (error) {
        throw judge(error, doing)
      }
    },

    async write(key, body) {
      const { ETag } = await patient
        .send(new PutObjectCommand({ Bucket, Key: key, Body: body, ContentLength: body.byteLength }), limited())
        .catch(rethrow(`Write ${key}`))
      return { etag: unquoted(ETag) ?? '', size: body.byteLength }
    },

    async *openUploads(prefix) {
      let after: { KeyMarker: string; UploadIdMarker: string | undefined } | undefined
      do {
        const page = await patient
          .send(new ListMultipartUploadsCommand({ Bucket, Prefix: prefix, MaxUploads: pageSize, ...after }), limited())
          .catch(rethrow(`List the open uploads under ${prefix}`))
        for (const { Key = '', UploadId = '', Initiated = new Date(0) } of page.Uploads ?? []) {
          yield { key: Key, uploadId: UploadId, initiatedAt: Initiated } satisfies OpenUpload
        }
        after =
          page.IsTruncated && page.NextKeyMarker
            ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
            : undefined
      } while (after !== undefined)
    },

    async remove(keys) {
      for (let from = 0; from < keys.length; from += deleteBatch) {
        const Objects = keys.slice(from, from + deleteBatch).map((Key) => ({ Key }))
        const { Errors = [] } = await patient
          .send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }), limited())
          .catch(rethrow(`Delete ${Objects.length} objects`))
        const failed = Errors.filter(({ Code }) => Code !== 'NoSuchKey')
        const first = failed[0]
        if (first !== undefined) {
          throw new StorageRefusal(
            first.Code ?? 'Unknown',
            `Delete ${Objects.length} objects: ${failed.length} could not be deleted, the first is ${first.Key} (${first.Code} ${first.Message ?? ''})`,
          )
        }
      }
    },

    async *list(prefix, after) {
      const input = { Bucket, Prefix: prefix, MaxKeys: pageSize, StartAfter: after }
      for await (const page of listPages(patient, input, rethrow(`List ${prefix}`))) {
        for (const { Key = '', Size = 0, ETag, LastModified = new Date(0) } of page) {
          yield { key: Key, size: Size, etag: unquoted(ETag) ?? '', modifiedAt: LastModified } satisfies ListedObject
        }
      }
    },

    async check() {
      await patient.send(new HeadBucketCommand({ Bucket }), limited()).catch(rethrow(`Reach the bucket ${Bucket}`))
    },
  }
}

/**
 * Passes the bytes on and gives up when the store lets us wait.
 *
 * Only our own waiting counts: a reader may take as long as it likes between two pieces.
 */
async function* neverStalling(
  body: AsyncIterable<Uint8Array>,
  doing: string,
  close: () => void,
): AsyncGenerator<Uint8Array, void> {
  const pieces = body[Symbol.asyncIterator]()
  try {
    while (true) {
      const piece = await inTime(pieces.next(), doing)
      if (piece.done === true) return
      yield piece.value
    }
  } finally {
    // Frees the connection when the reader has had enough, or the store has.
    close()
  }
}

async function inTime<T>(promise: Promise<T>, doing: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new StorageTrouble(`${doing}: nothing came for ${requestTimeout / 1000} s`)),
    requestTimeout,
  )
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

function rethrow(doing: string): (error: unknown) => never {
  return (error) => {
    throw judge(error, doing)
  }
}
