import { createLanePool } from '@longshore/transfer/lane-pool'
import type { Clock } from '@longshore/transfer/ports'

/** What every transfer in a browser is lent. */

export const clock: Clock = {
  now: () => performance.now(),
  after: (ms, act) => {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
}

/** Also makes the keys of calls that must not be guessed twice: not Math.random. */
export const chance = (): number => (crypto.getRandomValues(new Uint32Array(1))[0] as number) / 2 ** 32

/** Browsers open six connections to a host and let every further request wait inside, where it looks like a stall. */
export const createLanes = () => createLanePool(clock, { least: 2, most: 6, first: 4 })
