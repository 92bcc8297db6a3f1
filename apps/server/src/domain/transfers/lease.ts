import type { Cx } from '#domain/cx'
import type { TransferRow } from '#store/transfers'

// A worker that dies is noticed within the minute that we promise.
export const leaseSeconds = 40
const tickMs = 1_000

/** Why somebody stops carrying who could go on. */
export class Stopped extends Error {
  readonly why: 'not-ours' | 'package-ended'
  constructor(why: Stopped['why']) {
    super(why)
    this.why = why
  }
}

/** What `keepGoing` answers, as a reason to stop. */
export function whyStop(kept: { readonly package_alive: boolean } | undefined): Stopped | undefined {
  if (kept === undefined) return new Stopped('not-ours')
  return kept.package_alive ? undefined : new Stopped('package-ended')
}

/**
 * Does the work of a transfer, and has noted every second how far it is, and once more at its end. The note keeps the
 * transfer; one that brings a reason to stop ends the work.
 */
export async function whileKept(
  cx: Pick<Cx, 'log'>,
  transfer: TransferRow,
  shutdown: AbortSignal,
  note: () => Promise<Stopped | undefined>,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const signal = AbortSignal.any([shutdown, stop.signal])
  const ticking = repeatedly(tickMs, signal, async () => {
    try {
      const why = await note()
      if (why !== undefined) stop.abort(why)
    } catch (err) {
      cx.log.warn({ err, transfer_id: transfer.id }, 'transfer not noted')
    }
  })
  try {
    await work(signal)
  } catch (error) {
    // What stopped all of it tells more than how one part noticed.
    throw stop.signal.aborted ? stop.signal.reason : error
  } finally {
    stop.abort()
    await ticking
    await note().catch(() => {})
  }
}

/** Does something again and again until the signal, and waits for the last time. */
async function repeatedly(everyMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, everyMs)
      signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
    })
    if (!signal.aborted) await work()
  }
}
