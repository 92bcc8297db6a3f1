/** A time as `<input type="datetime-local">` wants it, in the zone of this device; empty for "never". */
export function inputTime(time: string): string {
  if (time.startsWith('0001')) return ''
  const at = new Date(time)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The other way round; undefined where nothing was given. */
export const timeOfInput = (value: string): string | undefined =>
  value === '' ? undefined : new Date(value).toISOString()
