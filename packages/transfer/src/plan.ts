import { chunkCount, chunkSizeFor, defaultChunkSize, maxChunkRequests, maxFileSize } from '@longshore/contract/limits'

/** A stretch of a file; `end` is not part of it. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** The cuts of a file. The size of its chunks is fixed by the server when the file is added. */
export function chunksOf(size: number, chunkSize: number): number {
  return chunkCount(size, chunkSize)
}

/**
 * What to ask for where nobody knows how large a file will become: storage takes ten thousand chunks, all of one size.
 * A file that has outgrown its chunks once may well grow on, so then there is room for four times what it has.
 */
export function chunkSizeToGrow(asked = defaultChunkSize, plannedSize: number, sizeNow: number): number {
  const room = sizeNow > plannedSize ? 4 * sizeNow : plannedSize
  return chunkSizeFor(asked, Math.min(maxFileSize, room))
}

export function chunkRange(index: number, size: number, chunkSize: number): Range {
  const start = index * chunkSize
  return { start, end: Math.min(size, start + chunkSize) }
}

/** The chunks that storage has already: those with the right size. Any other one is sent again. */
export function usableChunks(
  stored: readonly { readonly part_number: number; readonly etag: string; readonly size: number }[],
  size: number,
  chunkSize: number,
): Map<number, string> {
  const usable = new Map<number, string>()
  for (const { part_number: number, etag, size: has } of stored) {
    const index = number - 1
    if (index < 0 || index >= chunksOf(size, chunkSize)) continue
    const { start, end } = chunkRange(index, size, chunkSize)
    if (has === end - start) usable.set(index, etag)
  }
  return usable
}

/** How many requests to ask for at once: enough for all lanes twice over, and young when they are used. */
export function requestsToAsk(lanes: number, index: number, chunks: number): number {
  return Math.min(maxChunkRequests, Math.max(8, 2 * lanes), chunks - index)
}

// A download is cut for resuming and for lanes; storage has no say in it.
const smallestStretch = 8 * 1024 * 1024
const largestStretch = 64 * 1024 * 1024
const stretchesAimedAt = 64

/** How a download is cut: large files into large stretches, which are synced and noted one by one. */
export function stretchSize(size: number): number {
  return Math.min(largestStretch, Math.max(smallestStretch, Math.ceil(size / stretchesAimedAt)))
}
