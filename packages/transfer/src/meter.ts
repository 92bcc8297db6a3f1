import type { Clock } from './ports.ts'
import { advance, already, noProgress, type Progress } from './progress.ts'

/** Counts the bytes of one transfer, each once, however often it has to be moved. */
export interface Meter {
  readonly file: (n: number) => FileMeter
  /** Nothing more will be heard of this file. */
  readonly close: (n: number) => void
  readonly progress: () => Progress
}

export interface FileMeter {
  /** Begins anew: what was shown is owed, and new bytes do not count until it is paid. */
  readonly begin: () => void
  /** Bytes that are there already. */
  readonly found: (bytes: number) => void
  readonly stretch: () => StretchMeter
}

/** One attempt at some bytes: they are shown as they move, and owed where they were not kept. */
export interface StretchMeter {
  readonly moved: (bytes: number) => void
  readonly end: (kept: number) => void
}

export function createMeter(clock: Clock, tell: (n: number, bytes: number) => void): Meter {
  let progress = noProgress(clock.now())
  const open = new Map<number, FileMeter>()

  const meterOf = (n: number): FileMeter => {
    let shown = 0
    let owed = 0
    const show = (bytes: number, count: (fresh: number) => Progress) => {
      const fresh = Math.max(0, bytes - owed)
      owed = Math.max(0, owed - bytes)
      if (fresh === 0) return
      shown += fresh
      progress = count(fresh)
      tell(n, shown)
    }
    const moving = (bytes: number) => show(bytes, (fresh) => advance(progress, clock.now(), fresh))
    return {
      begin: () => {
        owed = shown
      },
      found: (bytes) => show(bytes, (fresh) => already(progress, fresh)),
      stretch: () => {
        let moved = 0
        return {
          moved: (bytes) => {
            moved += bytes
            moving(bytes)
          },
          end: (kept) => {
            if (kept > moved) moving(kept - moved)
            else owed += moved - kept
          },
        }
      },
    }
  }

  return {
    file: (n) => {
      const meter = open.get(n) ?? meterOf(n)
      open.set(n, meter)
      return meter
    },
    close: (n) => void open.delete(n),
    progress: () => progress,
  }
}
