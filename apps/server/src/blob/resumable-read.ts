import { setTimeout as sleep } from 'node:timers/promises'
import type { Blob, ByteRange } from '#blob/port'
import { StorageTrouble } from '#blob/storage-errors'

// Without a byte in between. Together with the pauses a store may be away for some twenty seconds.
const triesWithoutProgress = 6
const firstPauseMs = 250

/** The bytes of an object to the last one wanted: where the store hangs up, it is opened again at that place. */
export async function* resumableRead(
  blob: Pick<Blob, 'read'>,
  key: string,
  { start, end }: ByteRange,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let at = start
  let failures = 0
  while (at <= end) {
    try {
      for await (const piece of blob.read(key, { start: at, end }, signal)) {
        at += piece.length
        failures = 0
        yield piece
      }
      if (at <= end) throw new StorageTrouble(`Read ${key}: it ended at byte ${at}, before ${end}`)
    } catch (error) {
      signal.throwIfAborted()
      failures += 1
      if (!(error instanceof StorageTrouble) || failures === triesWithoutProgress) throw error
      await sleep(firstPauseMs * 2 ** (failures - 1), undefined, { signal })
    }
  }
}
