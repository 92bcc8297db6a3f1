import type { Turn } from './lane-pool.ts'
import type { Meter } from './meter.ts'
import type {
  Blueprint,
  Checksums,
  Claim,
  Growth,
  Hasher,
  Journal,
  Look,
  OpenSource,
  Send,
  SourceFile,
  UploadCalls,
} from './ports.ts'
import type { StoreReach } from './store-reach.ts'
import type { FileNews, TransferHost } from './transfer-host.ts'
import type { UploadNote } from './upload-journal.ts'

export interface UploadHost extends TransferHost {
  /** In the order in which they shall go; the same numbers for the same files in every run. */
  readonly files: AsyncIterable<SourceFile>
  readonly calls: UploadCalls
  readonly send: Send
  /** Without it, files that go in chunks are finalized without checksums, and the server makes them. */
  readonly hasher?: Hasher
  readonly journal: Journal<UploadNote>
  /** `sendGrowth`, where sources may still grow. Left out, it is not part of what a page loads. */
  readonly sendGrowth?: (run: UploadRun, file: Planned, upload: Upload, growth: Growth) => Promise<Sent>
}

/** One run of an upload. */
export interface UploadRun {
  readonly host: UploadHost
  readonly signal: AbortSignal
  readonly priority: () => number
  readonly meter: Meter
  readonly reach: StoreReach
  readonly note: (...notes: readonly UploadNote[]) => Promise<void>
  readonly tell: (n: number, news: FileNews) => void
}

/** A file that the package knows, on its way to storage. */
export interface Planned {
  readonly source: SourceFile
  readonly id: string
  /** What the source must be, before and after it is read. */
  readonly look: Look
  readonly chunkSize: number
  readonly chunked: boolean
  /** True where storage may have something of it already. */
  readonly resumed: boolean
  readonly turn: Turn
  readonly put: Blueprint | undefined
  readonly create: Blueprint | undefined
  readonly uploadId: string | undefined
  readonly claim: Claim | undefined
}

/** A file in chunks, on its way. */
export interface Upload {
  readonly uploadId: string
  readonly source: OpenSource
  /** Of the chunks that storage has, by index. */
  readonly etags: Map<number, string>
}

/** What storage has of a file once all of its chunks are there. */
export interface Sent {
  readonly size: number
  readonly checksums: Checksums | undefined
}
