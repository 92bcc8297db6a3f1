import { type Reads, sql, type Tx } from '#platform/db'

export interface Tally {
  readonly objects: number
  readonly files: number
  readonly orphans: number
  readonly orphan_bytes: number
  readonly orphan_uploads: number
  /** Of both, what was really removed. */
  readonly removed: number
  readonly missing: number
  readonly foreign_objects: number
}

export interface Reconciliation extends Tally {
  readonly id: string
  readonly repairing: boolean
  readonly position: string
  readonly started_at: Date
  readonly finished_at: Date | null
}

const columns = sql`id, repairing, position, objects, files, orphans, orphan_bytes, orphan_uploads, removed,
  missing, foreign_objects, started_at, finished_at`

/** Takes over a run of the same kind that somebody began lately and is no longer at. */
export const resumeReconciliation = (tx: Tx, repairing: boolean, hours: number) =>
  tx.row<Reconciliation>(sql`
    update reconciliations set touched_at = now()
     where id = (select id from reconciliations
                  where finished_at is null and repairing = ${repairing} and older_than_hours = ${hours}
                    and started_at > now() - interval '7 days' and touched_at < now() - interval '5 minutes'
                  order by started_at desc
                  limit 1
                    for update skip locked)
    returning ${columns}
  `)

export const beginReconciliation = (tx: Tx, id: string, repairing: boolean, hours: number) =>
  tx.row<Reconciliation>(sql`
    insert into reconciliations (id, repairing, older_than_hours) values (${id}, ${repairing}, ${hours})
    returning ${columns}
  `)

export const noteProgress = (tx: Tx, id: string, position: string, tally: Tally, finished: boolean) =>
  tx.run(sql`
    update reconciliations
       set position = ${position}, objects = ${tally.objects}, files = ${tally.files}, orphans = ${tally.orphans},
           orphan_bytes = ${tally.orphan_bytes}, orphan_uploads = ${tally.orphan_uploads}, removed = ${tally.removed},
           missing = ${tally.missing},           foreign_objects = ${tally.foreign_objects}, touched_at = now(),
           finished_at = case when ${finished}::boolean then now() end
     where id = ${id}
  `)

export const lastReconciliation = (reads: Reads) =>
  reads.row<Reconciliation>(
    sql`select ${columns} from reconciliations where finished_at is not null order by started_at desc limit 1`,
  )

export const forgetOldReconciliations = (tx: Tx, days: number) =>
  tx.run(sql`delete from reconciliations where started_at < now() - make_interval(days => ${days})`)
