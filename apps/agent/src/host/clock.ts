import type { Clock } from '@longshore/transfer/ports'

/** The machine's clock. It does not jump when somebody sets the time. */
export const clock: Clock = {
  now: () => performance.now(),
  after: (ms, act) => {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
}
