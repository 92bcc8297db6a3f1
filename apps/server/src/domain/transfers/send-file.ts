import { Readable } from 'node:stream'
import { chunkCount, chunkSizeFor } from '@longshore/contract/limits'
import { crashPoint } from '@longshore/kit/crash-point'
import type { ForeignStore } from '#blob/foreign-store'
import type { ByteRange } from '#blob/port'
import { resumableRead } from '#blob/resumable-read'
import { StorageRefusal } from '#blob/storage-errors'
import type { Cx } from '#domain/cx'
import type { PackageFile } from '#store/files'
import { type Copying, whereAllowed, worthCopying } from './copying.ts'
import { isThere, patiently, type Sending, sendParts } from './send-parts.ts'

/** What the files of one transfer have in common. */
export interface Load extends Sending, Copying {
  readonly target: ForeignStore
  readonly bucket: string
  readonly partSize: number
  /** Larger files are copied in parts. */
  readonly copiesWholeUpTo: number
  /** Whether somebody else has carried it before, and may have been killed. */
  readonly isTakenUp: boolean
  /** Remembers an upload before its first part is sent. */
  begun(file: PackageFile, key: string, uploadId: string): Promise<void>
}

type Needs = Pick<Cx, 'blob' | 'copier'>

/** Sends one file to its place. `known` is an upload that was begun for it before. */
export async function sendFile(
  cx: Needs,
  load: Load,
  file: PackageFile,
  key: string,
  known: string | undefined,
): Promise<void> {
  const size = file.size ?? 0
  if (file.object_key === null || size === 0) {
    // A folder is nothing in a store. By custom an empty object with a slash behind its name stands for one.
    const marker = file.kind === 'directory' ? `${key}/` : key
    await load.gate(() => patiently(load, () => load.target.put(marker, undefined, load.signal)))
    return
  }
  const source = file.object_key
  const inParts = known !== undefined || size > (load.copying.on ? worthCopying : load.partSize)
  if (inParts) return sendByUpload(cx, load, { file, source, size, key }, known)
  const whole = () => ({ body: bytesOf(cx, load, source, { start: 0, end: size - 1 }), length: size })
  await load.gate(() => patiently(load, () => load.target.put(key, whole(), load.signal)))
  load.arrived(size)
}

interface Route {
  readonly file: PackageFile
  readonly source: string
  readonly size: number
  readonly key: string
}

/**
 * By an upload that is begun and ended with the keys of the store's owner: only who may write there themselves gets as far
 * as a copy or a part. What was sent before a crash is asked for and not sent again.
 */
async function sendByUpload(cx: Needs, load: Load, route: Route, known: string | undefined): Promise<void> {
  const { file, size, key } = route
  const each = chunkSizeFor(load.partSize, size)
  const count = chunkCount(size, each)
  const stored = known === undefined ? undefined : await patiently(load, () => load.target.listParts(key, known))
  // It was joined just before the crash, or somebody has taken it back.
  if (known !== undefined && stored === undefined && (await isThere(load, key, size, count))) return load.arrived(size)
  const uploadId = known !== undefined && stored !== undefined ? known : await begin(load, file, key)
  if (!(await copyWhole(cx, load, route, uploadId))) {
    const inParts = { key, uploadId, size, each, count }
    await sendParts(load, inParts, stored ?? [], (partNumber, range) =>
      sendPart(cx, load, { ...route, uploadId }, partNumber, range),
    )
  }
}

/** Answers whether our own store has copied the file. The upload has then done its part, as a proof, and is taken back. */
async function copyWhole(cx: Needs, load: Load, { source, size, key }: Route, uploadId: string): Promise<boolean> {
  if (!load.copying.on || size > load.copiesWholeUpTo) return false
  const to = { bucket: load.bucket, key }
  const isCopied = await load.gate(() => whereAllowed(load, () => cx.copier.copyObject(source, to, load.signal)))
  if (isCopied === undefined) return false
  crashPoint('transfer.copied')
  await patiently(load, () => load.target.abort(key, uploadId))
  load.arrived(size)
  return true
}

async function begin(load: Load, file: PackageFile, key: string): Promise<string> {
  if (load.isTakenUp) await takeBackUnknown(load, key)
  const uploadId = await patiently(load, () => load.target.beginUpload(key))
  try {
    await load.begun(file, key, uploadId)
  } catch (error) {
    // Nobody would know of it, so nobody would ever take it back.
    await load.target.abort(key, uploadId).catch(() => {})
    throw error
  }
  crashPoint('transfer.begun')
  return uploadId
}

/** Who was killed between beginning an upload and noting it has left one that nobody knows of. */
async function takeBackUnknown({ target }: Load, key: string): Promise<void> {
  try {
    for (const uploadId of await target.openUploads(key)) await target.abort(key, uploadId)
  } catch (error) {
    // Keys that may not look: then it is left to the rules of that bucket.
    if (!(error instanceof StorageRefusal)) throw error
  }
}

async function sendPart(
  cx: Needs,
  load: Load,
  { source, key, uploadId }: Route & { readonly uploadId: string },
  partNumber: number,
  range: ByteRange,
): Promise<string> {
  if (load.copying.on) {
    const to = { bucket: load.bucket, key, uploadId, partNumber }
    const copied = await whereAllowed(load, () => cx.copier.copyPart({ key: source, range }, to, load.signal))
    if (copied !== undefined) return copied.done
  }
  const length = range.end - range.start + 1
  const body = bytesOf(cx, load, source, range)
  return load.target.sendPart({ key, uploadId, partNumber, body, length, signal: load.signal })
}

/** As they come from our store: a few hundred KiB are on their way at a time, however long it is. */
const bytesOf = (cx: Needs, { signal }: Load, key: string, range: ByteRange): Readable =>
  Readable.from(copies(resumableRead(cx.blob, key, range, signal)), { objectMode: false })

/** A piece is good until the next one is asked for, and the sending side holds on to several. */
async function* copies(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece)
}
