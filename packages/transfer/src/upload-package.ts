import { createCarrier } from './carry-file.ts'
import { takeUpEarlierRuns } from './earlier-runs.ts'
import { type Fault, faultOf } from './faults.ts'
import { feed } from './feed.ts'
import { createMeter } from './meter.ts'
import type { Progress } from './progress.ts'
import { persistCall } from './retry.ts'
import { createNotebook } from './notebook.ts'
import type { FileNews } from './transfer-host.ts'
import { recallUpload, type UploadMemory } from './upload-journal.ts'
import type { UploadHost, UploadRun } from './upload-run.ts'
import { inScope } from './waits.ts'

export interface UploadOptions {
  /** Close the package once all files are up. */
  readonly finalize: boolean
  /** The higher one goes first where transfers share their lanes. May change while it runs. */
  readonly priority?: () => number
  readonly onFile?: (n: number, news: FileNews) => void
  /** Bytes of this file that are up, as often as there is something new. Never goes back. */
  readonly onBytes?: (n: number, bytes: number, all: Progress) => void
}

export type UploadOutcome =
  /** The package is finalized. */
  | { readonly state: 'complete' }
  /** All files are up, and the package can still take more. */
  | { readonly state: 'idle' }
  /** The signal ended it. Running it again goes on where it was. */
  | { readonly state: 'paused' }
  /** `fault` is what ended it, or the last that a single file met; the other files are up. May be run again. */
  | { readonly state: 'error'; readonly fault: Fault; readonly failedFiles: number }

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
  const failed: Fault[] = []
  try {
    await inScope(signal, (scope) => uploadFiles(host, options, memory, scope, (fault) => failed.push(fault)))
    const last = failed.at(-1)
    if (last !== undefined) return { state: 'error', fault: last, failedFiles: failed.length }
    if (!options.finalize) return { state: 'idle' }
    await persistCall(host, signal, (signal) => host.calls.finalizePackage(signal))
    return { state: 'complete' }
  } catch (error) {
    if (signal.aborted) return { state: 'paused' }
    return { state: 'error', fault: faultOf(error), failedFiles: failed.length }
  }
}

async function uploadFiles(
  host: UploadHost,
  options: UploadOptions,
  memory: UploadMemory,
  scope: AbortController,
  onFailed: (fault: Fault) => void,
): Promise<void> {
  const meter = createMeter(host.clock, (n, bytes) => options.onBytes?.(n, bytes, meter.progress()))
  const run: UploadRun = {
    host,
    signal: scope.signal,
    priority: options.priority ?? (() => 0),
    meter,
    note: createNotebook(host.journal),
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
    if (fault !== undefined) onFailed(fault)
  })
}
