import { authorizeForPackage, packageExpired } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import { listedArchives } from '#domain/archives/listed-archives'
import type { Cx } from '#domain/cx'
import type { PackageRow } from '#store/packages'
import { listedText } from './package-files.ts'

/** The file list as JSON text in pieces, so that a million files take no more memory than a thousand. */
export async function listFiles(
  cx: Pick<Cx, 'db' | 'archives'>,
  caller: Caller,
  packageId: string,
): Promise<AsyncIterable<string | Buffer>> {
  const { pkg } = await authorizeForPackage(cx, caller, 'file.list', packageId)
  if (pkg.state === 'expired' || pkg.state === 'archived') throw packageExpired(packageId)
  return pieces(cx, pkg)
}

async function* pieces(cx: Pick<Cx, 'db' | 'archives'>, pkg: PackageRow): AsyncGenerator<string | Buffer> {
  let before = '['
  for await (const entries of listedText(cx, pkg)) {
    yield before
    yield entries
    before = ','
  }
  for (const archive of await listedArchives(cx, pkg)) {
    yield before + JSON.stringify(archive)
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}
