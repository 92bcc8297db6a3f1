import type { Cx } from '#domain/cx'
import { filesOfPackages, type OwnedFile } from '#store/owned-files'
import type { PackageName } from '#store/packages'

const batch = 2_000

/** Every file of some packages that has a place in the store, by package as given and then by id, whatever their number. */
export async function* storedFilesOf(
  cx: Pick<Cx, 'db'>,
  packages: readonly PackageName[],
  after?: { readonly package_id: string; readonly id: string },
): AsyncGenerator<OwnedFile> {
  let place = after
  while (true) {
    const files = await filesOfPackages(cx.db, packages, place, batch)
    yield* files
    if (files.length < batch) return
    place = files.at(-1)
  }
}
