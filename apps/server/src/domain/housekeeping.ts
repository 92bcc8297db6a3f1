import type { Cx } from '#domain/cx'
import { dropDayPartitions, makeDayPartitions } from '#store/events'
import { forgetUnusedResponses } from '#store/form-responses'
import { forgetOldIdempotencyKeys } from '#store/idempotency'
import { forgetOldNotices } from '#store/notices'
import { dropEmptyCounts, takeFolding } from '#store/package-counts'
import { forgetOldReconciliations } from '#store/reconciliations'
import { forgetOldTransferKeys } from '#store/transfers'

const daysAhead = 14
const daysKept = 90

// A job that nobody took is given up by the queue after 14 days.
const noticeDaysKept = 30

// Whoever has not tried a transfer again within a week can start a new one.
const transferKeyDaysKept = 7

/** Makes room for the events and deliveries of the coming days, and drops what is too old to be asked for. */
export async function tidy(cx: Pick<Cx, 'db'>): Promise<void> {
  for (const table of ['events', 'deliveries'] as const) {
    await cx.db.transaction((tx) => makeDayPartitions(tx, table, daysAhead))
    await cx.db.transaction((tx) => dropDayPartitions(tx, table, daysKept))
  }
  await cx.db.transaction((tx) => forgetOldIdempotencyKeys(tx))
  await cx.db.transaction((tx) => forgetUnusedResponses(tx))
  await cx.db.transaction((tx) => forgetOldNotices(tx, noticeDaysKept))
  // A count of nothing must not go while a fold is about to add to it; where one is under way the next hour will do.
  await cx.db.transaction(async (tx) => {
    if (await takeFolding(tx)) await dropEmptyCounts(tx)
  })
  await cx.db.transaction((tx) => forgetOldReconciliations(tx, daysKept))
  await cx.db.transaction((tx) => forgetOldTransferKeys(tx, transferKeyDaysKept))
}
