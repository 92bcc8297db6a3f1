import { plannedAnew, type Reads, type Sql, sql, type Tx } from '#platform/db'
import { packagesOf } from './packages.ts'

/** The sums that lists are answered from, of whatever is given with one column for each dimension. */
const sums = (source: Sql): Sql => sql`
  select team_id, received, portal_id,
         case when grouping(kept_days) = 0 then 'kept'
              when grouping(expiry_day) = 0 then 'expiry'
              when grouping(month) = 0 then 'sender-month'
              when grouping(created_day) = 0 and grouping(tag_id) = 0 then 'tag-created'
              when grouping(created_day) = 0 and grouping(teamspace_id) = 0 then 'space-created'
              when grouping(created_day) = 0 then 'created'
              when grouping(tag_id) = 0 then 'space-tag'
              else 'all' end as shape,
         state, teamspace_id, tag_id, sender, coalesce(created_day, month, expiry_day) as day, kept_days,
         sum(n)::bigint as n
    from (${source}) counted
   group by team_id, received, state, grouping sets (
              (), (portal_id),
              (created_day), (portal_id, created_day), (teamspace_id, created_day), (tag_id, created_day),
              (teamspace_id, tag_id), (sender, month),
              (expiry_day), (portal_id, expiry_day),
              (kept_days), (portal_id, kept_days))
  having sum(n) <> 0
     and (grouping(portal_id) = 1 or portal_id is not null)
     and (grouping(tag_id) = 1 or grouping(created_day) = 1 or tag_id is not null)`

const ofDeltas = (deltas: Sql): Sql => sql`
  select team_id, portal_id is not null as received, portal_id, state, teamspace_id, tag_id, sender, created_day,
         date_trunc('month', created_day)::date as month, expiry_day, kept_days, n
    from ${deltas} d`

const ofPackages = (teamId: string): Sql => sql`
  select team_id, received, portal_id, state, teamspace_id, tag_id, sender_key as sender,
         (created_at at time zone 'UTC')::date as created_day,
         date_trunc('month', created_at at time zone 'UTC')::date as month,
         (expiry at time zone 'UTC')::date as expiry_day, kept_days, 1 as n
    from ${packagesOf(teamId)}
   where team_id = ${teamId}`

const key = sql`team_id, received, portal_id, shape, state, teamspace_id, tag_id, sender, day, kept_days`

const addUp = (rows: Sql): Sql => sql`
  insert into package_counts as c (${key}, n) ${rows}
  on conflict (${key}) do update set n = c.n + excluded.n`

// Any number, as long as nothing else takes the same.
const foldLock = 7_210_332

/** Keeps others from folding until the transaction ends. Returns false when somebody else is at it. */
export const takeFolding = async (tx: Tx): Promise<boolean> =>
  (await tx.row<{ taken: boolean }>(sql`select pg_try_advisory_xact_lock(${foldLock}) as taken`))?.taken === true

/**
 * Moves waiting deltas into the counts. Answers how many.
 *
 * One statement takes them away here and adds them there, so whoever reads both in one statement sees each exactly once.
 */
export const foldDeltas = async (tx: Tx, limit: number): Promise<number> =>
  (
    await tx.row<{ taken: number }>(sql`
      with taken as (
        delete from package_deltas d
         using (select team_id, id from package_deltas order by team_id, id limit ${limit}) oldest
         where d.team_id = oldest.team_id and d.id = oldest.id
        returning d.*
      ), added as (${addUp(sums(ofDeltas(sql`taken`)))})
      select count(*)::integer as taken from taken
    `)
  )?.taken ?? 0

/** Counts of nothing are worth nothing. Never beside a fold, which may be about to add to one. */
export const dropEmptyCounts = (tx: Tx) => tx.run(sql`delete from package_counts where n = 0`)

/** What the counts of a Team lack to be what its packages add up to. Nothing, if all is well. */
const missing = (teamId: string): Sql => sql`
  select ${key}, sum(n)::bigint as n
    from (${sums(ofPackages(teamId))}
          union all
          select ${key}, -n from package_counts where team_id = ${teamId}
          union all
          select ${key}, -n from (${sums(ofDeltas(sql`(select * from package_deltas where team_id = ${teamId})`))}) waiting
         ) compared
   group by ${key}
  having sum(n) <> 0`

export interface WrongCount {
  readonly shape: string
  readonly state: string
  readonly day: string | null
  /** How many too few; too many, if negative. */
  readonly missing: number
}

export const wrongCounts = (reads: Reads, teamId: string) =>
  reads.rows<WrongCount>(
    plannedAnew(sql`
      select shape, state, day::text, n as missing from (${missing(teamId)}) wrong order by shape, day, state limit 20
    `),
  )

/** Adds to the counts of a Team what they lack. Answers how many were wrong. Changes may go on meanwhile. */
export const mendCounts = (tx: Tx, teamId: string) => tx.run(plannedAnew(addUp(missing(teamId))))

/**
 * Lets the statements of this transaction sum up a large Team in memory, in one pass. Left to itself the planner expects
 * far more different sums than there are, and sorts ten million rows five times over.
 */
export async function sumInMemory(tx: Tx): Promise<void> {
  await tx.run(sql`set local work_mem = '512MB'`)
  await tx.run(sql`set local enable_sort = off`)
}
