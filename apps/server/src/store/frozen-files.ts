import { type Reads, sql, type Tx } from '#platform/db'
import type { FileName } from './owned-files.ts'
import type { PackageName } from './packages.ts'

export interface FrozenBlock {
  readonly first_id: string
  readonly last_id: string
  readonly data: Buffer
}

/** The block that holds this file if any does. */
export const blockAround = (reads: Reads, teamId: string, packageId: string, fileId: string) =>
  reads.row<FrozenBlock>(sql`
    select first_id, last_id, data from frozen_files
     where team_id = ${teamId} and package_id = ${packageId} and first_id <= ${fileId}
     order by first_id desc
     limit 1
  `)

export const insertBlock = (
  tx: Tx,
  teamId: string,
  packageId: string,
  block: FrozenBlock & { readonly entries: number },
) =>
  tx.run(sql`
    insert into frozen_files (team_id, package_id, first_id, last_id, entries, data)
    values (${teamId}, ${packageId}, ${block.first_id}, ${block.last_id}, ${block.entries}, ${block.data})
  `)

export interface BlockOfPackage extends FrozenBlock {
  readonly team_id: string
  readonly package_id: string
}

/** Blocks of some packages, by package as given and then by id, from the one that reaches behind the place given. */
export const blocksOfPackages = (
  reads: Reads,
  packages: readonly PackageName[],
  after: { readonly package_id: string; readonly id: string } | undefined,
  limit: number,
) =>
  reads.rows<BlockOfPackage>(sql`
    with wanted as (
      select * from unnest(${packages.map((pkg) => pkg.teamId)}::uuid[], ${packages.map((pkg) => pkg.packageId)}::uuid[])
        with ordinality as w (team_id, package_id, place)
    )
    select b.team_id, b.package_id, b.first_id, b.last_id, b.data
      from wanted w
      join frozen_files b on b.team_id = w.team_id and b.package_id = w.package_id
     where (w.place, b.last_id) > (coalesce((select place from wanted where package_id = ${after?.package_id}::uuid), 0),
                                   coalesce(${after?.id}::uuid, '00000000-0000-0000-0000-000000000000'))
     order by w.place, b.first_id
     limit ${limit}
  `)

/** The blocks of living packages that hold these files, if any do. */
export const blocksAroundFiles = (reads: Reads, files: readonly FileName[]) =>
  reads.rows<BlockOfPackage>(sql`
    select distinct on (b.team_id, b.package_id, b.first_id) b.team_id, b.package_id, b.first_id, b.last_id, b.data
      from unnest(${files.map((file) => file.teamId)}::uuid[], ${files.map((file) => file.packageId)}::uuid[],
                  ${files.map((file) => file.fileId)}::uuid[]) as w (team_id, package_id, id)
      join packages p on p.team_id = w.team_id and p.id = w.package_id and p.state in ('new', 'finalized')
      join lateral (
        select * from frozen_files b
         where b.team_id = w.team_id and b.package_id = w.package_id and b.first_id <= w.id
         order by b.first_id desc
         limit 1
      ) b on b.last_id >= w.id
  `)

export const deleteBlocksOf = (tx: Tx, packages: readonly PackageName[]) =>
  tx.run(sql`
    delete from frozen_files b
     using unnest(${packages.map((pkg) => pkg.teamId)}::uuid[], ${packages.map((pkg) => pkg.packageId)}::uuid[])
             as w (team_id, package_id)
     where b.team_id = w.team_id and b.package_id = w.package_id
  `)

/** Notes that the list of a package can be frozen, after so many seconds. */
export const orderFreeze = (tx: Tx, teamId: string, packageId: string, afterSeconds: number) =>
  tx.run(sql`
    insert into freezes (team_id, package_id, due)
    values (${teamId}, ${packageId}, now() + make_interval(secs => ${afterSeconds}))
    on conflict do nothing
  `)

/** Takes packages whose lists are to be frozen now. For so many seconds nobody else takes them. */
export const takeFreezes = (tx: Tx, limit: number, leaseSeconds: number) =>
  tx.rows<{ team_id: string; package_id: string }>(sql`
    update freezes f
       set due = now() + make_interval(secs => ${leaseSeconds})
      from (select team_id, package_id from freezes
             where due <= now()
             order by due
             limit ${limit}
               for update skip locked) t
     where f.team_id = t.team_id and f.package_id = t.package_id
    returning f.team_id, f.package_id
  `)

export const settleFreeze = (tx: Tx, teamId: string, packageId: string) =>
  tx.run(sql`delete from freezes where team_id = ${teamId} and package_id = ${packageId}`)
