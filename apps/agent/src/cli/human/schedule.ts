import type { Schedule } from '@longshore/transfer/schedule'
import { Misuse } from '#cli/misuse'

const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
type Day = (typeof days)[number]
type Hours = NonNullable<Schedule[Day]>

const wordsForDays: Readonly<Record<string, string>> = { daily: 'mon-sun', weekdays: 'mon-fri', weekends: 'sat-sun' }
const example = 'mon-fri 08:00-18:00, sat 10:00-14:00'

/**
 * Reads `mon-fri 08:00-18:00, sat 10:00-14:00`. Days that are not named are off, as each day has one span at most.
 * `22:00-06:00` ends on the next morning; `all-day` needs no hours.
 */
export function parseSchedule(text: string): Schedule {
  const schedule: Partial<Record<Day, Hours>> = {}
  for (const part of text.toLowerCase().split(/[,;]/)) {
    const [when = '', hours = '', ...rest] = part.trim().split(/\s+/)
    if (rest.length > 0) throw new Misuse(`'${part.trim()}' has too many words. Write it like: ${example}`)
    const span = parseSpan(hours, part)
    for (const day of parseDays(wordsForDays[when] ?? when)) {
      if (schedule[day] !== undefined) throw new Misuse(`'${day}' is named twice; a day has one span of hours.`)
      schedule[day] = { enabled: true, ...span }
    }
  }
  return schedule
}

function parseDays(text: string): readonly Day[] {
  const [first = '', last = first, ...rest] = text.split('-')
  const from = days.indexOf(first as Day)
  const to = days.indexOf(last as Day)
  if (from < 0 || to < 0 || rest.length > 0) {
    throw new Misuse(`'${text}' names no days. Use mon to sun, mon-fri, daily, weekdays or weekends, as in: ${example}`)
  }
  // fri-mon goes over the weekend.
  return from <= to ? days.slice(from, to + 1) : [...days.slice(from), ...days.slice(0, to + 1)]
}

function parseSpan(text: string, part: string): { readonly start: string; readonly end: string } {
  if (text === 'all-day') return { start: '00:00', end: '00:00' }
  const [, start, end] = /^(\d{1,2}:\d\d)-(\d{1,2}:\d\d)$/.exec(text) ?? []
  if (start === undefined || end === undefined) {
    throw new Misuse(`'${part.trim()}' has no hours. Write it like: ${example}`)
  }
  return { start: parseClock(start), end: parseClock(end) }
}

function parseClock(text: string): string {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  if (hours === 24 && minutes === 0) return '00:00'
  if (hours > 23 || minutes > 59) throw new Misuse(`'${text}' is no time of day.`)
  return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
}

/** The schedule in the words that `parseSchedule` reads, neighbouring days with the same hours as one. */
export function showSchedule(schedule: Schedule): string {
  const runs: { first: Day; last: Day; hours: string }[] = []
  for (const day of days) {
    const span = schedule[day]
    if (span === undefined || !span.enabled) continue
    const hours = span.start === span.end ? 'all-day' : `${span.start}-${span.end}`
    const run = runs.at(-1)
    if (run !== undefined && run.hours === hours && days.indexOf(run.last) === days.indexOf(day) - 1) run.last = day
    else runs.push({ first: day, last: day, hours })
  }
  if (runs.length === 0) return 'never'
  return runs.map(({ first, last, hours }) => `${daysAsWord(first, last)} ${hours}`).join(', ')
}

function daysAsWord(first: Day, last: Day): string {
  if (first === last) return first
  const span = `${first}-${last}`
  return span === 'mon-sun' ? 'daily' : span
}
