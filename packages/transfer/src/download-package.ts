import { addressAsker } from './address.ts'
import { downloadFile } from './download-file.ts'
import { type DownloadMemory, recallDownload } from './download-journal.ts'
import type { DownloadHost, DownloadRun } from './download-run.ts'
import { type Fault, judge } from './faults.ts'
import { feed } from './feed.ts'
import { createMeter } from './meter.ts'
import { createNotebook } from './notebook.ts'
import { stretchSize } from './plan.ts'
import type { Progress } from './progress.ts'
import { type Interrupted, runTransfer } from './run-transfer.ts'
import { createStoreReach } from './store-reach.ts'
import type { FileNews } from './transfer-host.ts'

export interface DownloadOptions {
  /** How a file of this size is cut; must answer the same in every run. */
  readonly stretchSize?: (size: number) => number
  /** The higher one goes first where transfers share their lanes. May change while it runs. */
  readonly priority?: () => number
  readonly onFile?: (n: number, news: FileNews) => void
  /** Bytes of this file that have arrived, as often as there is something new. Never goes back. */
  readonly onBytes?: (n: number, bytes: number, all: Progress) => void
  /** The cloud gives addresses and the store is silent at them, time and again; or it is there again. */
  readonly onStore?: (reached: boolean) => void
}

export type DownloadOutcome = Interrupted | { readonly state: 'complete' }

/** Fetches files of one package, in as many runs as it takes, like `uploadPackage`. */
export async function downloadPackage(
  host: DownloadHost,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<DownloadOutcome> {
  const memory = await recallDownload(host.journal, host.boot)
  const interrupted = await runTransfer(signal, (scope, failed) => downloadFiles(host, options, memory, scope, failed))
  return interrupted ?? { state: 'complete' }
}

async function downloadFiles(
  host: DownloadHost,
  options: DownloadOptions,
  memory: DownloadMemory,
  scope: AbortController,
  failed: Fault[],
): Promise<void> {
  const meter = createMeter(host.clock, (n, bytes) => options.onBytes?.(n, bytes, meter.progress()))
  const reach = createStoreReach(host.clock, (reached) => options.onStore?.(reached))
  const run: DownloadRun = {
    host,
    signal: scope.signal,
    meter,
    reach,
    ...createNotebook(host.journal),
    addressOf: addressAsker(host, scope.signal, reach),
    cut: options.stretchSize ?? stretchSize,
  }
  const { priority = () => 0 } = options
  // Small files ask for their address as long as they take to fetch: with twice the files no lane waits for them.
  const mostOpen = 2 * host.lanes.most()
  await feed(host.files, mostOpen, scope, async (file, order) => {
    const { n } = file
    if (memory.done.has(n)) {
      meter.file(n).found(file.size)
      meter.close(n)
      return
    }
    const left = memory.open.get(n)
    memory.open.delete(n)
    try {
      options.onFile?.(n, { state: 'transferring' })
      await downloadFile(run, file, left, { priority, order })
      options.onFile?.(n, { state: 'complete' })
    } catch (error) {
      scope.signal.throwIfAborted()
      const fault = judge(error)
      if (fault.verdict !== 'permanent') throw error
      options.onFile?.(n, { state: 'error', fault })
      failed.push(fault)
    } finally {
      meter.close(n)
    }
  })
}
