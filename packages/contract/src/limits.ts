/** Bounds that both sides of the wire know. */

export const MiB = 1024 * 1024
export const GiB = 1024 * MiB
export const TiB = 1024 * GiB

/** What S3-compatible stores take: parts of 5 MiB to 5 GiB, 10,000 at most. */
export const minChunkSize = 5 * MiB
export const maxChunkSize = 5 * GiB
export const maxChunkCount = 10_000

export const defaultChunkSize = 100 * MiB

// One part in a hundred stays spare, so that a file which grew a little while it was sent still fits.
const plannedChunkCount = 9_900

/** The largest file that can be cut into the planned number of the largest whole-MiB chunks. */
export const maxFileSize = plannedChunkCount * maxChunkSize

/** The chunk size a file gets: what was asked, or more where the file would need too many chunks. */
export function chunkSizeFor(asked: number, fileSize: number | undefined): number {
  if (fileSize === undefined) return asked
  return Math.max(asked, Math.ceil(fileSize / plannedChunkCount / MiB) * MiB)
}

/** How many chunks a file has. An empty file still has one, since a store completes no upload without parts. */
export function chunkCount(fileSize: number, chunkSize: number): number {
  return Math.max(1, Math.ceil(fileSize / chunkSize))
}

/** Chunk requests that one call may ask for. */
export const maxChunkRequests = 1_000

/** Files that one batch call may name. */
export const maxBatchFiles = 1_000

export const maxNameBytes = 255
export const maxPathBytes = 4_096

/** "None" or "never", where a date-time must stand. */
export const zeroTime = '0001-01-01T00:00:00.000Z'
