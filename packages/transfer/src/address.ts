import type { DownloadRun } from './download-run.ts'
import { persistCall } from './retry.ts'

/** Where a file can be fetched from, for a while. */
export interface Address {
  readonly get: () => Promise<string>
  /** This one was refused. */
  readonly forget: (url: string) => void
}

// Addresses live 15 minutes, and a large stretch on a slow line should still begin in time.
const oldestMs = 5 * 60_000

export function createAddress(run: DownloadRun, fileId: string, signal: AbortSignal): Address {
  const { clock, calls } = run.host
  let asked: { readonly at: number; readonly url: Promise<string> } | undefined
  let known: string | undefined

  return {
    get: async () => {
      if (asked === undefined || clock.now() - asked.at >= oldestMs) {
        const url = persistCall(run.host, signal, (signal) => calls.fileUrl(fileId, signal))
        asked = { at: clock.now(), url }
      }
      known = await asked.url
      return known
    },
    forget: (url) => {
      if (url === known) asked = undefined
    },
  }
}
