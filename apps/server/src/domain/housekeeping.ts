import type { Cx } from '#domain/cx'
import { dropEventPartitions, makeEventPartitions } from '#store/events'
import { forgetOldIdempotencyKeys } from '#store/idempotency'

const eventDaysAhead = 14
const eventDaysKept = 90

/** Makes room for the events of the coming days, and drops what is too old to be asked for. */
export async function tidy(cx: Pick<Cx, 'db'>): Promise<void> {
  await cx.db.transaction((tx) => makeEventPartitions(tx, eventDaysAhead))
  await cx.db.transaction((tx) => dropEventPartitions(tx, eventDaysKept))
  await cx.db.transaction((tx) => forgetOldIdempotencyKeys(tx))
}
