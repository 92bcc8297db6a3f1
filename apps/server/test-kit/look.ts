import type { Cx } from '#domain/cx'
import { sql } from '#platform/db'

export interface QueuedJob {
  readonly order: string
  readonly payload: unknown
  /** How long after the order it is to be done. */
  readonly afterSeconds: number
}

/** Every job that was ordered and not yet begun, in the order of their time. */
export const queuedJobs = (cx: Pick<Cx, 'db'>): Promise<QueuedJob[]> =>
  cx.db.rows<QueuedJob>(sql`
    select name as order, data as payload,
           round(extract(epoch from start_after - created_on))::integer as "afterSeconds"
      from queue.job where state = 'created' order by start_after, created_on, id
  `)

/** How far the jobs of an order are. */
export const jobStates = async (cx: Pick<Cx, 'db'>, order: string): Promise<string[]> =>
  (await cx.db.rows<{ state: string }>(sql`select state::text from queue.job where name = ${order}`)).map(
    ({ state }) => state,
  )

export interface WrittenEvent {
  readonly type: string
  readonly object: Readonly<Record<string, unknown>>
}

/** The events of a package, in the order they were written. */
export const eventsOf = (cx: Pick<Cx, 'db'>, packageId: string): Promise<WrittenEvent[]> =>
  cx.db.rows<WrittenEvent>(sql`select type, object from events where package_id = ${packageId} order by id`)

export const packageRow = (cx: Pick<Cx, 'db'>, id: string) =>
  cx.db.row<{ state: string; size: number; total_files: number; downloads: number }>(
    sql`select state, size, total_files, downloads from packages where id = ${id}`,
  )

export const fileRows = (cx: Pick<Cx, 'db'>, packageId: string) =>
  cx.db.rows<{ id: string; path: string; name: string; state: string; size: number | null }>(
    sql`select id, path, name, state, size from files where package_id = ${packageId} order by path, name`,
  )

/** The one transfer that there is, and whether somebody may take it. */
export const onlyTransfer = (cx: Pick<Cx, 'db'>) =>
  cx.db.row<{ state: string; error: string; due: boolean }>(
    sql`select state, error, coalesce(due <= now(), false) as due from transfers`,
  )
