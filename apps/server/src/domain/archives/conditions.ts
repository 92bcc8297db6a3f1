/** Headers of a request that decide how much of an archive is sent, as RFC 9110 names them. */
export interface Conditions {
  readonly range?: string | undefined
  readonly ifRange?: string | undefined
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
}

export type Verdict =
  | { readonly status: 200 | 206; readonly start: number; readonly end: number }
  | { readonly status: 304 | 412 | 416 }

/** What of an archive is to be sent; `end` is behind the last byte. In the order of RFC 9110, section 13.2.2. */
export function judgeConditions({ etag, size }: { etag: string; size: number }, asked: Conditions): Verdict {
  if (asked.ifMatch !== undefined && !lists(asked.ifMatch, etag)) return { status: 412 }
  if (asked.ifNoneMatch !== undefined && lists(asked.ifNoneMatch.replaceAll('W/', ''), etag)) return { status: 304 }
  const whole: Verdict = { status: 200, start: 0, end: size }
  // By a date is by nothing that we gave: then the whole is sent, as for any other validator that does not match.
  if (asked.range === undefined || (asked.ifRange !== undefined && asked.ifRange.trim() !== etag)) return whole
  const range = readRange(asked.range, size)
  if (range === 'none') return { status: 416 }
  return range === 'ignored' ? whole : { status: 206, ...range }
}

const lists = (header: string, etag: string): boolean =>
  header.trim() === '*' || header.split(',').some((one) => one.trim() === etag)

/** One range of bytes. Several, other units and what is no range at all may be ignored, and are. */
function readRange(header: string, size: number): { start: number; end: number } | 'none' | 'ignored' {
  const [, first = '', last = ''] = /^\s*bytes\s*=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header) ?? []
  if (first === '' && last === '') return 'ignored'
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'none' : { start: size - length, end: size }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return 'ignored'
  return start >= size ? 'none' : { start, end: last === '' ? size : Math.min(Number(last) + 1, size) }
}
