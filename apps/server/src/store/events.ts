import { sql, type Tx } from '#platform/db'

export interface NewEvent {
  readonly id: string
  readonly teamId: string
  readonly packageId: string
  /** Null for a package that the Team sends. */
  readonly portalId: string | null
  readonly type: string
  readonly object: Readonly<Record<string, unknown>>
}

/**
 * Writes events, and for each a delivery to every webhook that wants it: those of the Portal for its packages, those of
 * the Team for the others. Answers how many deliveries that made.
 *
 * One statement, so that a Team without webhooks pays one look into an index for them. The body is put together here
 * once and for all; what is changed at the webhook afterwards does not reach back.
 */
export const insertEvents = (tx: Tx, events: readonly NewEvent[]): Promise<number> =>
  tx.run(sql`
    with e as (
      select * from unnest(
        ${events.map((e) => e.id)}::uuid[], ${events.map((e) => e.teamId)}::uuid[],
        ${events.map((e) => e.packageId)}::uuid[], ${events.map((e) => e.portalId)}::uuid[],
        ${events.map((e) => e.type)}::text[], ${events.map((e) => JSON.stringify(e.object))}::text[]
      ) as e (id, team_id, package_id, portal_id, type, object)
    ), written as (
      insert into events (id, team_id, package_id, type, object)
      select id, team_id, package_id, type, object::jsonb from e
    )
    insert into deliveries (id, team_id, webhook_id, event_id, event_type, package_id, body)
    select new_id(), w.team_id, w.id, e.id, e.type, e.package_id, ${eventBody}
      from e join webhooks w on w.team_id = e.team_id
     where w.active and e.type = any(w.events)
       and (e.portal_id is null or exists (
             select 1 from portal_webhooks a
              where a.team_id = w.team_id and a.portal_id = e.portal_id and a.webhook_id = w.id))
  `)

// Nothing in it needs escaping but the two pieces that are JSON already.
const eventBody = sql`
  '{"event_id":"' || e.id || '","event_time":"'
    || to_char(now()::timestamptz(3) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    || '","event_type":"' || e.type || '","body_extras":' || w.body_extras || ',"object":' || e.object
    || ',"custom_webhook_id":"' || w.id || '"}'`

/** Tables that have a partition for every day. */
export type DailyTable = 'events' | 'deliveries'

// Workers that start together would trip over each other: what one is about to drop, another has dropped.
const partitionsInTurn = (tx: Tx) => tx.rows(sql`select pg_advisory_xact_lock(hashtext('day-partitions'))`)

/** Makes the partitions of the coming days. A day that has one already is left alone. */
export const makeDayPartitions = async (tx: Tx, table: DailyTable, days: number): Promise<void> => {
  await partitionsInTurn(tx)
  await tx.rows(sql`select make_day_partitions(${table}::text, ${days}::integer)`)
}

/** Drops the partitions of days that are over for so long. Dropping leaves no dead rows behind. */
export const dropDayPartitions = async (tx: Tx, table: DailyTable, olderThanDays: number): Promise<void> => {
  await partitionsInTurn(tx)
  await tx.rows(sql`select drop_day_partitions(${table}::text, ${olderThanDays}::integer)`)
}
