import { sql, type Tx } from '#platform/db'

export interface NewEvent {
  readonly id: string
  readonly teamId: string
  readonly packageId: string
  readonly type: string
  readonly object: Readonly<Record<string, unknown>>
}

export const insertEvent = (tx: Tx, event: NewEvent) =>
  tx.run(sql`
    insert into events (id, team_id, package_id, type, object)
    values (${event.id}, ${event.teamId}, ${event.packageId}, ${event.type}, ${JSON.stringify(event.object)})
  `)

/** Makes the partitions of the coming days. A day that has one already is left alone. */
export const makeEventPartitions = (tx: Tx, days: number) =>
  tx.rows(sql`select make_event_partitions(${days}::integer)`)

/** Drops the partitions of days that are over for so long. Dropping leaves no dead rows behind. */
export const dropEventPartitions = (tx: Tx, olderThanDays: number) =>
  tx.rows(sql`select drop_event_partitions(${olderThanDays}::integer)`)
