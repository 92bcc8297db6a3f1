import type { DownloadHost, DownloadRun } from './download-run.ts'
import { judgeRefusal } from './faults.ts'
import { gather } from './gather.ts'
import type { FileUrl } from './ports.ts'
import { persist, persistCall } from './retry.ts'
import type { StoreReach } from './store-reach.ts'
import { orAborted } from './waits.ts'

/** Where a file can be fetched from, for a while. */
export interface Address {
  readonly get: () => Promise<string>
  /** This one was refused. */
  readonly forget: (url: string) => void
}

const mostInOneCall = 500
const lingerMs = 10

/** Asks for addresses, many by one call. Rejects with the refusal of the one file it is about. */
export function addressAsker(
  host: DownloadHost,
  signal: AbortSignal,
  reach: StoreReach,
): (fileId: string) => Promise<string> {
  return gather(host.clock, signal, { most: mostInOneCall, lingerMs }, async (ids) => {
    const asked = [...new Set(ids)]
    const results = await persistCall(host, signal, (signal) => host.calls.fileUrls(asked, signal))
    reach.addressed()
    const found = new Map(results.map((result) => [result.file_id, result]))
    return ids.map((id) => urlIn(found.get(id)))
  })
}

function urlIn(result: FileUrl | undefined): string | Error {
  if (result?.url !== undefined) return result.url
  const { status = 500, error, message } = result ?? {}
  return judgeRefusal({
    status,
    ...(error === undefined ? {} : { error }),
    ...(message === undefined ? {} : { message }),
  })
}

// Addresses live 15 minutes, and a large stretch on a slow line should still begin in time.
const oldestMs = 5 * 60_000

export function createAddress(run: DownloadRun, fileId: string, signal: AbortSignal): Address {
  const { clock } = run.host
  let asked: { readonly at: number; readonly url: Promise<string> } | undefined
  let known: string | undefined

  return {
    get: async () => {
      if (asked === undefined || clock.now() - asked.at >= oldestMs) {
        const url = persist(run.host, signal, () => orAborted(run.addressOf(fileId), signal))
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
