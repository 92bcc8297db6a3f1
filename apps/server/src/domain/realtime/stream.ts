import type { Reader, StreamEvent } from '@longshore/kit/door/stream'
import { Refusal } from '#domain/refusal'
import { type Caller, creditedTo } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { isFeedId } from '#live/feed-ids'
import { accessTopic } from './announce.ts'

/** Who asks for a stream, and where they stopped when they had it before. */
export interface Asking {
  readonly caller: Caller
  readonly address: string
  readonly lastEventId: string | undefined
  /** Finds out anew who shows this credential; a refusal when it is none any more. */
  identifyAgain(): Promise<Caller>
}

/** Something happened that will not be told: whoever shows a state should read it anew. */
export const missed: StreamEvent = { type: 'stream.missed', data: '{}' }

/** Where a stream begins: now, or behind what its reader has heard. An id that is none of ours is older than all. */
export const startOf = ({ lastEventId }: Asking): string | undefined =>
  lastEventId === undefined || isFeedId(lastEventId) ? lastEventId : '0-0'

/** Takes one of the seats that a credential and this process have. */
export function takeSeat(cx: Pick<Cx, 'seats'>, { caller, address }: Asking): () => void {
  const seat = cx.seats.take(creditedTo(caller, address))
  if (seat === 'credential-full') {
    throw new Refusal('rate_limited', 'Too many streams are open with this credential. Close one first.', {
      retryAfterSeconds: 5,
    })
  }
  if (seat === 'process-full') throw new Refusal('overloaded', 'Too many streams are open. Try again in a moment.')
  return seat
}

// Many streams may be told to look at once. They do not all have to ask the database in the same instant.
const spreadMs = 500
// Our clock and the database's need not agree to the millisecond.
const onceOverMs = 100

interface Held {
  /** Ids of what the access stands on. */
  readonly standsOn: readonly string[]
  /** Refuses when the reader may no longer. Answers when that may be so without anybody saying it. */
  admit(): Promise<Date | null>
}

/**
 * Keeps a stream alive and ends it when its reader may no longer read: looks with every beat, when something that the
 * access stands on was changed, and when its time comes. A database that is away ends nothing.
 */
export function holdOpen(cx: Pick<Cx, 'wake' | 'settings' | 'log'>, reader: Reader, held: Held): () => void {
  const beatMs = cx.settings.streamHeartbeatSeconds * 1000
  let stopped = false
  let looking: Promise<void> = Promise.resolve()
  let soon: NodeJS.Timeout | undefined
  let due: NodeJS.Timeout | undefined

  const look = async () => {
    if (stopped) return
    try {
      const until = await held.admit()
      const left = until === null ? Number.POSITIVE_INFINITY : until.getTime() - Date.now()
      clearTimeout(due)
      if (!stopped && left < beatMs) due = setTimeout(lookNow, Math.max(0, left) + onceOverMs)
    } catch (error) {
      if (error instanceof Refusal) reader.end()
      else cx.log.warn({ err: error }, 'a stream could not be looked at')
    }
  }
  const lookNow = () => {
    soon = undefined
    // One after the other: what changes during a look is seen by the next.
    looking = looking.then(look)
  }
  const lookSoon = () => {
    soon ??= setTimeout(lookNow, Math.random() * spreadMs)
  }
  const beat = () => {
    reader.beat()
    lookNow()
    beating = setTimeout(beat, beatMs)
  }
  // Readers who came together, as they do behind a restart, would otherwise ask the database together ever after.
  let beating = setTimeout(beat, Math.random() * beatMs)
  const stops = held.standsOn.map((id) => cx.wake.subscribe(accessTopic(id), lookSoon))
  return () => {
    stopped = true
    clearTimeout(beating)
    clearTimeout(soon)
    clearTimeout(due)
    for (const stop of stops) stop()
  }
}
