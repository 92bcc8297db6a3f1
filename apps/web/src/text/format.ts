import type { Language } from './languages.ts'

export interface Format {
  bytes(count: number): string
  /** Bytes a second. */
  rate(bytesPerSecond: number): string
  number(value: number): string
  percent(share: number): string
  date(time: string | Date): string
  dateTime(time: string | Date): string
  /** "in 3 days", "5 minutes ago". */
  relative(time: string | Date, now?: Date): string
  /** "2 h 5 min": the two largest units. */
  duration(seconds: number): string
}

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

const steps = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** Numbers and times as a language writes them. */
export function formatFor(language: Language, timeZone?: string): Format {
  const locale = regionalOf(language)
  const zone = timeZone === undefined || timeZone === '' ? {} : { timeZone }
  const whole = new Intl.NumberFormat(locale)
  const tenth = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  const share = new Intl.NumberFormat(locale, { style: 'percent' })
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', ...zone })
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', ...zone })
  const distance = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })

  const bytes = (count: number) => {
    const power = count < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(count) / 3))
    return `${tenth.format(count / 1_000 ** power)} ${units[power]}`
  }
  return {
    bytes,
    rate: (bytesPerSecond) => `${bytes(bytesPerSecond)}/s`,
    number: (value) => whole.format(value),
    // Never 100 % before the end.
    percent: (part) => share.format(part >= 1 ? 1 : Math.floor(part * 100) / 100),
    date: (time) => day.format(new Date(time)),
    dateTime: (time) => moment.format(new Date(time)),
    relative(time, now = new Date()) {
      const seconds = (new Date(time).getTime() - now.getTime()) / 1_000
      const [unit, length] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? (['second', 1] as const)
      return distance.format(Math.round(seconds / length), unit)
    },
    duration(seconds) {
      const left = Math.max(1, Math.round(seconds))
      const parts = [
        [Math.floor(left / 86_400), 'd'],
        [Math.floor(left / 3_600) % 24, 'h'],
        [Math.floor(left / 60) % 60, 'min'],
        [left % 60, 's'],
      ] as const
      const first = parts.findIndex(([amount]) => amount > 0)
      return parts
        .slice(first, first + 2)
        .filter(([amount]) => amount > 0)
        .map(([amount, unit]) => `${amount} ${unit}`)
        .join(' ')
    },
  }
}

/** `en-GB` where the device is British: dates differ inside one language. */
function regionalOf(language: Language): string {
  const wanted = typeof navigator === 'undefined' ? [] : navigator.languages
  return wanted.find((tag) => tag.toLowerCase().startsWith(language)) ?? language
}
