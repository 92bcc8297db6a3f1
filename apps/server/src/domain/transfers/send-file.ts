import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { chunkCount, chunkSizeFor, MiB } from '@longshore/contract/limits'
import { crashPoint } from '@longshore/kit/crash-point'
import type { ForeignStore } from '#blob/foreign-store'
import type { ByteRange, StoredPart } from '#blob/port'
import { resumableRead } from '#blob/resumable-read'
import { StorageRefusal, StorageTrouble, UploadGone } from '#blob/storage-errors'
import { type Gate, inLanes } from '#domain/at-once'
import type { Cx } from '#domain/cx'
import type { PackageFile } from '#store/files'

/** What the files of one transfer have in common. */
export interface Load {
  readonly store: ForeignStore
  readonly bucket: string
  readonly partSize: number
  /** Whether our own store may copy. Off after it was refused once. */
  readonly copying: { on: boolean }
  /** Larger files are copied in parts. */
  readonly copiesWholeUpTo: number
  readonly gate: Gate
  readonly signal: AbortSignal
  /** Whether somebody else has carried it before, and may have been killed. */
  readonly isTakenUp: boolean
  /** Bytes that have come to stay. */
  arrived(bytes: number): void
  /** Remembers an upload before its first part is sent. */
  begun(file: PackageFile, key: string, uploadId: string): Promise<void>
}

type Needs = Pick<Cx, 'blob' | 'copier'>

// Copying takes three requests, sending one and another to read it.
const worthCopying = 1 * MiB

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
    return load.gate(() => patiently(load, () => load.store.put(marker, undefined, load.signal)))
  }
  const source = file.object_key
  const inParts = known !== undefined || size > (load.copying.on ? worthCopying : load.partSize)
  if (inParts) return sendByUpload(cx, load, { file, source, size, key }, known)
  const whole = () => ({ body: bytesOf(cx, load, source, { start: 0, end: size - 1 }), length: size })
  await load.gate(() => patiently(load, () => load.store.put(key, whole(), load.signal)))
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
  const stored = known === undefined ? undefined : await patiently(load, () => load.store.listParts(key, known))
  // It was joined just before the crash, or somebody has taken it back.
  if (known !== undefined && stored === undefined && (await isThere(load, key, size, count))) return load.arrived(size)
  const uploadId = known !== undefined && stored !== undefined ? known : await begin(load, file, key)
  if (!(await copyWhole(cx, load, route, uploadId))) {
    await sendParts(cx, load, { ...route, uploadId, each, count }, stored ?? [])
  }
}

/** Answers whether our own store has copied the file. The upload has then done its part, as a proof, and is taken back. */
async function copyWhole(cx: Needs, load: Load, { source, size, key }: Route, uploadId: string): Promise<boolean> {
  if (!load.copying.on || size > load.copiesWholeUpTo) return false
  const to = { bucket: load.bucket, key }
  const isCopied = await load.gate(() => whereAllowed(load, () => cx.copier.copyObject(source, to, load.signal)))
  if (isCopied === undefined) return false
  crashPoint('transfer.copied')
  await patiently(load, () => load.store.abort(key, uploadId))
  load.arrived(size)
  return true
}

/** Undefined where the bucket's owner does not let us copy: from then on all goes the long way, with their keys alone. */
async function whereAllowed<Result>(load: Load, copy: () => Promise<Result>): Promise<{ done: Result } | undefined> {
  try {
    return { done: await patiently(load, copy) }
  } catch (error) {
    if (!(error instanceof StorageRefusal || error instanceof UploadGone)) throw error
    load.copying.on = false
    return undefined
  }
}

interface RouteInParts extends Route {
  readonly uploadId: string
  readonly each: number
  readonly count: number
}

async function sendParts(cx: Needs, load: Load, route: RouteInParts, stored: readonly StoredPart[]): Promise<void> {
  const { size, each, count } = route
  const lengthOf = (index: number) => Math.min(each, size - index * each)
  const etags = new Map<number, string>()
  for (const { partNumber, etag, size: bytes } of stored) {
    if (partNumber <= count && bytes === lengthOf(partNumber - 1)) etags.set(partNumber, etag)
  }
  load.arrived([...etags.keys()].reduce((sum, partNumber) => sum + lengthOf(partNumber - 1), 0))

  const missing = Array.from({ length: count }, (_, index) => index).filter((index) => !etags.has(index + 1))
  await inLanes(missing, lanes, async (index) => {
    const range = { start: index * each, end: index * each + lengthOf(index) - 1 }
    etags.set(index + 1, await load.gate(() => patiently(load, () => sendPart(cx, load, route, index + 1, range))))
    load.arrived(lengthOf(index))
    crashPoint('transfer.part')
  })
  await join(load, route, etags)
  crashPoint('transfer.joined')
}

async function begin(load: Load, file: PackageFile, key: string): Promise<string> {
  if (load.isTakenUp) await takeBackUnknown(load, key)
  const uploadId = await patiently(load, () => load.store.beginUpload(key))
  try {
    await load.begun(file, key, uploadId)
  } catch (error) {
    // Nobody would know of it, so nobody would ever take it back.
    await load.store.abort(key, uploadId).catch(() => {})
    throw error
  }
  crashPoint('transfer.begun')
  return uploadId
}

/** Who was killed between beginning an upload and noting it has left one that nobody knows of. */
async function takeBackUnknown({ store }: Load, key: string): Promise<void> {
  try {
    for (const uploadId of await store.openUploads(key)) await store.abort(key, uploadId)
  } catch (error) {
    // Keys that may not look: then it is left to the rules of that bucket.
    if (!(error instanceof StorageRefusal)) throw error
  }
}

async function sendPart(
  cx: Needs,
  load: Load,
  { source, key, uploadId }: RouteInParts,
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
  return load.store.sendPart({ key, uploadId, partNumber, body, length, signal: load.signal })
}

async function join(
  load: Load,
  { key, size, uploadId, count }: RouteInParts,
  etags: ReadonlyMap<number, string>,
): Promise<void> {
  const parts = [...etags].map(([partNumber, etag]) => ({ partNumber, etag }))
  try {
    await load.store.complete(key, uploadId, parts)
  } catch (error) {
    if (!(error instanceof StorageTrouble || error instanceof UploadGone)) throw error
    if (await isThere(load, key, size, count)) return
    throw new StorageTrouble(`Join ${key}: whether it was done is open`, { cause: error })
  }
}

/** The bytes of a package never change, and its folder is its own: an object of this size in so many parts is ours. */
async function isThere({ store }: Load, key: string, size: number, parts: number): Promise<boolean> {
  try {
    const stored = await store.head(key)
    if (stored?.size !== size) return false
    return stored.etag.endsWith(`-${parts}`) || !/-\d+$/.test(stored.etag)
  } catch (error) {
    // Keys that may only write may not look either. Then it is sent again.
    if (error instanceof StorageRefusal) return false
    throw error
  }
}

/** As they come from our store: a few hundred KiB are on their way at a time, however long it is. */
const bytesOf = (cx: Needs, { signal }: Load, key: string, range: ByteRange): Readable =>
  Readable.from(copies(resumableRead(cx.blob, key, range, signal)), { objectMode: false })

/** A piece is good until the next one is asked for, and the sending side holds on to several. */
async function* copies(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece)
}

const lanes = 8
const tries = 4
const firstPauseMs = 500

/** A line that breaks for a moment is no reason to begin all over. */
async function patiently<Result>({ signal }: Load, work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof StorageTrouble) || attempt === tries) throw error
      await sleep(firstPauseMs * 2 ** (attempt - 1), undefined, { signal })
    }
  }
}
