import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'

/**
 * Counts one try at something that could be guessed, by where it comes from and by what it is aimed at.
 *
 * Comes before the check itself: a right guess while the count is full is refused like a wrong one, so the refusal
 * tells nothing, and no hash is computed for it.
 */
export async function countGuess(cx: Pick<Cx, 'limiter'>, aim: string, address: string): Promise<void> {
  const counts = await Promise.all([cx.limiter.guess(`from:${network(address)}`), cx.limiter.guess(`at:${aim}`)])
  const full = counts.filter((count) => !count.allowed)
  if (full.length === 0) return
  const seconds = Math.max(...full.map((count) => count.resetSeconds))
  throw new Refusal('rate_limited', `Too many tries. Wait ${seconds} seconds.`, { retryAfterSeconds: seconds })
}

/** One home or office has a whole /64 of IPv6, so that is what counts as one address. */
export function network(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address.replace('::ffff:', '')
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  const all = [...groups, ...Array<string>(Math.max(0, missing)).fill('0'), ...(tail ? tail.split(':') : [])]
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
