import { authorizeInTeam } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { invalid } from '#domain/refusal'
import { readTime } from '#domain/times'
import { type Move, moveBatch, type Place, type Stretch } from '#store/archive'
import { databaseTime } from '#store/clock'
import type { EndedBetween } from '#store/packages'
import { expireDueBetween } from './expire-packages.ts'

type Box = 'sent' | 'received'

export interface Span {
  readonly expiry_start: string
  readonly expiry_end: string
}

// A batch holds its packages for about this long, whatever a row costs here and now: who wants one of them meanwhile
// waits no longer.
const batchMs = 20
const [smallest, first, largest] = [20, 100, 5_000]

/**
 * Archives the expired packages of a Team whose expiry lies in a span, bounds included.
 *
 * Many small transactions: what is done is done, whatever happens to the rest, and the same call again does the rest.
 * Nothing here looks at the caller's connection, so who hangs up has not stopped it.
 */
export async function archiveByExpiry(
  cx: Pick<Cx, 'db' | 'queue' | 'settings' | 'log'>,
  caller: Caller,
  teamId: string,
  box: Box,
  given: Span,
): Promise<{ total_updated: number }> {
  await authorizeInTeam(cx, caller, 'package.archive-many', teamId)
  const span = readSpan(given, box)
  // To everybody who asks these are expired already; the worker may still be on its way to them.
  await expireDueBetween(cx, teamId, span)
  return moveAll(cx, teamId, 'archive', span)
}

/** Takes the archived packages of a Team whose expiry lies in a span, bounds included, out of the archive. */
export async function unarchiveByExpiry(
  cx: Pick<Cx, 'db' | 'log'>,
  caller: Caller,
  teamId: string,
  box: Box,
  given: Span,
): Promise<{ total_updated: number }> {
  await authorizeInTeam(cx, caller, 'package.archive-many', teamId)
  return moveAll(cx, teamId, 'unarchive', readSpan(given, box))
}

function readSpan(given: Span, box: Box): EndedBetween {
  const [from, to] = [boundOf('expiry_start', given), boundOf('expiry_end', given)]
  if (from > to) throw invalid('expiry_start', 'must not be later than expiry_end')
  return { from, to, received: box === 'received' }
}

/** The zero time is before every other here, and not "never". */
const boundOf = (field: keyof Span, given: Span): Date => readTime(field, given[field]) ?? new Date(given[field])

async function moveAll(
  cx: Pick<Cx, 'db' | 'log'>,
  teamId: string,
  move: Move,
  wanted: EndedBetween,
): Promise<{ total_updated: number }> {
  // What ends from here on is not meant: where packages end all the time, the work would have no end.
  const now = await databaseTime(cx.db)
  const span = { ...wanted, to: wanted.to < now ? wanted.to : now }
  const beganAt = performance.now()
  let total = 0
  let limit = first
  let longest = 0
  let after: Place | undefined
  while (true) {
    const batchAt = performance.now()
    const batch = await cx.db.transaction((tx) =>
      moveBatch(tx, teamId, move, { ...span, after }, { limit, waiting: false }),
    )
    const ms = performance.now() - batchAt
    longest = Math.max(longest, ms)
    limit = nextLimit(limit, ms)
    total += batch?.moved ?? 0
    total += await moveStragglers(cx, teamId, move, { ...span, after, upTo: batch })
    if (batch === undefined) break
    after = batch
  }
  const [ms, longest_batch_ms] = [performance.now() - beganAt, longest].map(Math.round)
  const facts = { team_id: teamId, moved: total, ms, longest_batch_ms }
  cx.log.info(facts, move === 'archive' ? 'packages archived' : 'packages taken out of the archive')
  return { total_updated: total }
}

/** At most twice as many as before: one quick batch does not promise that the next, twenty times as large, is quick. */
const nextLimit = (limit: number, ms: number): number =>
  Math.min(largest, limit * 2, Math.max(smallest, Math.round((limit * batchMs) / ms)))

/**
 * Waits for the packages of a stretch that others held a moment ago. One at a time: who holds one package while waiting
 * for another can be waited for in turn.
 */
async function moveStragglers(cx: Pick<Cx, 'db'>, teamId: string, move: Move, stretch: Stretch): Promise<number> {
  let moved = 0
  let { after } = stretch
  while (true) {
    const one = await cx.db.transaction((tx) =>
      moveBatch(tx, teamId, move, { ...stretch, after }, { limit: 1, waiting: true }),
    )
    if (one === undefined) return moved
    moved += one.moved
    after = one
  }
}
