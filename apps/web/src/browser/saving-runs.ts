import { type DownloadOptions, downloadPackage } from '@longshore/transfer/download-package'
import type { DownloadHost } from '@longshore/transfer/download-run'
import type { DownloadNote } from '@longshore/transfer/download-journal'
import type { DownloadCalls, Journal, WantedFile } from '@longshore/transfer/ports'
import { type Progress, secondsLeft, speedAt } from '@longshore/transfer/progress'
import type { Saving, SavingState } from './download-messages.ts'
import { folderTarget, passingHasher, receive, type ToSave, wholeFile } from './folder-target.ts'
import { chance, clock, createLanes } from './host.ts'

export interface SavingRuns {
  readonly start: () => void
  readonly pause: () => void
}

const reportEveryMs = 200

/** Saves files into a folder, in as many runs as it takes. What the folder has already, byte for byte, is not fetched. */
export function createSavingRuns({
  calls,
  folder,
  files,
  report,
}: {
  readonly calls: DownloadCalls
  readonly folder: FileSystemDirectoryHandle
  readonly files: readonly (ToSave & { readonly row: number })[]
  readonly report: (saving: Saving) => void
}): SavingRuns {
  const target = folderTarget(folder)
  const journal = memoryJournal<DownloadNote>()
  const lanes = createLanes()
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const saved = new Map<number, number>()
  const done = new Set<number>()
  const failed = new Map<number, string>()
  let progress: Progress | undefined
  let storeAt = ''
  let storeAway: string | undefined
  let stop: AbortController | undefined

  const tell = (state: SavingState, fault?: string) => {
    const now = clock.now()
    report({
      state,
      fault,
      storeAway,
      files: files.length,
      done: done.size,
      bytes,
      saved: [...saved.values()].reduce((sum, part) => sum + part, 0),
      failed: [...failed].map(([n, fault]) => ({ row: files[n]?.row ?? 0, fault })),
      speed: {
        bytesPerSecond: progress === undefined ? 0 : speedAt(progress, now),
        secondsLeft: progress === undefined ? undefined : secondsLeft(progress, now, bytes),
      },
    })
  }

  async function* wanted(): AsyncGenerator<WantedFile> {
    for (const [n, file] of files.entries()) {
      if (!done.has(n) && (await target.has(file))) {
        done.add(n)
        saved.set(n, file.size)
      } else yield target.wanted(n, file)
    }
  }

  const options: DownloadOptions = {
    stretchSize: wholeFile,
    onStore: (reached) => {
      storeAway = reached ? undefined : new URL(storeAt).host
    },
    onBytes: (n, sofar, all) => {
      progress = all
      saved.set(n, Math.max(saved.get(n) ?? 0, sofar))
    },
    onFile: (n, news) => {
      if (news.state === 'complete') {
        done.add(n)
        saved.set(n, files[n]?.size ?? 0)
      } else if (news.state === 'error') failed.set(n, news.fault.code)
    },
  }

  const start = () => {
    if (stop !== undefined) return
    stop = new AbortController()
    failed.clear()
    const timer = setInterval(() => tell('running'), reportEveryMs)
    const host: DownloadHost = {
      clock,
      chance,
      lanes,
      files: wanted(),
      calls,
      receive: (stretch, ...how) => {
        storeAt = stretch.url
        return receive(stretch, ...how)
      },
      hasher: passingHasher,
      journal,
      boot,
    }
    void downloadPackage(host, options, stop.signal)
      .finally(() => {
        clearInterval(timer)
        stop = undefined
      })
      .then(
        (outcome) => {
          if (outcome.state === 'error') tell('failed', outcome.fault.code)
          else tell(outcome.state)
        },
        () => tell('failed', 'internal_error'),
      )
    tell('running')
  }

  return { start, pause: () => stop?.abort() }
}

// The notes are as old as the page, and so the machine was not started since.
const boot = ''

/** Lives as long as the page: what a browser had not finished writing is gone with the page as well. */
function memoryJournal<Note>(): Journal<Note> {
  const kept: Note[] = []
  return {
    append: async (notes) => void kept.push(...notes),
    load: async function* () {
      yield* kept.slice()
    },
  }
}
