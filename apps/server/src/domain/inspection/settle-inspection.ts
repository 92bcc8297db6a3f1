import type { Cx } from '#domain/cx'
import type { Tx } from '#platform/db'
import { mailIncident } from '#queue/orders'
import { orderFreeze } from '#store/frozen-files'
import { inspectionOf } from '#store/inspections'

/**
 * Once a package is finalized and every file of it inspected, its list is what it will be for good: it can be frozen,
 * and whoever is to know hears of files that were found bad. Takes the lock of the package for granted.
 */
export async function settleInspection(
  cx: Pick<Cx, 'queue' | 'settings'>,
  tx: Tx,
  teamId: string,
  packageId: string,
): Promise<void> {
  const { complete, flagged } = await inspectionOf(tx, teamId, packageId)
  if (!complete) return
  await orderFreeze(tx, teamId, packageId, cx.settings.freezeAfterSeconds)
  if (flagged) await cx.queue.enqueue(tx, mailIncident, [{ teamId, packageId }])
}
