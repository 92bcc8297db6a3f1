import { createHash, hash } from 'node:crypto'
import type { Entry } from '@longshore/zip/entry'
import { layOut, type Layout } from '@longshore/zip/layout'
import { type Given, namer, plainNames } from '@longshore/zip/names'
import { packageFiles, type Place } from '#domain/downloads/package-files'
import type { Reads } from '#platform/db'
import type { PackageFile } from '#store/files'
import type { PackageRow } from '#store/packages'
import { type ArchiveKind, platformOf } from './kinds.ts'
import { isLeftOut, leftOut } from './left-out.ts'

/** An entry of an archive, and where its bytes are. */
export interface ArchiveEntry extends Entry {
  readonly from: { readonly objectKey: string } | { readonly text: Buffer } | undefined
}

/** A block of the file list, as far as it must be known to read it again and be sure that nothing has changed. */
export interface PlannedBlock {
  readonly at: Place
  /** How many files stand before it. */
  readonly first: number
  readonly digest: string
}

/** Everything that decides the bytes of an archive, without its entries: those are read again when they are needed. */
export interface ArchivePlan {
  readonly kind: ArchiveKind
  readonly layout: Layout
  readonly etag: string
  /** Files whose CRC-32 nobody has told or computed yet. The bytes are certain only when there are none. */
  readonly unread: number
  readonly blocks: readonly PlannedBlock[]
  /** Names that are not the plain ones, by the place of the file in the list; undefined for a folder that is there. */
  readonly renamed: ReadonlyMap<number, string | undefined>
  /** Stands behind all others, as a block of its own. */
  readonly note: ArchiveEntry | undefined
  /** Roughly, in memory. */
  readonly weight: number
}

// Part of every ETag: to be raised when the same list of files would be written in another way.
export const formatVersion = 1

/** Reads the file list once and lays the archive out. */
export async function planArchive(
  cx: { readonly db: Reads },
  pkg: PackageRow,
  kind: ArchiveKind,
): Promise<ArchivePlan> {
  const give = namer(platformOf[kind])
  const layout = layOut()
  const out = leftOut()
  const blocks: PlannedBlock[] = []
  const renamed = new Map<number, string | undefined>()
  let first = 0
  let unread = 0
  let weight = 1_000

  for await (const { at, files } of packageFiles(cx, pkg)) {
    const entries: ArchiveEntry[] = []
    for (const [index, file] of files.entries()) {
      if (isLeftOut(file)) {
        out.note(file)
        continue
      }
      const { name, isPlain } = give(file)
      if (!isPlain) {
        renamed.set(first + index, name)
        weight += 100 + (name?.length ?? 0)
      }
      if (name === undefined) continue
      out.hear(name)
      if (file.kind === 'file' && file.crc32 === null) unread += 1
      entries.push(entryOf(file, name))
    }
    layout.add(entries)
    blocks.push({ at, first, digest: digestOf(entries) })
    first += files.length
    weight += 300
  }

  const text = out.finish()
  const note = text && { ...text, size: text.text.length, modified: pkg.created_at, from: { text: text.text } }
  if (note !== undefined) {
    layout.add([note])
    weight += note.size
  }
  const etag = createHash('sha256')
    .update(JSON.stringify([formatVersion, kind, blocks.map(({ digest }) => digest), note && digestOf([note])]))
    .digest('base64url')
  return { kind, layout: layout.finish(), etag: `"${etag}"`, unread, blocks, renamed, note, weight }
}

/** The entries of a block that was read again, by the names that the plan gave them. */
export function entriesOf(plan: ArchivePlan, block: PlannedBlock, files: readonly PackageFile[]): ArchiveEntry[] {
  const plain = plainNames(platformOf[plan.kind])
  const named = (file: Given, index: number) =>
    plan.renamed.has(block.first + index) ? plan.renamed.get(block.first + index) : plain(file)
  return files.flatMap((file, index) => {
    const name = isLeftOut(file) ? undefined : named(file, index)
    return name === undefined ? [] : [entryOf(file, name)]
  })
}

const entryOf = (file: PackageFile, name: string): ArchiveEntry => ({
  name,
  size: file.size ?? 0,
  crc32: file.crc32 === null ? 0 : Number.parseInt(file.crc32, 16),
  modified: file.last_modified,
  from: file.object_key === null ? undefined : { objectKey: file.object_key },
})

/** Over all that the archive says of these entries: with the same digest they have the same bytes. */
export const digestOf = (entries: readonly Entry[]): string =>
  hash(
    'sha256',
    entries.map(({ name, size, crc32, modified }) => `${name}\0${size}\0${crc32}\0${modified.getTime()}\n`).join(''),
    'base64url',
  )
