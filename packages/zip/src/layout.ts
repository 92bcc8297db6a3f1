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

/** What the two headers of an entry have in common: its name and its time. */
const sharedLength = (entry: Entry): number =>
  nameLength(entry.name) + (unixSeconds(entry.modified) === undefined ? 0 : timestampField)

const localLength = (entry: Entry, shared: number): number =>
  localFixed + shared + (needsZip64Sizes(entry) ? zip64FieldHead + 2 * 8 : 0)

function centralLength(entry: Entry, shared: number, offset: number): number {
  const numbers = (needsZip64Sizes(entry) ? 2 : 0) + (offset >= max32 ? 1 : 0)
  return centralFixed + shared + (numbers === 0 ? 0 : zip64FieldHead + numbers * 8)
}

export const localHeaderLength = (entry: Entry): number => localLength(entry, sharedLength(entry))

export const centralRecordLength = (entry: Entry, offset: number): number =>
  centralLength(entry, sharedLength(entry), offset)

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
        const shared = sharedLength(entry)
        central += centralLength(entry, shared, local)
        local += localLength(entry, shared) + entry.size
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
