import { judge } from './faults.ts'
import type { Chance, Clock } from './ports.ts'
import { limited, sleep } from './waits.ts'

const firstPauseMs = 200
const longestPauseMs = 30_000

/**
 * How long to wait after the attempt of this number (0 is the first). Doubles up to half a minute, so that a store that
 * comes back is noticed soon; half of it is chance, so that a thousand clients do not come back in the same moment.
 */
export function pauseAfter(attempt: number, chance: number, retryAfterMs = 0): number {
  const full = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(attempt, 20))
  return Math.max(retryAfterMs, full / 2 + (full / 2) * chance)
}

/** Does the work until it is done or judged to be in vain. Nothing but calls of ports belongs into the work. */
export async function persist<Result>(
  cx: { readonly clock: Clock; readonly chance: Chance },
  signal: AbortSignal,
  work: (attempt: number) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      signal.throwIfAborted()
      return await work(attempt)
    } catch (error) {
      signal.throwIfAborted()
      const fault = judge(error)
      if (fault.verdict !== 'transient') throw fault
      await sleep(cx.clock, pauseAfter(attempt, cx.chance(), fault.retryAfterMs), signal)
    }
  }
}

// A call that takes longer has lost its answer.
const callLimitMs = 120_000

/** A call of the cloud, made again until it is answered. */
export function persistCall<Result>(
  cx: { readonly clock: Clock; readonly chance: Chance },
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return persist(cx, signal, () => limited(cx.clock, callLimitMs, signal, call))
}
