import type { Stream, StreamEvent } from '@longshore/kit/door/stream'

/** What happens to transfers, for whoever follows. */
export interface Feed {
  readonly tell: (type: string, data: unknown) => void
  /** Goes on behind `lastEventId`; where that is too long ago, everything is told anew first. */
  readonly follow: (lastEventId: string | undefined) => Stream
}

// A page that was reloaded, or a line that was away for a while, finds what it missed.
const kept = 1_000

const beatMs = 15_000

/** `process` is new with every start: an id of an earlier one is no place in this feed. */
export function createFeed(process: string, everything: () => readonly Omit<StreamEvent, 'id'>[]): Feed {
  const events: StreamEvent[] = []
  const readers = new Set<(event: StreamEvent) => void>()
  let count = 0
  const idOf = (n: number) => `${process}.${n}`

  /** What came behind an event; undefined where nobody knows any more. */
  const since = (id: string): readonly StreamEvent[] | undefined => {
    if (id === idOf(count)) return []
    const at = events.findIndex((event) => event.id === id)
    return at === -1 ? undefined : events.slice(at + 1)
  }

  /** Only the last can be gone on from: who heard less has to hear it all again. */
  const anew = (): readonly StreamEvent[] => {
    const all = everything()
    return all.map((one, index) => (index === all.length - 1 ? { ...one, id: idOf(count) } : one))
  }

  return {
    tell: (type, data) => {
      count++
      const event = { id: idOf(count), type, data: JSON.stringify(data) }
      events.push(event)
      if (events.length > kept) events.shift()
      for (const reader of readers) reader(event)
    },
    follow: (lastEventId) => (reader) => {
      const missed = lastEventId === undefined ? [] : since(lastEventId)
      for (const event of missed ?? anew()) reader.tell(event)
      const listen = (event: StreamEvent) => reader.tell(event)
      readers.add(listen)
      const beating = setInterval(() => reader.beat(), beatMs)
      return () => {
        clearInterval(beating)
        readers.delete(listen)
      }
    },
  }
}
