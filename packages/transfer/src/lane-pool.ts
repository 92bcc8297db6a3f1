import { boundLanes, openLanes, stepLanes } from './lanes.ts'
import type { Clock } from './ports.ts'

/** Who goes first when a lane is free: the higher priority, then the earlier file, then whoever asked first. */
export interface Turn {
  /** Asked whenever it queues, so that a change is heard by the next chunk. */
  readonly priority: () => number
  readonly order: number
}

/** The turn of work that has begun before: it goes before the next piece of the same file, so that little is half done. */
export const again = (turn: Turn): Turn => ({ ...turn, order: turn.order - 0.5 })

export interface Lane {
  readonly moved: (bytes: number) => void
  /** Gives the lane back. `trouble` is a sign that the line or the store has too much to do. */
  readonly leave: (trouble: boolean) => void
}

interface Waiting {
  readonly priority: number
  readonly order: number
  readonly enter: () => void
}

export interface LanePool {
  readonly take: (turn: Turn, signal: AbortSignal) => Promise<Lane>
  readonly limit: () => number
  /** What the limit may grow to. */
  readonly most: () => number
  readonly inUse: () => number
  readonly bound: (least: number, most: number) => void
}

/** The lanes to one store. Hosts lend one pool to all transfers of a direction, so that they share its lanes. */
export function createLanePool(clock: Clock, bounds: { least: number; most: number; first?: number }): LanePool {
  let lanes = openLanes(clock.now(), bounds)
  let inUse = 0
  const waiting: Waiting[] = []

  const admit = () => {
    while (inUse < lanes.limit) {
      const next = waiting.shift()
      if (next === undefined) return
      inUse++
      lanes = stepLanes(lanes, clock.now(), { kind: 'taken', inUse })
      next.enter()
    }
  }

  const lane = (): Lane => {
    let held = true
    return {
      moved: (bytes) => {
        lanes = stepLanes(lanes, clock.now(), { kind: 'moved', bytes })
      },
      leave: (trouble) => {
        if (!held) return
        held = false
        inUse--
        lanes = stepLanes(lanes, clock.now(), { kind: 'ended', trouble })
        admit()
      },
    }
  }

  const take = (turn: Turn, signal: AbortSignal) =>
    new Promise<Lane>((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason as Error)
        return
      }
      const one: Waiting = {
        priority: turn.priority(),
        order: turn.order,
        enter: () => {
          signal.removeEventListener('abort', stop)
          resolve(lane())
        },
      }
      const stop = () => {
        waiting.splice(waiting.indexOf(one), 1)
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', stop, { once: true })
      queue(waiting, one)
      admit()
    })

  return {
    take,
    limit: () => lanes.limit,
    most: () => lanes.most,
    inUse: () => inUse,
    bound: (least, most) => {
      lanes = boundLanes(lanes, least, most)
      admit()
    },
  }
}

function queue(waiting: Waiting[], one: Waiting): void {
  const later = waiting.findIndex(
    (other) => other.priority < one.priority || (other.priority === one.priority && other.order > one.order),
  )
  waiting.splice(later === -1 ? waiting.length : later, 0, one)
}
