import type { DownloadNote } from './download-journal.ts'
import type { Meter } from './meter.ts'
import type { Notebook } from './notebook.ts'
import type { DownloadCalls, Hasher, Journal, Receive, WantedFile } from './ports.ts'
import type { StoreReach } from './store-reach.ts'
import type { TransferHost } from './transfer-host.ts'

export interface DownloadHost extends TransferHost {
  /** In the order in which they shall come; the same numbers for the same files in every run. */
  readonly files: AsyncIterable<WantedFile>
  readonly calls: DownloadCalls
  readonly receive: Receive
  readonly hasher: Hasher
  readonly journal: Journal<DownloadNote>
  /** Another one each time the machine was started: until then, what was written is there, synced or not. */
  readonly boot: string
}

/** One run of a download. */
export interface DownloadRun {
  readonly host: DownloadHost
  readonly signal: AbortSignal
  readonly meter: Meter
  readonly reach: StoreReach
  readonly addressOf: (fileId: string) => Promise<string>
  /** Bytes of a stretch, for a file of this size. */
  readonly cut: (size: number) => number
  readonly note: Notebook<DownloadNote>['note']
  readonly jot: Notebook<DownloadNote>['jot']
}
