import { zeroTime } from '@longshore/contract/limits'
import { invalid } from '#domain/refusal'

const earliest = Date.parse('1900-01-01T00:00:00Z')
const latest = Date.parse('9999-12-31T23:59:59.999Z')

/** A date-time as the wire writes it; "none" and "never" are the zero time. */
export const showTime = (time: Date | null): string => (time === null ? zeroTime : time.toISOString())

/** Reads a date-time that has passed its schema. The zero time is null: none, never. */
export function readTime(field: string, text: string): Date | null {
  const milliseconds = Date.parse(text)
  if (milliseconds === Date.parse(zeroTime)) return null
  if (Number.isNaN(milliseconds) || milliseconds < earliest || milliseconds > latest) {
    throw invalid(field, 'must be a date-time with a zone between the years 1900 and 9999')
  }
  return new Date(milliseconds)
}
