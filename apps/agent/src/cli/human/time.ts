import { Misuse } from '#cli/misuse'

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** Seconds in at most two units: `1 h 05 min`. */
export function showDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < minute) return `${whole} s`
  if (whole < 10 * minute) return `${Math.floor(whole / minute)} min ${two(whole % minute)} s`
  if (whole < hour) return `${Math.round(whole / minute)} min`
  if (whole < day) return `${Math.floor(whole / hour)} h ${two(Math.floor((whole % hour) / minute))} min`
  return `${Math.floor(whole / day)} d ${Math.floor((whole % day) / hour)} h`
}

const two = (number: number): string => String(number).padStart(2, '0')

/** A moment on the clock of the wall of whoever reads it: `2026-11-30 14:05`. */
export function showTime(iso: string): string {
  const at = new Date(iso)
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`
}

const daysIn: Readonly<Record<string, number>> = { '': 1, d: 1, w: 7 }

/** Reads `14d`, `2w` or a plain number as days. */
export function parseDays(text: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,5}) ?([a-z]?)$/.exec(text.trim()) ?? []
  const days = Number(amount) * (daysIn[unit] ?? 0)
  if (days > 0) return days
  throw new Misuse(`'${text}' is no time to keep something. Write it like 14d, 2w or never.`)
}
