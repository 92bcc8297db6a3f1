import type { DownloadRun } from './download-run.ts'
import type { Range } from './plan.ts'
import type { PartFile, WantedFile } from './ports.ts'

/** Syncs one file behind its writers. */
export interface Syncing {
  /** Resolves once this stretch would not be fetched again after a kill. After a crash of the machine it may be. */
  readonly written: (range: Range) => Promise<void>
  /** Resolves once nothing is under way any more. Throws where the disk has failed: another try would not be told. */
  readonly settled: () => Promise<void>
}

// No lane waits for the disk after each stretch, and what the loss of power costs stays bounded.
const stretchesUnsynced = 8

export function createSyncing(run: DownloadRun, { n }: WantedFile, part: PartFile): Syncing {
  let unsynced: Range[] = []
  let running: Promise<void> | undefined
  let failure: unknown

  const syncAll = async () => {
    while (unsynced.length >= stretchesUnsynced) {
      const these = unsynced
      unsynced = []
      await part.sync()
      await run.note(...these.map((range) => ({ kind: 'stretch', n, ...range }) as const))
    }
  }

  return {
    written: async (range) => {
      if (failure !== undefined) throw failure
      await run.jot({ kind: 'written', n, ...range, boot: run.host.boot })
      unsynced.push(range)
      running ??= syncAll()
        .catch((error: unknown) => {
          failure = error
        })
        .finally(() => (running = undefined))
    },
    settled: async () => {
      await running
      if (failure !== undefined) throw failure
    },
  }
}
