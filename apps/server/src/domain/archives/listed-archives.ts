import type { Cx } from '#domain/cx'
import { showTime } from '#domain/times'
import type { PackageRow } from '#store/packages'
import { archiveId, archiveKinds, archiveName } from './kinds.ts'

// To tell the size of an archive its whole list is read once more, and every name remembered for a while. A list of a
// million files must not cost that: its archives have a size as soon as a worker has laid them out.
const mostSized = 20_000

/** The archives of a package as its file list shows them. An open package has none: its files may still change. */
export async function listedArchives(cx: Pick<Cx, 'db' | 'archives'>, pkg: PackageRow) {
  if (pkg.state !== 'finalized') return []
  return Promise.all(
    archiveKinds.map(async (kind) => {
      const plan = await cx.archives[pkg.total_files > mostSized ? 'planAtHand' : 'plan'](cx, pkg, kind)
      return {
        id: archiveId(pkg.id, kind),
        kind,
        name: archiveName(pkg.name),
        path: '',
        ...(plan === undefined ? {} : { size: plan.layout.size }),
        last_modified: showTime(pkg.created_at),
        virus_detected: false,
      }
    }),
  )
}
