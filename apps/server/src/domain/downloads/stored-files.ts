import type { Cx } from '#domain/cx'
import { type BlockOfPackage, blocksAroundFiles, blocksOfPackages } from '#store/frozen-files'
import { type FileName, filesOfPackages, livingFiles, type OwnedFile } from '#store/owned-files'
import type { PackageName } from '#store/packages'
import { thawBlock } from './frozen-block.ts'

const batch = 2_000
const blocksAtOnce = 8

interface Place {
  readonly package_id: string
  readonly id: string
}

/**
 * Every live file of some packages that has a place in the store, by package as given and then by id, whatever their
 * number. What is frozen meanwhile is in neither of the two, or in both: whoever minds looks again.
 */
export async function* liveFilesOf(
  cx: Pick<Cx, 'db'>,
  packages: readonly PackageName[],
  after?: Place,
): AsyncGenerator<OwnedFile> {
  let place = after
  while (true) {
    const files = await filesOfPackages(cx.db, packages, place, batch)
    yield* files
    if (files.length < batch) return
    place = files.at(-1)
  }
}

/** The same of frozen files. */
export async function* frozenFilesOf(
  cx: Pick<Cx, 'db'>,
  packages: readonly PackageName[],
  after?: Place,
): AsyncGenerator<OwnedFile> {
  let place = after
  while (true) {
    const blocks = await blocksOfPackages(cx.db, packages, place, blocksAtOnce)
    for (const file of blocks.flatMap(filesOfBlock)) {
      if (file.package_id !== place?.package_id || file.id > place.id) yield file
    }
    const last = blocks.at(-1)
    if (last === undefined || blocks.length < blocksAtOnce) return
    place = { package_id: last.package_id, id: last.last_id }
  }
}

const filesOfBlock = ({ team_id, package_id, data }: BlockOfPackage): OwnedFile[] =>
  thawBlock(data).flatMap(({ id, object_key, size }) =>
    object_key === null ? [] : [{ team_id, package_id, id, object_key, size, finalized: true, upload_id: null }],
  )

/** Those of the given files that a living package has at this moment. */
export async function ownedAmong(cx: Pick<Cx, 'db'>, names: readonly FileName[]): Promise<readonly OwnedFile[]> {
  if (names.length === 0) return []
  const wanted = new Set(names.map(({ fileId }) => fileId))
  // In this order: what is frozen between the two is seen twice, and not missed.
  const live = await livingFiles(cx.db, names)
  const frozen = (await blocksAroundFiles(cx.db, names)).flatMap(filesOfBlock).filter(({ id }) => wanted.has(id))
  return [...new Map([...live, ...frozen].map((file) => [file.id, file])).values()]
}
