import type { Clock } from '#ports'

interface Timer {
  readonly at: number
  readonly order: number
  readonly owner: symbol
  readonly act: () => void
}

/** Time that passes only when nobody has anything left to do at this moment. */
export interface SimTime {
  readonly now: () => number
  /** A clock for one owner: what it set can be counted, and dropped when it dies. */
  readonly clockOf: (owner: symbol) => Clock
  readonly pending: (owner: symbol) => number
  readonly drop: (owner: symbol) => void
  /** Lets time pass until the promise is settled. Throws when nothing is left that could settle it. */
  readonly until: <Result>(promise: Promise<Result>) => Promise<Result>
}

/** Longer than any transfer here may take, retries without end included. */
const endOfTime = 60 * 24 * 3_600_000

export function createTime(): SimTime {
  let now = 0
  let order = 0
  let timers: Timer[] = []

  const clockOf = (owner: symbol): Clock => ({
    now: () => now,
    after: (ms, act) => {
      const timer = { at: now + Math.max(0, ms), order: order++, owner, act }
      timers.push(timer)
      return () => {
        const index = timers.indexOf(timer)
        if (index !== -1) timers.splice(index, 1)
      }
    },
  })

  const earliest = () => {
    let first = 0
    for (const [index, timer] of timers.entries()) {
      const other = timers[first]
      if (other !== undefined && (timer.at < other.at || (timer.at === other.at && timer.order < other.order))) {
        first = index
      }
    }
    return timers.splice(first, 1)[0]
  }

  const until = async <Result>(promise: Promise<Result>): Promise<Result> => {
    let settled = false
    const settle = () => {
      settled = true
    }
    promise.then(settle, settle)
    for (;;) {
      // Everything that can go on without time passing goes on first.
      await new Promise((resolve) => setImmediate(resolve))
      if (settled) return promise
      const next = earliest()
      if (next === undefined) throw new Error('Everybody waits, and nothing is left to happen.')
      if (next.at > endOfTime) throw new Error('It does not come to an end.')
      now = Math.max(now, next.at)
      next.act()
    }
  }

  return {
    now: () => now,
    clockOf,
    pending: (owner) => timers.filter((timer) => timer.owner === owner).length,
    drop: (owner) => {
      timers = timers.filter((timer) => timer.owner !== owner)
    },
    until,
  }
}

export const wait = (clock: Clock, ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve))
