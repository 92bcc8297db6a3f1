import { crashPoint } from '@longshore/kit/crash-point'
import type { Cx } from '#domain/cx'
import {
  type EndedBetween,
  expireDueRows,
  expireDueRowsBetween,
  giveUpAbandonedRows,
  type PackageRow,
} from '#store/packages'
import type { Tx } from '#platform/db'
import { settleEnd } from './end-package.ts'

// Small enough that the rows of one batch are locked for milliseconds only.
const batch = 500

type Needs = Pick<Cx, 'db' | 'queue' | 'settings'>

/** Ends the packages whose time is over. They were closed at the door to the second; this makes it so in the table. */
export const expireDuePackages = (cx: Needs, signal: AbortSignal): Promise<number> =>
  endInBatches(cx, signal, (tx) => expireDueRows(tx, batch))

/** Ends those of one Team whose time was over in a given span, for who must not wait for the worker. */
export const expireDueBetween = (cx: Needs, teamId: string, span: EndedBetween): Promise<number> =>
  endInBatches(cx, never, (tx) => expireDueRowsBetween(tx, teamId, span, batch))

const never = new AbortController().signal

/** Ends packages that nobody has worked on for days and that were never finalized. */
export const giveUpAbandonedPackages = (cx: Needs, signal: AbortSignal): Promise<number> =>
  endInBatches(cx, signal, (tx) => giveUpAbandonedRows(tx, cx.settings.abandonedAfterDays, batch))

async function endInBatches(
  cx: Needs,
  signal: AbortSignal,
  end: (tx: Tx) => Promise<readonly PackageRow[]>,
): Promise<number> {
  let ended = 0
  while (!signal.aborted) {
    const keys = await cx.db.transaction(async (tx) => {
      const rows = await end(tx)
      await settleEnd(cx, tx, 'package.expired', rows)
      return rows
    })
    crashPoint('expire-packages.batch')
    ended += keys.length
    if (keys.length < batch) break
  }
  return ended
}
