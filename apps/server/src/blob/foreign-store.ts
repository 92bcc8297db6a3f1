import type { Readable } from 'node:stream'
import {
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { Dispatcher } from 'undici'
import { guardedHandler } from '#blob/guarded-handler'
import { multipart, unquoted } from '#blob/multipart'
import type { Blob, StoredObject } from '#blob/port'
import { limited } from '#blob/s3-client'
import { judge } from '#blob/s3-faults'
import { ObjectGone } from '#blob/storage-errors'

/** How somebody else's store is reached. */
export interface ForeignKeys {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
  readonly pathStyle: boolean
}

export interface FolderEntry {
  readonly kind: 'file' | 'directory'
  /** The whole key; of a folder without the slash behind it. */
  readonly path: string
  readonly size?: number
  readonly modifiedAt?: Date
}

export interface FolderPage {
  readonly entries: readonly FolderEntry[]
  /** What the next page begins behind; empty on the last. */
  readonly next: string
}

/** A part on its way: where it belongs, and its bytes, of which there are exactly so many. */
export interface PartToSend {
  readonly key: string
  readonly uploadId: string
  readonly partNumber: number
  readonly body: Readable
  readonly length: number
  readonly signal: AbortSignal
}

/** Somebody else's store, with the keys that they gave us. Errors are those of `storage-errors.ts`. */
export interface ForeignStore extends Pick<Blob, 'listParts' | 'complete' | 'abort'> {
  /** One folder, in the order of names. */
  listFolder(prefix: string, after: string, count: number): Promise<FolderPage>
  beginUpload(key: string): Promise<string>
  /** Uploads for this one key that were begun and not ended. */
  openUploads(key: string): Promise<readonly string[]>
  sendPart(part: PartToSend): Promise<string>
  /** Stores an object of exactly so many bytes in one request; without a body an empty one. */
  put(
    key: string,
    content: { readonly body: Readable; readonly length: number } | undefined,
    signal: AbortSignal,
  ): Promise<void>
  head(key: string): Promise<StoredObject | undefined>
  close(): void
}

export type OpenForeignStore = (keys: ForeignKeys) => ForeignStore

// For one part: a line of 2 MB/s takes a minute for the smallest one that we send.
const partTimeout = 600_000

/** Opens stores through a connector that only goes where it may. */
export function foreignStores(dispatcher: Dispatcher): OpenForeignStore {
  return (keys) => {
    const client = (maxAttempts: number) =>
      new S3Client({
        endpoint: keys.endpoint,
        region: keys.region,
        forcePathStyle: keys.pathStyle,
        credentials: {
          accessKeyId: keys.accessKeyId,
          secretAccessKey: keys.secretAccessKey,
          ...(keys.sessionToken === undefined ? {} : { sessionToken: keys.sessionToken }),
        },
        requestChecksumCalculation: 'WHEN_REQUIRED',
        responseChecksumValidation: 'WHEN_REQUIRED',
        maxAttempts,
        // It would tell the console what we are told by the error itself.
        logger: silence,
        requestHandler: guardedHandler(dispatcher),
      })
    const [patient, singleShot] = [client(3), client(1)]
    const Bucket = keys.bucket

    return {
      ...multipart({ patient, singleShot, bucket: Bucket, pageSize: 1_000 }),

      async listFolder(prefix, after, count) {
        const page = await patient
          .send(
            new ListObjectsV2Command({
              Bucket,
              Prefix: prefix,
              Delimiter: '/',
              MaxKeys: count,
              // Keys may hold what XML cannot.
              EncodingType: 'url',
              ...(after === '' ? {} : { ContinuationToken: after }),
            }),
            limited(),
          )
          .catch(rethrow('List a folder'))
        const files = (page.Contents ?? []).map(({ Key = '', Size = 0, LastModified }) => ({
          kind: 'file' as const,
          path: decoded(Key),
          size: Size,
          ...(LastModified === undefined ? {} : { modifiedAt: LastModified }),
        }))
        const folders = (page.CommonPrefixes ?? []).map(({ Prefix = '' }) => ({
          kind: 'directory' as const,
          path: decoded(Prefix).replace(/\/$/, ''),
        }))
        // The folder itself, where somebody made an object of it.
        const inside = [...files.filter(({ path }) => path !== prefix), ...folders]
        return {
          entries: inside.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
          next: page.IsTruncated === true ? (page.NextContinuationToken ?? '') : '',
        }
      },

      async beginUpload(key) {
        const begun = await patient
          .send(new CreateMultipartUploadCommand({ Bucket, Key: key }), limited())
          .catch(rethrow('Begin an upload'))
        return begun.UploadId ?? ''
      },

      async openUploads(key) {
        const { Uploads = [] } = await patient
          .send(new ListMultipartUploadsCommand({ Bucket, Prefix: key }), limited())
          .catch(rethrow('List open uploads'))
        return Uploads.flatMap(({ Key, UploadId }) => (Key === key && UploadId !== undefined ? [UploadId] : []))
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
        await singleShot
          .send(new PutObjectCommand({ Bucket, Key: key, ...body }), {
            abortSignal: AbortSignal.any([signal, AbortSignal.timeout(partTimeout)]),
          })
          .catch(rethrow('Store a file'))
      },

      async head(key) {
        try {
          const { ETag, ContentLength = 0 } = await patient.send(new HeadObjectCommand({ Bucket, Key: key }), limited())
          return { etag: unquoted(ETag) ?? '', size: ContentLength }
        } catch (error) {
          // An answer to HEAD has no body, so the library has only the status to name it by.
          if ((error as Error).name === 'NotFound') return undefined
          const fault = judge(error, 'Look up a file')
          if (fault instanceof ObjectGone) return undefined
          throw fault
        }
      },

      close() {
        patient.destroy()
        singleShot.destroy()
      },
    }
  }
}

const silence = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

const rethrow =
  (doing: string) =>
  (error: unknown): never => {
    throw judge(error, doing)
  }

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
