import { type Entry, max16, max32, nameLength, unixSeconds } from '#entry'

/** Where a block of entries begins: its first local header, and its first record of the central directory. */
export interface Block {
  readonly local: number
  /** Counted from the beginning of the directory. */
  readonly central: number
}

/**
 * Where everything of an archive lies. Entries are kept as blocks, not one by one: a million of them take no more
 * memory than their blocks, and a range is found by reading the one or two blocks that it touches again.
 */
export interface Layout {
  readonly blocks: readonly Block[]
  readonly entries: number
  readonly centralStart: number
  readonly centralLength: number
  /** Length of the whole archive. */
  readonly size: number
}

const localFixed = 30
const centralFixed = 46
const timestampField = 9
const zip64FieldHead = 4

export const needsZip64Sizes = (entry: Entry): boolean => entry.size >= max32

const timestampLength = (entry: Entry): number => (unixSeconds(entry.modified) === undefined ? 0 : timestampField)

export const localHeaderLength = (entry: Entry): number =>
  localFixed + nameLength(entry.name) + timestampLength(entry) + (needsZip64Sizes(entry) ? zip64FieldHead + 2 * 8 : 0)

export function centralRecordLength(entry: Entry, offset: number): number {
  const numbers = (needsZip64Sizes(entry) ? 2 : 0) + (offset >= max32 ? 1 : 0)
  const zip64 = numbers === 0 ? 0 : zip64FieldHead + numbers * 8
  return centralFixed + nameLength(entry.name) + timestampLength(entry) + zip64
}

const endLength = 22
const zip64EndLength = 56 + 20

export const needsZip64End = ({ entries, centralStart, centralLength }: Omit<Layout, 'blocks' | 'size'>): boolean =>
  entries >= max16 || centralStart >= max32 || centralLength >= max32

export interface LayoutBuilder {
  /** Adds a block of entries behind those before. Its number is its place in `blocks`. */
  add(entries: Iterable<Entry>): void
  finish(): Layout
}

/** Lays out an archive from its entries in their order. */
export function layOut(): LayoutBuilder {
  const blocks: Block[] = []
  let entries = 0
  let local = 0
  let central = 0
  return {
    add(block) {
      blocks.push({ local, central })
      for (const entry of block) {
        central += centralRecordLength(entry, local)
        local += localHeaderLength(entry) + entry.size
        entries += 1
      }
    },
    finish() {
      if (local > Number.MAX_SAFE_INTEGER) throw new RangeError('An archive cannot be larger than 8 PiB')
      const directory = { entries, centralStart: local, centralLength: central }
      const end = endLength + (needsZip64End(directory) ? zip64EndLength : 0)
      return { blocks, ...directory, size: local + central + end }
    },
  }
}
