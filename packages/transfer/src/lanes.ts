/**
 * How many requests to have under way at once, judged by what it brings.
 *
 * On a lossy line speed grows with the number of connections, on a busy store it does not, and nobody can know which of
 * the two it is. So more are tried while more bytes arrive for it, and taken back when not. Single faults do not count:
 * a line that loses one request in a hundred needs more lanes, not fewer. Many at once mean "too much".
 */
export interface Lanes {
  readonly limit: number
  readonly least: number
  readonly most: number
  /** What the last raise is measured against; undefined when none is being tried. */
  readonly before: { readonly limit: number; readonly goodput: number } | undefined
  /** Windows to wait before the next try, and how many it will be after the next try in vain. */
  readonly rest: number
  readonly nextRest: number
  /** Doubling until the first raise in vain, careful steps afterwards. */
  readonly surging: boolean
  readonly window: Window
}

interface Window {
  readonly since: number
  readonly bytes: number
  readonly ended: number
  readonly troubled: number
  /** True once all lanes were in use at the same time: otherwise the window tells nothing about their number. */
  readonly full: boolean
}

export type LaneEvent =
  | { readonly kind: 'taken'; readonly inUse: number }
  | { readonly kind: 'moved'; readonly bytes: number }
  | { readonly kind: 'ended'; readonly trouble: boolean }

const windowMs = 2_000
// Of what the added lanes would bring if each brought as much as the others.
const worthwhile = 0.2
const longestRest = 32

export function openLanes(at: number, bounds: { least: number; most: number; first?: number }): Lanes {
  const { least, most, first = 8 } = bounds
  return {
    limit: Math.min(most, Math.max(least, first)),
    least,
    most,
    before: undefined,
    rest: 0,
    nextRest: 4,
    surging: true,
    window: emptyWindow(at),
  }
}

const emptyWindow = (since: number): Window => ({ since, bytes: 0, ended: 0, troubled: 0, full: false })

export function stepLanes(lanes: Lanes, at: number, event: LaneEvent): Lanes {
  const noted = { ...lanes, window: note(lanes, event) }
  const took = at - lanes.window.since
  if (took < windowMs) return noted
  // A pause, or a machine that slept: what was measured over it means nothing.
  if (took > 5 * windowMs) return { ...lanes, before: undefined, window: emptyWindow(at) }
  return { ...judgeWindow(noted, noted.window.bytes / took), window: emptyWindow(at) }
}

function note({ limit, window }: Lanes, event: LaneEvent): Window {
  if (event.kind === 'moved') return { ...window, bytes: window.bytes + event.bytes }
  if (event.kind === 'taken') return { ...window, full: window.full || event.inUse >= limit }
  return { ...window, ended: window.ended + 1, troubled: window.troubled + (event.trouble ? 1 : 0) }
}

function judgeWindow(lanes: Lanes, goodput: number): Lanes {
  const { limit, least, before, rest, nextRest, window } = lanes
  if (window.troubled >= 2 && window.troubled * 10 > window.ended) {
    const fewer = Math.max(least, Math.floor(limit * 0.6))
    return { ...lanes, limit: fewer, before: undefined, rest: 4, surging: false }
  }
  if (!window.full) return lanes
  if (before !== undefined && goodput < before.goodput * (1 + worthwhile * (limit / before.limit - 1))) {
    const longer = Math.min(longestRest, nextRest * 2)
    return { ...lanes, limit: before.limit, before: undefined, rest: nextRest, nextRest: longer, surging: false }
  }
  if (rest > 0) return { ...lanes, rest: rest - 1 }
  return raised(lanes, goodput)
}

function raised(lanes: Lanes, goodput: number): Lanes {
  const { limit, most, surging, before, nextRest } = lanes
  if (limit >= most) return { ...lanes, before: undefined }
  const more = Math.min(most, surging ? limit * 2 : limit + Math.max(1, Math.round(limit / 4)))
  return { ...lanes, limit: more, before: { limit, goodput }, nextRest: before === undefined ? nextRest : 4 }
}

/** Other bounds, from now on. Whoever had all that were allowed has all that are allowed now, as after a new start. */
export function boundLanes(lanes: Lanes, least: number, most: number): Lanes {
  const wanted = lanes.limit === lanes.most ? most : lanes.limit
  return { ...lanes, least, most, limit: Math.min(most, Math.max(least, wanted)), before: undefined }
}
