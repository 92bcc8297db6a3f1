import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { defaultChunkSize } from '@longshore/contract/limits'
import { newId } from '@longshore/kit/ids'
import { StorageRefusal } from '#blob/storage-errors'
import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'
import { claimDigest } from '#domain/uploads/claim'
import { crcBytes } from '#domain/uploads/crc-bytes'
import { newObjectKey } from '#domain/uploads/object-key'
import type { Tx } from '#platform/db'
import { insertOwnFile, type OwnFile } from '#store/files'
import { responseOfPackage } from '#store/form-responses'
import { namesInRoot } from '#store/places'
import { compose, type FileFormat } from './compose.ts'

/** A file of answers whose bytes are in the store, and which no package has yet. */
export interface StoredAnswers extends Omit<OwnFile, 'name'> {
  readonly format: FileFormat
}

interface Target {
  readonly team_id: string
  readonly id: string
  readonly custom_metadata_id: string | null
}

/**
 * Stores the answers of a package, and lends them to the work that closes it. Work that ends without using them, and
 * says so by a refusal or by `false`, has them removed again. After any other error it is open whether the package has
 * them now; if not, they go when the package ends, with all else that lies there.
 */
export async function withStoredAnswers(
  cx: Pick<Cx, 'db' | 'blob'>,
  pkg: Target,
  work: (stored: readonly StoredAnswers[]) => Promise<boolean>,
): Promise<void> {
  const stored = await storeAnswers(cx, pkg)
  const discard = () => cx.blob.remove(stored.map((file) => file.objectKey)).catch(() => {})
  try {
    if (!(await work(stored)) && stored.length > 0) await discard()
  } catch (error) {
    if (error instanceof Refusal && stored.length > 0) await discard()
    throw error
  }
}

/** Writes the answers of a package to the store, a file for each format that the form wants. */
async function storeAnswers(cx: Pick<Cx, 'db' | 'blob'>, pkg: Target): Promise<readonly StoredAnswers[]> {
  if (pkg.custom_metadata_id === null) return []
  const response = await responseOfPackage(cx.db, pkg.team_id, pkg.id)
  if (response === undefined) return []
  const formats = response.delivery_formats.filter((format) => format !== 'email_body')
  return Promise.all(
    formats.map(async (format) => {
      const bytes = Buffer.from(compose[format](response))
      const id = newId()
      const objectKey = newObjectKey(pkg.team_id, pkg.id, id)
      const { etag } = await written(cx, objectKey, bytes)
      return { format, id, objectKey, etag, ...describe(bytes, etag), lastModified: response.created_at }
    }),
  )
}

async function written(cx: Pick<Cx, 'blob'>, key: string, bytes: Buffer) {
  try {
    return await cx.blob.write(key, bytes)
  } catch (error) {
    if (!(error instanceof StorageRefusal)) throw error
    throw new Refusal('storage_unavailable', undefined, { retryAfterSeconds: 5, cause: error })
  }
}

function describe(bytes: Buffer, etag: string) {
  return {
    size: bytes.length,
    chunkSize: defaultChunkSize,
    contentDigest: claimDigest('', bytes.length, [{ partNumber: 1, etag }]),
    sha256: hash('sha256', bytes, 'buffer'),
    crc32: crcBytes(crc32(bytes)),
  }
}

/** Puts stored answers into the root of their package, beside what the sender put there. Takes its lock for granted. */
export async function addAnswers(tx: Tx, pkg: Target, stored: readonly StoredAnswers[]): Promise<void> {
  if (stored.length === 0) return
  const taken = new Set(await namesInRoot(tx, pkg.team_id, pkg.id, 'metadata'))
  for (const { format, ...file } of stored) {
    const name = freeName(format, taken)
    taken.add(name.toLowerCase())
    await insertOwnFile(tx, pkg.team_id, pkg.id, { ...file, name })
  }
}

/** `metadata.json`, or `metadata (2).json` and so on where the sender has one. */
function freeName(format: FileFormat, taken: ReadonlySet<string>): string {
  let name = `metadata.${format}`
  for (let number = 2; taken.has(name); number++) name = `metadata (${number}).${format}`
  return name
}
