import type { Cx } from '#domain/cx'
import { showTime } from '#domain/times'
import type { PackageRow } from '#store/packages'
import { archiveId, archiveKinds, archiveName } from './kinds.ts'

/** The archives of a package as its file list shows them. An open package has none: its files may still change. */
export async function listedArchives(cx: Pick<Cx, 'db' | 'archives'>, pkg: PackageRow) {
  if (pkg.state !== 'finalized') return []
  return Promise.all(
    archiveKinds.map(async (kind) => ({
      id: archiveId(pkg.id, kind),
      kind,
      name: archiveName(pkg.name),
      path: '',
      size: (await cx.archives.plan(cx, pkg, kind)).layout.size,
      last_modified: showTime(pkg.created_at),
      virus_detected: false,
    })),
  )
}
