import { setTimeout as sleep } from 'node:timers/promises'
import { crashPoint } from '@longshore/kit/crash-point'
import type { ByteRange, StoredPart } from '#blob/port'
import { StorageRefusal, StorageTrouble, UploadGone } from '#blob/storage-errors'
import type { Target } from '#blob/target'
import { type Gate, inLanes } from '#domain/at-once'

/** What files that go to one store have in common. */
export interface Sending {
  readonly target: Target
  readonly gate: Gate
  readonly signal: AbortSignal
  /** Bytes that have come to stay. */
  arrived(bytes: number): void
}

/** A file that goes in parts. */
export interface InParts {
  readonly key: string
  readonly uploadId: string
  readonly size: number
  readonly each: number
  readonly count: number
}

/** Sends the parts that the store does not have, and joins them all. */
export async function sendParts(
  sending: Sending,
  file: InParts,
  stored: readonly StoredPart[],
  sendPart: (partNumber: number, range: ByteRange) => Promise<string>,
): Promise<void> {
  const { size, each, count } = file
  const lengthOf = (index: number) => Math.min(each, size - index * each)
  const etags = new Map<number, string>()
  for (const { partNumber, etag, size: bytes } of stored) {
    if (partNumber <= count && bytes === lengthOf(partNumber - 1)) etags.set(partNumber, etag)
  }
  sending.arrived([...etags.keys()].reduce((sum, partNumber) => sum + lengthOf(partNumber - 1), 0))

  const missing = Array.from({ length: count }, (_, index) => index).filter((index) => !etags.has(index + 1))
  await inLanes(missing, lanes, async (index) => {
    const range = { start: index * each, end: index * each + lengthOf(index) - 1 }
    etags.set(index + 1, await sending.gate(() => patiently(sending, () => sendPart(index + 1, range))))
    sending.arrived(lengthOf(index))
    crashPoint('transfer.part')
  })
  await join(sending, file, etags)
  crashPoint('transfer.joined')
}

async function join(
  sending: Sending,
  { key, size, uploadId, count }: InParts,
  etags: ReadonlyMap<number, string>,
): Promise<void> {
  const parts = [...etags].map(([partNumber, etag]) => ({ partNumber, etag }))
  try {
    await sending.target.complete(key, uploadId, parts)
  } catch (error) {
    if (!(error instanceof StorageTrouble || error instanceof UploadGone)) throw error
    if (await isThere(sending, key, size, count)) return
    throw new StorageTrouble(`Join ${key}: whether it was done is open`, { cause: error })
  }
}

/** What is sent never changes, and its place is its own: an object of this size in so many parts is ours. */
export async function isThere({ target }: Sending, key: string, size: number, parts: number): Promise<boolean> {
  try {
    const stored = await target.head(key)
    if (stored?.size !== size) return false
    return stored.etag.endsWith(`-${parts}`) || !/-\d+$/.test(stored.etag)
  } catch (error) {
    // Keys that may only write may not look either. Then it is sent again.
    if (error instanceof StorageRefusal) return false
    throw error
  }
}

const lanes = 8
const tries = 4
const firstPauseMs = 500

/** A line that breaks for a moment is no reason to begin all over. */
export async function patiently<Result>(
  { signal }: Pick<Sending, 'signal'>,
  work: () => Promise<Result>,
): Promise<Result> {
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
