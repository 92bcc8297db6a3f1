import type { Clock } from '@longshore/transfer/ports'
import { noProgress, type Progress, secondsLeft, speedAt } from '@longshore/transfer/progress'
import type { FileNews } from '@longshore/transfer/transfer-host'
import type { Database } from '#state/database'
import { type ItemNews, type ItemState, readItem, saveItem } from '#state/items'
import { saveProgress, type TransferRow } from '#state/transfers'
import { shownError } from './errors.ts'

/**
 * What one run tells of its files, on its way into the state. Nothing depends on it but what is shown, so it is written
 * now and then, and what a crash loses of it the next run tells again.
 */
export interface Book {
  readonly onFile: (n: number, news: FileNews) => void
  readonly onBytes: (n: number, bytes: number, all: Progress) => void
  readonly write: () => void
  /** How often something was told: whoever remembers it knows whether there is news. */
  readonly told: () => number
  readonly shown: () => Pace
}

/** How fast a transfer goes just now. */
export interface Pace {
  readonly bytes: number
  readonly bytesPerSecond: number
  readonly secondsLeft: (size: number) => number | undefined
}

// Written before they become so many that writing them would hold up the bytes.
const mostUnwritten = 500

export function openBook(db: Database, row: TransferRow, clock: Clock, now: () => Date): Book {
  const news = new Map<number, { state?: ItemState; progress: number; error: string | null }>()
  let filesDone = row.files_done
  let progress = noProgress(clock.now())
  // A new run begins to count at nothing; who watches has seen more.
  const before = row.progress

  let told = 0

  const of = (n: number) => {
    told++
    const one = news.get(n) ?? { progress: 0, error: null }
    news.set(n, one)
    return one
  }

  const write = () => {
    if (news.size === 0) return
    db.passing(() => {
      for (const [n, one] of news) {
        const known = readItem(db, row.seq, n)
        if (known === undefined) continue
        const state = one.state ?? known.state
        if (state === 'complete' && known.state !== 'complete' && known.kind === 'file') filesDone++
        const fresh: ItemNews = { state, progress: state === 'complete' ? known.size : one.progress, error: one.error }
        saveItem(db, row.seq, n, fresh)
      }
      saveProgress(db, row.seq, Math.max(before, progress.bytes), filesDone, now())
    })
    news.clear()
  }

  return {
    onFile: (n, told) => {
      const one = of(n)
      one.state = told.state
      one.error = told.state === 'error' ? JSON.stringify(shownError(told.fault)) : null
      if (news.size >= mostUnwritten) write()
    },
    onBytes: (n, bytes, all) => {
      of(n).progress = bytes
      progress = all
    },
    write,
    told: () => told,
    shown: () => ({
      bytes: Math.max(before, progress.bytes),
      bytesPerSecond: speedAt(progress, clock.now()),
      secondsLeft: (size) => secondsLeft(progress, clock.now(), size),
    }),
  }
}
