import { Refusal } from '@longshore/kit/refusal'
import { HostFault } from '@longshore/transfer/faults'
import { sleep } from '@longshore/transfer/waits'
import type { Means, Round } from './round.ts'

/** One automation at work. */
export interface Worker {
  readonly lastRunAt: () => Date | undefined
  /** Why its last round failed; empty if it did not. */
  readonly lastError: () => string
  /** Resolves when nothing of it is under way any more. */
  readonly end: () => Promise<void>
}

const roundsPerMinuteAfterAnError = 4

/** Goes round after round until it is told to end. What one throws is shown, stops nobody else, and passes. */
export function work(means: Pick<Means, 'clock' | 'log' | 'minuteMs' | 'now'>, id: string, round: Round): Worker {
  const { clock, log, minuteMs, now } = means
  const stop = new AbortController()
  const { signal } = stop
  let lastRunAt: Date | undefined
  let lastError = ''

  const goRound = async (): Promise<number> => {
    try {
      const pause = await round(signal)
      lastError = ''
      return pause
    } catch (error) {
      if (signal.aborted) return 0
      const expected = error instanceof Refusal || error instanceof HostFault
      lastError = expected ? error.message : 'Something unexpected happened. The log of the agent has more.'
      log.warn({ automation: id, err: error }, 'a round of an automation failed')
      return minuteMs / roundsPerMinuteAfterAnError
    } finally {
      lastRunAt = now()
    }
  }

  const goOn = async () => {
    while (!signal.aborted) {
      const pause = await goRound()
      // An end by the signal is the only one.
      await sleep(clock, pause, signal).catch(() => undefined)
    }
  }

  const over = goOn()
  return {
    lastRunAt: () => lastRunAt,
    lastError: () => lastError,
    end: () => {
      stop.abort()
      return over
    },
  }
}
