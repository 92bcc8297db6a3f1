import { LRUCache } from 'lru-cache'
import type { Reads } from '#platform/db'
import { filesById, type FileRow, nextInList, type PackageFile } from '#store/files'
import { blockAround } from '#store/frozen-files'
import { shownText, thawBlock } from './frozen-block.ts'
import { presentListedFile } from './present.ts'

interface PackageKey {
  readonly team_id: string
  readonly id: string
}

const blockLength = 1_000

/** Behind which file a block begins; undefined for the first one. */
export type Place = string | undefined

/** A piece of the file list, always the same one at the same place. */
export interface FileBlock {
  readonly at: Place
  readonly files: readonly PackageFile[]
}

interface Piece<Content> {
  readonly at: Place
  readonly content: Content
  /** Where the next one begins; undefined behind the last. */
  readonly next: Place
}

/**
 * The piece of a package's file list that begins behind a file. Whether the list is frozen, live, or being frozen at this
 * moment makes no difference: frozen blocks end where live ones do.
 */
async function pieceAt<Content>(
  db: Reads,
  pkg: PackageKey,
  at: Place,
  read: { frozen(block: Buffer): Content; live(files: readonly FileRow[]): Content },
): Promise<Piece<Content>> {
  const found = await nextInList(db, pkg.team_id, pkg.id, at, blockLength)
  const block = found[0]?.frozen ?? null
  return {
    at,
    content: block === null ? read.live(found) : read.frozen(block),
    next: block === null && found.length < blockLength ? undefined : found.at(-1)?.id,
  }
}

/** All pieces in order. The database looks for the next one while one is worked on. */
async function* piecesOf<Content>(
  db: Reads,
  pkg: PackageKey,
  read: { frozen(block: Buffer): Content; live(files: readonly FileRow[]): Content },
): AsyncGenerator<Piece<Content>, void, void> {
  let coming: Promise<Piece<Content>> | undefined = pieceAt(db, pkg, undefined, read)
  while (coming !== undefined) {
    const piece: Piece<Content> = await coming
    coming = piece.next === undefined ? undefined : pieceAt(db, pkg, piece.next, read)
    coming?.catch(() => {})
    yield piece
  }
}

const asFiles = { frozen: thawBlock, live: (files: readonly FileRow[]): readonly PackageFile[] => files }

const asText = {
  frozen: (block: Buffer): string | Buffer<ArrayBuffer> => shownText(block),
  live: (files: readonly FileRow[]): string | Buffer<ArrayBuffer> =>
    files.map((file) => JSON.stringify(presentListedFile(file))).join(','),
}

/**
 * The file list of a package in the order in which the files were added. A million files take no more memory than a
 * thousand.
 */
export async function* packageFiles(
  cx: { readonly db: Reads },
  pkg: PackageKey,
): AsyncGenerator<FileBlock, void, void> {
  for await (const { at, content } of piecesOf(cx.db, pkg, asFiles)) yield { at, files: content }
}

/** The one block that begins there. */
export async function fileBlock(cx: { readonly db: Reads }, pkg: PackageKey, at: Place): Promise<FileBlock> {
  return { at, files: (await pieceAt(cx.db, pkg, at, asFiles)).content }
}

/**
 * The same as the list shows it: JSON text, with commas between the entries of a piece. A piece is good until the next
 * one is asked for.
 */
export async function* listedText(
  cx: { readonly db: Reads },
  pkg: PackageKey,
): AsyncGenerator<string | Buffer<ArrayBuffer>, void, void> {
  for await (const { content } of piecesOf(cx.db, pkg, asText)) {
    if (content.length > 0) yield content
    // A thousand blocks are a quarter of a gigabyte, which would wait for a collection that so few objects do not cause.
    if (typeof content !== 'string') content.buffer.transfer(0)
  }
}

// A recipient asks for one file after the other: the same block again, most of the time.
const thawed = new LRUCache<string, ReadonlyMap<string, PackageFile>>({ max: 16 })

/** Those of the named files that the package has. */
export async function filesNamed(
  { db }: { readonly db: Reads },
  pkg: PackageKey,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PackageFile>> {
  const live = await filesById(db, pkg.team_id, pkg.id, ids)
  const found = new Map<string, PackageFile>(live.map((file) => [file.id, file]))
  if (found.size === ids.length) return found
  // Sorted, each block is met once.
  let block: ReadonlyMap<string, PackageFile> | undefined
  for (const id of ids.filter((one) => !found.has(one)).sort()) {
    if (block?.has(id) !== true) block = await blockWith(db, pkg, id)
    const file = block?.get(id)
    if (file !== undefined) found.set(id, file)
  }
  return found
}

async function blockWith(db: Reads, pkg: PackageKey, fileId: string) {
  const block = await blockAround(db, pkg.team_id, pkg.id, fileId)
  if (block === undefined || block.last_id < fileId) return undefined
  const name = `${pkg.id}/${block.first_id}`
  const files = thawed.get(name) ?? new Map(thawBlock(block.data).map((file) => [file.id, file]))
  thawed.set(name, files)
  return files
}
