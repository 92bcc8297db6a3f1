import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Db, Reads } from '#platform/db'
import { archivePlan, keepArchivePlan } from '#store/archive-plans'
import { packageById, type PackageName, type PackageRow } from '#store/packages'
import { type ArchiveKind, archiveKinds } from './kinds.ts'
import { type ArchivePlan, formatVersion, planArchive } from './plan.ts'

/** From so many files on a plan is worth keeping: with fewer, reading the list takes some tens of milliseconds. */
export const manyFiles = 2_000

// Where nearly every name had to be changed, the plan is as long as the list.
const heaviest = 16 * 2 ** 20

/** Works out how the archives of a package are laid out and keeps it. To be done when its list is final. */
export async function keepPlans(cx: { readonly db: Db }, { teamId, packageId }: PackageName): Promise<void> {
  for (const kind of archiveKinds) {
    const pkg = await packageById(cx.db, teamId, packageId)
    if (pkg?.state !== 'finalized') return
    const plan = await planArchive(cx, pkg, kind)
    if (plan.unread > 0 || plan.weight > heaviest) continue
    await cx.db.transaction((tx) => keepArchivePlan(tx, nameOf(pkg, kind), packed(plan)))
  }
}

export async function keptPlan(db: Reads, pkg: PackageRow, kind: ArchiveKind): Promise<ArchivePlan | undefined> {
  if (pkg.total_files < manyFiles) return undefined
  const data = await archivePlan(db, nameOf(pkg, kind))
  return data && unpacked(data)
}

const nameOf = (pkg: PackageRow, kind: ArchiveKind) => ({
  teamId: pkg.team_id,
  packageId: pkg.id,
  kind,
  format: formatVersion,
})

const packed = ({ renamed, note, ...rest }: ArchivePlan): Buffer =>
  deflateRawSync(
    JSON.stringify({
      ...rest,
      renamed: [...renamed].map(([place, name]) => [place, name ?? null]),
      note: note && { ...note, modified: note.modified.getTime(), from: textOf(note).toString('base64') },
    }),
  )

type Rest = Omit<ArchivePlan, 'renamed' | 'note'>
type Packed = Rest & {
  readonly renamed: readonly [number, string | null][]
  readonly note?: { name: string; size: number; crc32: number; modified: number; from: string }
}

function unpacked(data: Buffer): ArchivePlan {
  const { renamed, note, ...rest } = JSON.parse(inflateRawSync(data).toString()) as Packed
  return {
    ...rest,
    renamed: new Map(renamed.map(([place, name]) => [place, name ?? undefined])),
    note: note && { ...note, modified: new Date(note.modified), from: { text: Buffer.from(note.from, 'base64') } },
  }
}

function textOf({ name, from }: NonNullable<ArchivePlan['note']>): Buffer {
  if (from === undefined || !('text' in from)) throw new Error(`'${name}' is no note.`)
  return from.text
}
