import { Fault, faultOf, HostFault } from '@longshore/transfer/faults'
import type { DownloadOutcome } from '@longshore/transfer/download-package'
import type { UploadOutcome } from '@longshore/transfer/upload-package'
import { tellProgress } from '#cloud/packages'
import { completeItems, releaseItems } from '#state/items'
import { isStateTrouble } from '#state/database'
import { dropJournal } from '#state/journal'
import {
  changeState,
  type Direction,
  queueOf,
  readTransfer,
  saveSecrets,
  settleProgress,
  type TransferRow,
} from '#state/transfers'
import { type Book, openBook, type Pace } from './book.ts'
import { shownError, unexpectedError } from './errors.ts'
import type { Means } from './means.ts'
import { mayRun } from './order.ts'
import { uploadSecrets } from './plans.ts'
import { runDownload } from './run-download.ts'
import { runUpload } from './run-upload.ts'
import { nextState, type Trigger } from './states.ts'

/** The transfers that move bytes at this moment. */
export interface Runs {
  /** Begins and ends runs until they are those that may be. */
  readonly arrange: (direction: Direction) => void
  /** How fast the run of a transfer goes, if it has one. */
  readonly pace: (id: string) => Pace | undefined
  /** Writes down what the run of a transfer has told so far, if it has one and the disk takes it. */
  readonly writeDown: (id: string) => void
  /** Ends the run of a transfer, if it has one. Resolves when nothing of it is under way any more. */
  readonly end: (id: string) => Promise<void>
  readonly close: () => Promise<void>
}

interface Run {
  readonly row: TransferRow
  readonly book: Book
  readonly stop: AbortController
  over: Promise<void>
  /** What of its book the followers have heard. */
  heard: number
  /** True while the cloud is being told how far it is. */
  telling: boolean
}

export interface RunNews {
  readonly changed: (direction: Direction, ids: readonly string[]) => void
  readonly progress: (direction: Direction, ids: readonly string[]) => void
}

const tellEveryMs = 1_000
const pauseAfterTroubleMs = 5_000

export function createRuns(means: Means, news: RunNews): Runs {
  const { db, clock, now, log } = means
  const runs = new Map<string, Run>()
  let closing = false

  const countFor = (direction: Direction) => {
    const fifo = means.settings.value('fifo')
    const count = direction === 'up' ? fifo.active_upload_count : fifo.active_download_count
    return { enabled: fifo.enabled, count }
  }

  const arrange = (direction: Direction) => {
    const may = closing ? new Set<string>() : mayRun(queueOf(db, direction), countFor(direction))
    for (const [id, { row, stop }] of runs) if (row.direction === direction && !may.has(id)) stop.abort()
    for (const id of may) {
      const row = runs.has(id) ? undefined : readTransfer(db, direction, id)
      if (row !== undefined) begin(row)
    }
  }

  const begin = (row: TransferRow) => {
    const book = openBook(db, row, clock, now)
    const run: Run = { row, book, stop: new AbortController(), over: Promise.resolve(), heard: 0, telling: false }
    runs.set(row.id, run)
    log.info({ transfer: row.id, direction: row.direction, package_id: row.package_id }, 'run begins')
    run.over = carry(run).then(
      () => over(run),
      (error: unknown) => {
        // The state itself takes no notes, most likely for want of space. Nothing is lost; waiting may heal it.
        log.error({ transfer: row.id, err: error }, 'the end of a run could not be noted')
        setTimeout(() => over(run), pauseAfterTroubleMs).unref()
      },
    )
  }

  const over = ({ row }: Run) => {
    runs.delete(row.id)
    // Whoever paused and resumed it meanwhile, or waits for its place.
    if (!closing) arrange(row.direction)
  }

  const carry = async (run: Run): Promise<void> => {
    const { row, book } = run
    const { signal } = run.stop
    try {
      const outcome = await (row.direction === 'up' ? runUpload : runDownload)(means, row, book, signal)
      write(run)
      settle(row, outcome)
    } catch (error) {
      if (signal.aborted) return
      write(run)
      if (error instanceof Fault || error instanceof HostFault) {
        settle(row, { state: 'error', fault: faultOf(error), failedFiles: 0 })
        return
      }
      if (isStateTrouble(error)) throw error
      log.error({ transfer: row.id, err: error }, 'run failed unexpectedly')
      settle(row, undefined)
    }
  }

  const settle = (row: TransferRow, outcome: UploadOutcome | DownloadOutcome | undefined) => {
    const before = readTransfer(db, row.direction, row.id)
    if (before === undefined) return
    releaseItems(db, row.seq, ['transferring'])
    if (outcome?.state === 'paused') return
    const to = nextState(before.state, triggerOf(outcome))
    if (to === undefined) return
    const error = outcome === undefined || outcome.state === 'error' ? JSON.stringify(errorOf(row, outcome)) : undefined
    db.transaction(() => {
      const change = { from: [before.state], to, ...(error === undefined ? {} : { error }) }
      changeState(db, row.seq, change, now())
      if (to === 'error') return
      completeItems(db, row.seq)
      settleProgress(db, row.seq)
      if (to !== 'complete') return
      dropJournal(db, row.seq)
      // Nothing more is to be fetched by them; those of an upload still make links.
      if (row.direction === 'down') saveSecrets(db, row.seq, '{}')
    })
    log.info({ transfer: row.id, direction: row.direction, state: to, error }, 'run ends')
    news.changed(row.direction, [row.id])
  }

  /** To followers and the cloud, once a second at most. */
  const tell = () => {
    const fresh = [...runs.values()].filter((run) => !run.stop.signal.aborted && run.heard !== run.book.told())
    for (const run of fresh) {
      run.heard = run.book.told()
      write(run)
      if (run.row.direction === 'up') tellCloud(run)
    }
    for (const direction of ['up', 'down'] as const) {
      const ids = fresh.filter(({ row }) => row.direction === direction).map(({ row }) => row.id)
      if (ids.length > 0) news.progress(direction, ids)
    }
  }

  const write = ({ row, book }: Run) => {
    try {
      book.write()
    } catch (error) {
      log.error({ transfer: row.id, err: error }, 'progress could not be written')
    }
  }

  const tellCloud = (run: Run) => {
    if (run.telling) return
    run.telling = true
    const opened = { id: run.row.package_id, token: uploadSecrets(run.row).token }
    // Nothing depends on it: what the cloud does not hear now it hears in a second.
    tellProgress(means.client, opened, run.book.shown().bytes)
      .catch(() => undefined)
      .finally(() => (run.telling = false))
  }

  const telling = setInterval(tell, tellEveryMs)

  const end = async (id: string) => {
    const run = runs.get(id)
    run?.stop.abort()
    await run?.over
  }

  return {
    arrange,
    pace: (id) => runs.get(id)?.book.shown(),
    writeDown: (id) => {
      const run = runs.get(id)
      if (run !== undefined) write(run)
    },
    end,
    close: async () => {
      closing = true
      clearInterval(telling)
      await Promise.all([...runs.keys()].map(end))
    },
  }
}

function triggerOf(outcome: UploadOutcome | DownloadOutcome | undefined): Trigger {
  if (outcome?.state === 'complete') return 'finalized'
  return outcome?.state === 'idle' ? 'all moved' : 'failed'
}

function errorOf({ type }: TransferRow, outcome: { readonly fault: Fault; readonly failedFiles: number } | undefined) {
  const known = outcome === undefined ? unexpectedError() : shownError(outcome.fault)
  // What the cloud ordered goes on when the cloud orders it again.
  const shown = type === 'gateway' ? { ...known, recoverable: false } : known
  if (outcome === undefined || outcome.failedFiles < 2) return shown
  return { ...shown, message: `${outcome.failedFiles} files failed. The last: ${shown.message}` }
}
