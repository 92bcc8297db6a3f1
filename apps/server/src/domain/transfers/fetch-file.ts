import { Readable } from 'node:stream'
import { chunkCount } from '@longshore/contract/limits'
import { fullPath } from '@longshore/contract/names'
import type { ForeignStore } from '#blob/foreign-store'
import type { ByteRange } from '#blob/port'
import { resumableRead } from '#blob/resumable-read'
import { StorageTrouble } from '#blob/storage-errors'
import type { Cx } from '#domain/cx'
import type { AwaitedFile } from '#store/imports'
import { copiesWholeUpTo, type Copying, whereAllowed, worthCopying } from './copying.ts'
import { isThere, patiently, type Sending, sendParts } from './send-parts.ts'
import { inFolder } from './target-names.ts'

/** What the files of one import have in common. Their target is our own store. */
export interface Haul extends Sending, Copying {
  readonly source: ForeignStore
  readonly bucket: string
  readonly folder: string
  /** Remembers an upload before its first part is sent. Answers whether anybody still waits for the file. */
  begun(file: AwaitedFile, uploadId: string): Promise<boolean>
}

/**
 * Brings one file into our own store, and answers its ETag there. Every byte of it is of the object that was listed: when
 * that changes, it throws `ObjectChanged`. Undefined when nobody waits for the file any more.
 */
export async function fetchFile(cx: Pick<Cx, 'copier'>, haul: Haul, file: AwaitedFile): Promise<string | undefined> {
  if (await copyWhole(cx, haul, file)) return etagOf(haul, file)
  if (file.size <= file.chunk_size) return sendWhole(haul, file)
  return (await sendByUpload(haul, file)) ? etagOf(haul, file) : undefined
}

/**
 * Answers whether our own store has copied the file. Its first byte is read with the keys that were given: only who may
 * read it themselves gets as far as a copy, which is signed with ours.
 */
async function copyWhole(cx: Pick<Cx, 'copier'>, haul: Haul, file: AwaitedFile): Promise<boolean> {
  const isWorthIt = haul.copying.on && file.size > worthCopying && file.size <= copiesWholeUpTo
  // Parts that came before stay of use.
  if (!isWorthIt || file.upload_id !== null) return false
  const from = { bucket: haul.bucket, key: sourceKey(haul, file), etag: file.source_etag }
  const isCopied = await haul.gate(async () => {
    await patiently(haul, () => Array.fromAsync(bytes(haul, file, { start: 0, end: 0 })))
    return whereAllowed(haul, () => cx.copier.fetchObject(from, file.object_key, haul.signal))
  })
  if (isCopied === undefined) return false
  haul.arrived(file.size)
  return true
}

async function sendWhole(haul: Haul, file: AwaitedFile): Promise<string> {
  const { object_key, size } = file
  const content = () => (size === 0 ? undefined : { body: body(haul, file, { start: 0, end: size - 1 }), length: size })
  const etag = await haul.gate(() => patiently(haul, () => haul.target.put(object_key, content(), haul.signal)))
  haul.arrived(size)
  return etag
}

/** What was brought before a crash is asked for and not fetched again. */
async function sendByUpload(haul: Haul, file: AwaitedFile): Promise<boolean> {
  const { object_key: key, upload_id: known, size, chunk_size: each } = file
  const count = chunkCount(size, each)
  const stored = known === null ? undefined : await patiently(haul, () => haul.target.listParts(key, known))
  // It was joined just before the crash.
  if (known !== null && stored === undefined && (await isThere(haul, key, size, count))) {
    haul.arrived(size)
    return true
  }
  const uploadId = known !== null && stored !== undefined ? known : await begin(haul, file)
  if (uploadId === undefined) return false
  await sendParts(haul, { key, uploadId, size, each, count }, stored ?? [], (partNumber, range) => {
    const part = { key, uploadId, partNumber, body: body(haul, file, range), length: range.end - range.start + 1 }
    return haul.target.sendPart({ ...part, signal: haul.signal })
  })
  return true
}

async function begin(haul: Haul, file: AwaitedFile): Promise<string | undefined> {
  const uploadId = await patiently(haul, () => haul.target.beginUpload(file.object_key))
  if (await haul.begun(file, uploadId)) return uploadId
  await haul.target.abort(file.object_key, uploadId)
  return undefined
}

async function etagOf(haul: Haul, file: AwaitedFile): Promise<string> {
  const stored = await patiently(haul, () => haul.target.head(file.object_key))
  if (stored?.size === file.size) return stored.etag
  throw new StorageTrouble(`Fetch ${file.object_key}: our store has ${stored?.size ?? 'no'} bytes of ${file.size}`)
}

const sourceKey = ({ folder }: Haul, file: AwaitedFile): string => inFolder(folder, fullPath(file))

function bytes(haul: Haul, file: AwaitedFile, range: ByteRange): AsyncGenerator<Uint8Array> {
  const { source, signal } = haul
  const read = (key: string, part: ByteRange = range) => source.read(key, file.source_etag, part, signal)
  return resumableRead({ read }, sourceKey(haul, file), range, signal)
}

/** As they come from the other store: a few hundred KiB are on their way at a time, however long it is. */
const body = (haul: Haul, file: AwaitedFile, range: ByteRange): Readable =>
  Readable.from(bytes(haul, file, range), { objectMode: false })
