import type { Cx } from '#domain/cx'
import type { Tx } from '#platform/db'
import { purgePackage } from '#queue/orders'
import type { PackageKey } from '#store/packages'

// A body may still be on its way when its address expires, and stores take it: the second pass leaves it this long.
const slowestBodySeconds = 3600

/** What is deleted is removed twice: now, and when no upload address that was handed out can bring it back. */
export const removalPasses = (cx: Pick<Cx, 'settings'>) => [
  { last: false, afterSeconds: 0 },
  { last: true, afterSeconds: cx.settings.uploadUrlSeconds + slowestBodySeconds },
]

/** Orders the removal of ended packages' objects, in the transaction that ends them. */
export async function orderPurge(
  cx: Pick<Cx, 'queue' | 'settings'>,
  tx: Tx,
  packages: readonly PackageKey[],
): Promise<void> {
  for (const { last, afterSeconds } of removalPasses(cx)) {
    const payloads = packages.map(({ team_id, id }) => ({ teamId: team_id, packageId: id, last }))
    await cx.queue.enqueue(tx, purgePackage, payloads, { afterSeconds })
  }
}
