import { createHash } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { constants, lstat, open, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Waybill, WaybillFile } from '#waybill'

/** What became of one path. All but `good` and `withheld` are differences. */
export interface Finding {
  readonly path: string
  readonly is: 'good' | 'missing' | 'changed' | 'extra' | 'unproven' | 'withheld'
  /** For a reader; set where `is` alone does not say it. */
  readonly why?: string
}

export const isDifference = ({ is }: Finding): boolean => is !== 'good' && is !== 'withheld'

/**
 * Holds a folder against a waybill, path by path.
 *
 * It is the folder that is walked, never the paths of the waybill: whatever a waybill says, nothing outside is opened.
 * Symbolic links are not followed. Files are read in pieces, and beyond the waybill itself nothing is kept but one bit
 * of news for each file.
 */
export async function* verifyFolder(waybill: Waybill, folder: string, signal?: AbortSignal): AsyncGenerator<Finding> {
  const files = indexOf(waybill.files)
  for await (const { path, entry } of walk(folder, '')) {
    signal?.throwIfAborted()
    if (entry.isDirectory()) continue
    const file = files.take(path)
    if (file === undefined) yield { path, is: 'extra' }
    else if (!entry.isFile()) yield { path, is: 'changed', why: 'it is not a plain file' }
    else yield await compare(file, join(folder, path), signal)
  }
  for (const { path, scan } of files.left()) {
    if (scan === 'infected') yield { path, is: 'withheld', why: 'a virus was found in it, so the server keeps it back' }
    else yield { path, is: 'missing' }
  }
}

interface Found {
  readonly path: string
  readonly entry: Dirent
}

async function* walk(folder: string, within: string): AsyncGenerator<Found> {
  for await (const entry of await opendir(join(folder, within))) {
    const path = within === '' ? entry.name : `${within}/${entry.name}`
    yield { path, entry }
    if (entry.isDirectory()) yield* walk(folder, path)
  }
}

async function compare(file: WaybillFile, place: string, signal: AbortSignal | undefined): Promise<Finding> {
  const { path } = file
  const { size } = await lstat(place)
  if (size !== file.size) return { path, is: 'changed', why: `it has ${size} bytes, sent were ${file.size}` }
  if (file.sha256 === null) return { path, is: 'unproven', why: 'the waybill was made too early; ask for a new one' }
  const sha256 = await digestOf(place, signal)
  return sha256 === file.sha256 ? { path, is: 'good' } : { path, is: 'changed', why: 'its bytes are not those sent' }
}

const pieceLength = 1 << 20

async function digestOf(place: string, signal: AbortSignal | undefined): Promise<string> {
  // The path was a plain file when it was listed; should it have become a link since, it is not opened.
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const hash = createHash('sha256')
    const piece = Buffer.allocUnsafe(pieceLength)
    while (true) {
      signal?.throwIfAborted()
      const { bytesRead } = await file.read(piece, 0, piece.length)
      if (bytesRead === 0) return hash.digest('hex')
      hash.update(piece.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}

/** Finds files by their path with halving, and knows which were found. */
function indexOf(files: readonly WaybillFile[]) {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  const found = new Uint8Array(sorted.length)
  return {
    take(path: string): WaybillFile | undefined {
      let low = 0
      let high = sorted.length
      while (low < high) {
        const middle = (low + high) >> 1
        if ((sorted[middle]?.path ?? '') < path) low = middle + 1
        else high = middle
      }
      const file = sorted[low]
      if (file?.path !== path) return undefined
      found[low] = 1
      return file
    },
    *left(): Generator<WaybillFile> {
      for (const [index, file] of sorted.entries()) if (found[index] === 0) yield file
    },
  }
}
