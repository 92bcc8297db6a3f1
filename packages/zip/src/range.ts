import type { Entry, Platform } from '#entry'
import { centralRecordLength, type Layout, localHeaderLength } from '#layout'
import { centralRecord, endRecords, localHeader } from '#write'

/** Bytes of an entry's own content, which lie elsewhere; `end` is behind the last. */
export interface Content<E> {
  readonly entry: E
  readonly start: number
  readonly end: number
}

export type Piece<E> = { readonly bytes: Uint8Array } | { readonly content: Content<E> }

export interface Archive<E extends Entry> {
  readonly layout: Layout
  readonly platform: Platform
  /** The entries of a block, the same as when it was laid out. Asked in order; each at most twice. */
  block(number: number): Promise<readonly E[]>
}

/** The bytes from `start` up to and not including `end`, piece by piece: ours as they are, contents as where to read. */
export async function* piecesOf<E extends Entry>(
  archive: Archive<E>,
  start: number,
  end: number,
): AsyncGenerator<Piece<E>> {
  const { layout } = archive
  yield* localPieces(archive, start, Math.min(end, layout.centralStart))
  const { centralStart, centralLength } = layout
  yield* centralPieces(archive, Math.max(0, start - centralStart), Math.min(end - centralStart, centralLength))
  const ending = endRecords(layout)
  const endStart = centralStart + centralLength
  const last = cut(ending, endStart, start, end)
  if (last !== undefined) yield { bytes: last }
}

async function* localPieces<E extends Entry>(
  { layout, block }: Archive<E>,
  start: number,
  end: number,
): AsyncGenerator<Piece<E>> {
  if (start >= end) return
  for (let number = blockAt(layout, start, 'local'); ; number++) {
    let at = layout.blocks[number]?.local ?? end
    if (at >= end) return
    for (const entry of await block(number)) {
      const contentAt = at + localHeaderLength(entry)
      const next = contentAt + entry.size
      if (next > start && at < end) {
        const header = contentAt > start ? cut(localHeader(entry), at, start, end) : undefined
        if (header !== undefined) yield { bytes: header }
        const content = { entry, start: Math.max(0, start - contentAt), end: Math.min(entry.size, end - contentAt) }
        if (content.start < content.end) yield { content }
      }
      at = next
    }
  }
}

async function* centralPieces<E extends Entry>(
  { layout, block, platform }: Archive<E>,
  start: number,
  end: number,
): AsyncGenerator<Piece<E>> {
  if (start >= end) return
  for (let number = blockAt(layout, start, 'central'); ; number++) {
    const { local, central } = layout.blocks[number] ?? { local: 0, central: end }
    if (central >= end) return
    const length = (layout.blocks[number + 1]?.central ?? layout.centralLength) - central
    const records = cut(directoryOf(await block(number), local, length, platform), central, start, end)
    if (records !== undefined) yield { bytes: records }
  }
}

/** The part of the central directory that belongs to one block. */
function directoryOf(entries: readonly Entry[], local: number, length: number, platform: Platform): Uint8Array {
  const bytes = new Uint8Array(length)
  let offset = local
  let at = 0
  for (const entry of entries) {
    bytes.set(centralRecord(entry, offset, platform), at)
    at += centralRecordLength(entry, offset)
    offset += localHeaderLength(entry) + entry.size
  }
  return bytes
}

/** The last block that begins at or before this byte. */
function blockAt(layout: Layout, byte: number, part: 'local' | 'central'): number {
  let low = 0
  let high = layout.blocks.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((layout.blocks[middle]?.[part] ?? Infinity) <= byte) low = middle
    else high = middle
  }
  return low
}

/** What of these bytes, which begin at `at`, lies between start and end. */
function cut(bytes: Uint8Array, at: number, start: number, end: number): Uint8Array | undefined {
  const from = Math.max(0, start - at)
  const to = Math.min(bytes.length, end - at)
  return from < to ? bytes.subarray(from, to) : undefined
}
