import type { Cx } from '#domain/cx'
import { recordEvents } from '#domain/events/record-event'
import type { Tx } from '#platform/db'
import { purgePackage } from '#queue/orders'
import type { PackageRow } from '#store/packages'

// A body may still be on its way when its address expires, and stores take it: the second pass leaves it this long.
const slowestBodySeconds = 3600

/** What is deleted is removed twice: now, and when no upload address that was handed out can bring it back. */
export const removalPasses = (cx: Pick<Cx, 'settings'>) => [
  { last: false, afterSeconds: 0 },
  { last: true, afterSeconds: cx.settings.uploadUrlSeconds + slowestBodySeconds },
]

/** Tells of the end of packages and orders the removal of their objects, in the transaction that ended them. */
export async function settleEnd(
  cx: Pick<Cx, 'queue' | 'settings'>,
  tx: Tx,
  event: 'package.expired' | 'package.deleted',
  packages: readonly PackageRow[],
): Promise<void> {
  await recordEvents(tx, event, packages)
  for (const { last, afterSeconds } of removalPasses(cx)) {
    const payloads = packages.map(({ team_id, id }) => ({ teamId: team_id, packageId: id, last }))
    await cx.queue.enqueue(tx, purgePackage, payloads, { afterSeconds })
  }
}
