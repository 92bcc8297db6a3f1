import { requestsToAsk } from './plan.ts'
import type { Blueprint } from './ports.ts'
import { persistCall } from './retry.ts'
import type { UploadRun } from './upload-run.ts'

/** Signed requests for the chunks of one file, asked for a few at a time and just before they are needed. */
export interface ChunkWindow {
  readonly requestFor: (index: number) => Promise<Blueprint>
  /** This one was refused, and those that were signed together with it will be. */
  readonly forget: (request: Blueprint) => void
}

// Addresses live an hour unless the operator chose less. Asking again costs nothing.
const oldestMs = 10 * 60_000

interface Asked {
  readonly at: number
  readonly from: number
  readonly to: number
  readonly requests: Promise<readonly Blueprint[]>
  /** The same, once they are there. */
  signed: readonly Blueprint[]
}

export function chunkWindow(
  run: UploadRun,
  signal: AbortSignal,
  file: { readonly id: string; readonly uploadId: string; readonly chunks: number },
): ChunkWindow {
  const { clock, calls, lanes } = run.host
  let asked: Asked | undefined

  const ask = (start: number): Asked => {
    const count = requestsToAsk(lanes.limit(), start, file.chunks)
    const wanted = { uploadId: file.uploadId, start, count }
    const requests = persistCall(run.host, signal, (signal) => calls.chunkRequests(file.id, wanted, signal))
    const one: Asked = { at: clock.now(), from: start, to: start + count, requests, signed: [] }
    requests.then(
      (signed) => {
        one.signed = signed
        run.reach.addressed()
      },
      // Whoever waits for it hears of it too; nobody may be waiting any more.
      () => undefined,
    )
    return one
  }

  const has = (index: number, one: Asked | undefined): one is Asked =>
    one !== undefined && index >= one.from && index < one.to && clock.now() - one.at < oldestMs

  return {
    requestFor: async (index) => {
      if (!has(index, asked)) asked = ask(index)
      const { from, requests } = asked
      const request = (await requests)[index - from]
      if (request === undefined) throw new Error(`The server left out the request for chunk ${index}.`)
      return request
    },
    forget: (request) => {
      if (asked?.signed.includes(request)) asked = undefined
    },
  }
}
