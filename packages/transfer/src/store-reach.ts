import type { Clock } from './ports.ts'

/**
 * Whether the store can be reached. A line that is down takes the cloud away as well, and waiting heals it. Where the
 * cloud gives addresses time and again and the store is silent at all of them, something stands in between: a firewall,
 * a blocker, or a rule of the store that makes a browser hide its answers.
 */
export interface StoreReach {
  /** The cloud has just given addresses. */
  readonly addressed: () => void
  /** Something came from the store, or went to it. */
  readonly heard: () => void
  readonly silent: () => void
  readonly isAway: () => boolean
}

// Few enough for whoever watches, and longer than a store takes to be started anew.
const roundsInVain = 3
const patienceMs = 10_000

export function createStoreReach(clock: Clock, tell: (reached: boolean) => void): StoreReach {
  let reached: boolean | undefined
  let addressed = false
  let rounds = 0
  let since = 0

  const now = (is: boolean) => {
    if (is === reached) return
    reached = is
    tell(is)
  }

  return {
    addressed: () => {
      addressed = true
    },
    heard: () => {
      rounds = 0
      now(true)
    },
    silent: () => {
      if (addressed && rounds++ === 0) since = clock.now()
      addressed = false
      if (rounds >= roundsInVain && clock.now() - since >= patienceMs) now(false)
    },
    isAway: () => reached === false,
  }
}
