import { authorizeForPackage, packageExpired } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import { listedArchives } from '#domain/archives/listed-archives'
import type { Cx } from '#domain/cx'
import { presentListedFile } from '#domain/uploads/present'
import { filesAfter } from '#store/files'
import type { PackageRow } from '#store/packages'

const batch = 1_000

/** The file list as JSON text in pieces, so that a million files take no more memory than a thousand. */
export async function listFiles(
  cx: Pick<Cx, 'db' | 'archives'>,
  caller: Caller,
  packageId: string,
): Promise<AsyncIterable<string>> {
  const { pkg } = await authorizeForPackage(cx, caller, 'file.list', packageId)
  if (pkg.state === 'expired' || pkg.state === 'archived') throw packageExpired(packageId)
  return pieces(cx, pkg)
}

async function* pieces(cx: Pick<Cx, 'db' | 'archives'>, pkg: PackageRow): AsyncGenerator<string> {
  let after: { path: string; name: string } | undefined
  let before = '['
  while (true) {
    const files = await filesAfter(cx.db, pkg.team_id, pkg.id, after, batch)
    if (files.length > 0) {
      yield before + files.map((file) => JSON.stringify(presentListedFile(file))).join(',')
      before = ','
    }
    if (files.length < batch) break
    after = files.at(-1)
  }
  for (const archive of await listedArchives(cx, pkg)) {
    yield before + JSON.stringify(archive)
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}
