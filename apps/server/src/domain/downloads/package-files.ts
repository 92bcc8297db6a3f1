import { LRUCache } from 'lru-cache'
import type { Cx } from '#domain/cx'
import { fileById, type FileRow, nextInList, type PackageFile } from '#store/files'
import { blockAround } from '#store/frozen-files'
import { shownText, thawBlock } from './frozen-block.ts'
import { presentListedFile } from './present.ts'

interface PackageKey {
  readonly team_id: string
  readonly id: string
}

const batch = 1_000

/**
 * The file list of a package in pieces, in the order in which the files were added. Whether it is frozen, live, or being
 * frozen at this moment makes no difference; a million files take no more memory than a thousand.
 */
async function* piecesOf<Piece>(
  cx: Pick<Cx, 'db'>,
  pkg: PackageKey,
  read: { frozen(block: Buffer): Piece; live(files: readonly FileRow[]): Piece },
): AsyncGenerator<Piece, void, void> {
  let after: string | undefined
  while (true) {
    const next = await nextInList(cx.db, pkg.team_id, pkg.id, after, batch)
    const block = next[0]?.frozen ?? null
    if (block !== null) yield read.frozen(block)
    else if (next.length > 0) yield read.live(next)
    if (block === null && next.length < batch) return
    after = next.at(-1)?.id
  }
}

export const packageFiles = (cx: Pick<Cx, 'db'>, pkg: PackageKey): AsyncGenerator<readonly PackageFile[], void, void> =>
  piecesOf<readonly PackageFile[]>(cx, pkg, { frozen: thawBlock, live: (files) => files })

/** The same as the list shows it: JSON text, with commas between the entries of a piece. */
export const listedText = (cx: Pick<Cx, 'db'>, pkg: PackageKey): AsyncGenerator<string, void, void> =>
  piecesOf(cx, pkg, {
    frozen: shownText,
    live: (files) => files.map((file) => JSON.stringify(presentListedFile(file))).join(','),
  })

// A recipient asks for one file after the other: the same block again, most of the time.
const thawed = new LRUCache<string, ReadonlyMap<string, PackageFile>>({ max: 16 })

/** One file of a package. */
export async function packageFile(
  cx: Pick<Cx, 'db'>,
  pkg: PackageKey,
  fileId: string,
): Promise<PackageFile | undefined> {
  const live = await fileById(cx.db, pkg.team_id, pkg.id, fileId)
  if (live !== undefined) return live
  const block = await blockAround(cx.db, pkg.team_id, pkg.id, fileId)
  if (block === undefined || block.last_id < fileId) return undefined
  const name = `${pkg.id}/${block.first_id}`
  let files = thawed.get(name)
  if (files === undefined) {
    files = new Map(thawBlock(block.data).map((file) => [file.id, file]))
    thawed.set(name, files)
  }
  return files.get(fileId)
}
