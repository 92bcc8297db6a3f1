import { crashPoint } from '@longshore/kit/crash-point'
import type { Cx } from '#domain/cx'
import type { Tx } from '#platform/db'
import { addUpHandedOut } from '#store/handed-out'
import { foldDeltas, takeFolding } from '#store/package-counts'
import { addUpUsage } from '#store/usage'

const batch = 5_000

/**
 * Adds up what is read one by one until then: changes of packages, bytes handed out, usage. What is read is exact before,
 * after and in between; this only keeps it fast. Answers how much there was.
 */
export const addUp = async (cx: Pick<Cx, 'db'>, signal: AbortSignal): Promise<number> =>
  (await inBatches(cx, signal, foldDeltas)) +
  (await inBatches(cx, signal, addUpHandedOut)) +
  (await inBatches(cx, signal, addUpUsage))

async function inBatches(
  cx: Pick<Cx, 'db'>,
  signal: AbortSignal,
  take: (tx: Tx, limit: number) => Promise<number>,
): Promise<number> {
  let all = 0
  while (!signal.aborted) {
    // One at a time: two at once would wait for each other's rows, in whichever order they come upon them.
    const taken = await cx.db.transaction(async (tx) => {
      const some = (await takeFolding(tx)) ? await take(tx, batch) : 0
      crashPoint('add-up-counts.taken')
      return some
    })
    all += taken
    if (taken < batch) break
  }
  return all
}
