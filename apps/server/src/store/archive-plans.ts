import { type Reads, sql, type Tx } from '#platform/db'
import type { PackageName } from './packages.ts'

interface PlanName extends PackageName {
  readonly kind: string
  readonly format: number
}

export const archivePlan = async (reads: Reads, { teamId, packageId, kind, format }: PlanName) =>
  (
    await reads.row<{ data: Buffer }>(sql`
      select data from archive_plans
       where team_id = ${teamId} and package_id = ${packageId} and kind = ${kind} and format = ${format}
    `)
  )?.data

export const keepArchivePlan = (tx: Tx, { teamId, packageId, kind, format }: PlanName, data: Buffer) =>
  tx.run(sql`
    insert into archive_plans (team_id, package_id, kind, format, data)
    values (${teamId}, ${packageId}, ${kind}, ${format}, ${data})
    on conflict (team_id, package_id, kind) do update set format = excluded.format, data = excluded.data
  `)

export const deleteArchivePlansOf = (tx: Tx, packages: readonly PackageName[]) =>
  tx.run(sql`
    delete from archive_plans a
     using unnest(${packages.map((pkg) => pkg.teamId)}::uuid[], ${packages.map((pkg) => pkg.packageId)}::uuid[])
             as w (team_id, package_id)
     where a.team_id = w.team_id and a.package_id = w.package_id
  `)
