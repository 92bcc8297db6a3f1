import type { Reads } from '#platform/db'
import { type PackageFile, packageFilesAfter } from '#store/files'
import type { PackageRow } from '#store/packages'

export type { PackageFile } from '#store/files'

type PackageKey = Pick<PackageRow, 'team_id' | 'id'>

/** A piece of the file list, always the same one at the same place. */
export interface FileBlock {
  /** Where it begins. */
  readonly at: Place
  readonly files: readonly PackageFile[]
}

/** Behind which file a block begins; undefined for the first one. */
export type Place = string | undefined

const blockLength = 1_000

/** All files and directories of a package in the order in which they were added. */
export async function* packageFiles(cx: { readonly db: Reads }, pkg: PackageKey): AsyncGenerator<FileBlock> {
  let at: Place
  let next = fileBlock(cx, pkg, at)
  while (true) {
    const block = await next
    const last = block.files.at(-1)
    const isLast = last === undefined || block.files.length < blockLength
    if (!isLast) {
      // The database looks for the next ones while these are worked on.
      at = last.id
      next = fileBlock(cx, pkg, at)
      next.catch(() => {})
    }
    yield block
    if (isLast) return
  }
}

/** The one block that begins there. */
export const fileBlock = async (cx: { readonly db: Reads }, pkg: PackageKey, at: Place): Promise<FileBlock> => ({
  at,
  files: await packageFilesAfter(cx.db, pkg.team_id, pkg.id, at, blockLength),
})
