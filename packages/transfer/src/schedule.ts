/** The days of a schedule, in the order of `Date.getDay`. */
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
type Day = (typeof days)[number]

interface Hours {
  readonly enabled: boolean
  /** `HH:MM` on the clock of the wall. */
  readonly start: string
  readonly end: string
}

/** When something is in force, by day of the week. A day that is missing is off. */
export type Schedule = Readonly<Partial<Record<Day, Hours>>>

/** What the clock on the wall shows. */
export interface WallTime {
  /** 0 is Sunday. */
  readonly day: number
  readonly minute: number
}

/** The wall of the host, for a time in milliseconds since 1970. */
export function wallTimeOf(at: number): WallTime {
  const date = new Date(at)
  return { day: date.getDay(), minute: date.getHours() * 60 + date.getMinutes() }
}

/**
 * Whether the schedule is in force. Only what the wall shows counts, so an hour that a change of the clocks skips or
 * repeats needs no thought. `start` equal to `end` is the whole day; an earlier `end` is one of the next day.
 */
export function inForce(schedule: Schedule, { day, minute }: WallTime): boolean {
  const today = spanOf(schedule, day)
  if (today !== undefined && minute >= today.start && (minute < today.end || today.end <= today.start)) return true
  const yesterday = spanOf(schedule, (day + 6) % 7)
  return yesterday !== undefined && yesterday.end < yesterday.start && minute < yesterday.end
}

interface Span {
  readonly start: number
  readonly end: number
}

function spanOf(schedule: Schedule, day: number): Span | undefined {
  const hours = schedule[days[day] ?? 'sun']
  if (hours === undefined || !hours.enabled) return undefined
  const start = minuteOf(hours.start)
  const end = minuteOf(hours.end)
  // All day ends at midnight, before the next day has its say.
  return start === end ? { start: 0, end: 24 * 60 } : { start, end }
}

function minuteOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return hours * 60 + minutes
}

const minuteMs = 60_000
const longestLook = 8 * 24 * 60

/**
 * When the answer of `inForce` is another one than at `at`; undefined for a schedule that never changes. Goes from
 * minute to minute, because the wall may jump in between.
 */
export function nextChange(
  schedule: Schedule,
  at: number,
  wall: (at: number) => WallTime = wallTimeOf,
): number | undefined {
  const now = inForce(schedule, wall(at))
  const begin = Math.floor(at / minuteMs) * minuteMs
  for (let minutes = 1; minutes <= longestLook; minutes++) {
    const then = begin + minutes * minuteMs
    if (inForce(schedule, wall(then)) !== now) return then
  }
  return undefined
}
