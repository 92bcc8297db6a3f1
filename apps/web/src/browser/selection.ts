import { placeOf } from './places.ts'
import type { Chosen } from './sources.ts'

/** The files of one upload by number, and by place: there is one at each. */
export interface Selection {
  /** Answers the number that it has; a place that is taken gets the later file. */
  readonly add: (chosen: Chosen) => number
  /** Puts a file that was chosen again to its old number; undefined where it is not one of these, or has changed. */
  readonly match: (chosen: Chosen) => number | undefined
  readonly remove: (n: number) => void
  readonly restore: (n: number, chosen: Chosen) => void
  readonly get: (n: number) => Chosen | undefined
  readonly entries: () => IterableIterator<[number, Chosen]>
}

export function createSelection(): Selection {
  const chosenByNumber = new Map<number, Chosen>()
  const numberByPlace = new Map<string, number>()
  let next = 0

  const restore = (n: number, chosen: Chosen) => {
    chosenByNumber.set(n, chosen)
    numberByPlace.set(placeOf(chosen), n)
    next = Math.max(next, n + 1)
  }

  return {
    add: (chosen) => {
      const n = numberByPlace.get(placeOf(chosen)) ?? next
      restore(n, chosen)
      return n
    },
    match: (chosen) => {
      const n = numberByPlace.get(placeOf(chosen))
      const before = n === undefined ? undefined : chosenByNumber.get(n)
      if (n === undefined || before === undefined || !isSame(before, chosen)) return undefined
      chosenByNumber.set(n, chosen)
      return n
    },
    remove: (n) => {
      const chosen = chosenByNumber.get(n)
      if (chosen === undefined) return
      chosenByNumber.delete(n)
      numberByPlace.delete(placeOf(chosen))
    },
    restore,
    get: (n) => chosenByNumber.get(n),
    entries: () => chosenByNumber.entries(),
  }
}

const isSame = (a: Chosen, b: Chosen) => a.kind === b.kind && a.size === b.size && a.lastModified === b.lastModified
