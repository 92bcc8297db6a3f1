import { type Reads, sql, type Tx } from '#platform/db'

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

export const deleteBlocks = (tx: Tx, teamId: string, packageId: string) =>
  tx.run(sql`delete from frozen_files where team_id = ${teamId} and package_id = ${packageId}`)

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
