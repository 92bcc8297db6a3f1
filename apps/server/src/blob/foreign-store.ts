import type { Readable } from 'node:stream'
import { GetObjectCommand, ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import type { Dispatcher } from 'undici'
import { lentClient, type StoreKeys } from '#blob/lent-client'
import { unquoted } from '#blob/multipart'
import type { ByteRange } from '#blob/port'
import { listPages } from '#blob/list-pages'
import { limited } from '#blob/s3-client'
import { judge } from '#blob/s3-faults'
import { ObjectChanged, StorageRefusal } from '#blob/storage-errors'
import { type DatedObject, type Target, target } from '#blob/target'

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

/** An object as somebody else's store lists it. */
export interface SourceObject extends DatedObject {
  readonly key: string
}

/** Somebody else's store, with the keys that they gave us. Errors are those of `storage-errors.ts`. */
export interface ForeignStore extends Target {
  /** One folder, in the order of names. */
  listFolder(prefix: string, after: string, count: number): Promise<FolderPage>
  /** Everything whose key begins so, however deep, a page at a time. */
  listAll(prefix: string): AsyncIterable<readonly SourceObject[]>
  /** Uploads for this one key that were begun and not ended. */
  openUploads(key: string): Promise<readonly string[]>
  /** Bytes of the object that has this ETag. Throws `ObjectChanged` when the key has another one by now. */
  read(key: string, etag: string, range: ByteRange, signal: AbortSignal): AsyncIterable<Uint8Array>
  close(): void
}

export type ForeignKeys = StoreKeys

export type OpenForeignStore = (keys: ForeignKeys) => ForeignStore

/** Opens stores through a connector that only goes where it may. */
export function foreignStores(
  dispatcher: Dispatcher,
  { pageSize = 1_000 }: { readonly pageSize?: number } = {},
): OpenForeignStore {
  return (keys) => {
    const client = (maxAttempts: number) => lentClient(keys, dispatcher, maxAttempts)
    const [patient, singleShot] = [client(3), client(1)]
    const Bucket = keys.bucket

    return {
      ...target({ patient, singleShot, bucket: Bucket, pageSize }),

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

      async *listAll(prefix) {
        const input = { Bucket, Prefix: prefix, MaxKeys: pageSize, EncodingType: 'url' as const }
        for await (const page of listPages(patient, input, rethrow('List what is to be imported'))) {
          yield page.map(({ Key = '', Size = 0, ETag, LastModified = new Date() }) => ({
            key: decoded(Key),
            size: Size,
            etag: unquoted(ETag) ?? '',
            modifiedAt: LastModified,
          }))
        }
      },

      async openUploads(key) {
        const { Uploads = [] } = await patient
          .send(new ListMultipartUploadsCommand({ Bucket, Prefix: key }), limited())
          .catch(rethrow('List open uploads'))
        return Uploads.flatMap(({ Key, UploadId }) => (Key === key && UploadId !== undefined ? [UploadId] : []))
      },

      async *read(key, etag, { start, end }, signal) {
        const doing = 'Read a file'
        let body: Readable | undefined
        try {
          const { Body, ContentRange, ETag } = await singleShot.send(
            new GetObjectCommand({ Bucket, Key: key, IfMatch: `"${etag}"`, Range: `bytes=${start}-${end}` }),
            { abortSignal: signal },
          )
          body = Body as Readable
          // Not every store heeds what it is asked; bytes of two objects must never come to lie in one file.
          if (unquoted(ETag) !== etag) throw new ObjectChanged(`${doing}: it has another ETag by now`)
          if (ContentRange?.startsWith(`bytes ${start}-${end}/`) !== true) {
            throw new StorageRefusal('RangeIgnored', `${doing}: the store knows no ranges`)
          }
          yield* body as AsyncIterable<Uint8Array>
        } catch (error) {
          throw judge(error, doing)
        } finally {
          // What nobody wants any more tells its end as an error, to nobody.
          body?.on('error', () => {}).destroy()
        }
      },

      close() {
        patient.destroy()
        singleShot.destroy()
      },
    }
  }
}

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
