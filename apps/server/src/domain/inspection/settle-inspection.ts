import { manyFiles } from '#domain/archives/kept-plans'
import type { Cx } from '#domain/cx'
import type { Tx } from '#platform/db'
import { mailIncident, planArchives } from '#queue/orders'
import { orderFreeze } from '#store/frozen-files'
import { inspectionOf } from '#store/inspections'
import { packageById } from '#store/packages'

/**
 * Once a package is finalized and every file of it inspected, its list is what it will be for good: it can be frozen,
 * its archives can be laid out, and whoever is to know hears of files that were found bad. Takes the lock of the package for granted.
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
  const { total_files: files = 0 } = (await packageById(tx, teamId, packageId)) ?? {}
  if (files >= manyFiles) await cx.queue.enqueue(tx, planArchives, [{ teamId, packageId }])
  if (flagged) await cx.queue.enqueue(tx, mailIncident, [{ teamId, packageId }])
}
