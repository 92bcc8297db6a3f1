import { createCarrier } from './carry-file.ts'
import { takeUpEarlierRuns } from './earlier-runs.ts'
import type { Fault } from './faults.ts'
import { feed } from './feed.ts'
import { createMeter } from './meter.ts'
import type { Progress } from './progress.ts'
import { persistCall } from './retry.ts'
import { type Interrupted, runTransfer } from './run-transfer.ts'
import { createNotebook } from './notebook.ts'
import { createStoreReach } from './store-reach.ts'
import type { FileNews } from './transfer-host.ts'
import { recallUpload, type UploadMemory } from './upload-journal.ts'
import type { UploadHost, UploadRun } from './upload-run.ts'

export interface UploadOptions {
  /** Close the package once all files are up. */
  readonly finalize: boolean
  /** The higher one goes first where transfers share their lanes. May change while it runs. */
  readonly priority?: () => number
  readonly onFile?: (n: number, news: FileNews) => void
  /** Bytes of this file that are up, as often as there is something new. Never goes back. */
  readonly onBytes?: (n: number, bytes: number, all: Progress) => void
  /** The cloud gives addresses and the store is silent at them, time and again; or it is there again. */
  readonly onStore?: (reached: boolean) => void
}

export type UploadOutcome =
  | Interrupted
  /** The package is finalized. */
  | { readonly state: 'complete' }
  /** All files are up, and the package can still take more. */
  | { readonly state: 'idle' }

// Files that the package knows and storage does not have yet. Their addresses should be young when they are used.
const mostOpen = 1_000

/**
 * Uploads the files of one package, in as many runs as it takes: end a run by its signal or by killing the process, and
 * the next one, with the same journal, goes on where it was.
 */
export async function uploadPackage(
  host: UploadHost,
  options: UploadOptions,
  signal: AbortSignal,
): Promise<UploadOutcome> {
  const memory = await recallUpload(host.journal)
  const interrupted = await runTransfer(signal, async (scope, failed) => {
    await uploadFiles(host, options, memory, scope, failed)
    if (!options.finalize || failed.length > 0) return
    await persistCall(host, scope.signal, (signal) => host.calls.finalizePackage(signal))
  })
  return interrupted ?? { state: options.finalize ? 'complete' : 'idle' }
}

async function uploadFiles(
  host: UploadHost,
  options: UploadOptions,
  memory: UploadMemory,
  scope: AbortController,
  failed: Fault[],
): Promise<void> {
  const meter = createMeter(host.clock, (n, bytes) => options.onBytes?.(n, bytes, meter.progress()))
  const run: UploadRun = {
    host,
    signal: scope.signal,
    priority: options.priority ?? (() => 0),
    meter,
    reach: createStoreReach(host.clock, (reached) => options.onStore?.(reached)),
    note: createNotebook(host.journal).note,
    tell: (n, news) => options.onFile?.(n, news),
  }
  const carry = createCarrier(run, await takeUpEarlierRuns(run, memory))
  await feed(host.files, mostOpen, scope, async (source, order) => {
    if (memory.done.has(source.n)) {
      meter.file(source.n).found(source.kind === 'file' ? source.size : 0)
      meter.close(source.n)
      return
    }
    const fault = await carry(source, order)
    meter.close(source.n)
    if (fault !== undefined) failed.push(fault)
  })
}
