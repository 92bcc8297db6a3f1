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

// Workers that start together would trip over each other: what one is about to drop, another has dropped.
const partitionsInTurn = (tx: Tx) => tx.rows(sql`select pg_advisory_xact_lock(hashtext('event-partitions'))`)

/** Makes the partitions of the coming days. A day that has one already is left alone. */
export const makeEventPartitions = async (tx: Tx, days: number): Promise<void> => {
  await partitionsInTurn(tx)
  await tx.rows(sql`select make_event_partitions(${days}::integer)`)
}

/** Drops the partitions of days that are over for so long. Dropping leaves no dead rows behind. */
export const dropEventPartitions = async (tx: Tx, olderThanDays: number): Promise<void> => {
  await partitionsInTurn(tx)
  await tx.rows(sql`select drop_event_partitions(${olderThanDays}::integer)`)
}
