/**
 * Times as `<input type="datetime-local">` has them: without a zone. They are meant in the zone of the account, as all
 * times of the console are shown; an empty one is the zone of this device.
 */

/** Empty for "never". */
export function inputTime(time: string, timeZone: string): string {
  return time.startsWith('0001') ? '' : wallTime(new Date(time), timeZone).slice(0, 16)
}

/** The other way round; undefined where nothing was given. */
export function timeOfInput(value: string, timeZone: string): string | undefined {
  const asUtc = Date.parse(`${value}Z`)
  if (Number.isNaN(asUtc)) return undefined
  const offsetAt = (time: number) =>
    Date.parse(`${wallTime(new Date(time), timeZone)}Z`) - Math.floor(time / 1_000) * 1_000
  // The offset that counts is the one at the time itself, which may be beyond a change of the clocks.
  return new Date(asUtc - offsetAt(asUtc - offsetAt(asUtc))).toISOString()
}

/** Whole days, from the first moment of one to the last of another. */
export const startOfDay = (day: string, timeZone: string) => timeOfInput(`${day}T00:00:00`, timeZone)
export const endOfDay = (day: string, timeZone: string) => timeOfInput(`${day}T23:59:59.999`, timeZone)

/** What a clock on the wall of that zone shows, as ISO 8601 writes it. */
function wallTime(time: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    ...(timeZone === '' ? {} : { timeZone }),
  }).formatToParts(time)
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? ''
  return `${of('year').padStart(4, '0')}-${of('month')}-${of('day')}T${of('hour')}:${of('minute')}:${of('second')}`
}
