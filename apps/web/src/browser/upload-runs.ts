import type { Client } from '@longshore/client/client'
import { packageCalls } from '@longshore/client/package-calls'
import { type Progress, secondsLeft, speedAt } from '@longshore/transfer/progress'
import type { SourceFile } from '@longshore/transfer/ports'
import { type UploadOutcome, uploadPackage } from '@longshore/transfer/upload-package'
import { chance, clock, createLanes } from './host.ts'
import { forgetUpload, type KeptUpload, uploadJournal } from './kept-uploads.ts'
import type { Selection } from './selection.ts'
import { send } from './send.ts'
import { sourceOf } from './sources.ts'
import type { EntryNews, Speed, UploadReport } from './upload-messages.ts'

/** The runs of one upload, one after the other. */
export interface UploadRuns {
  readonly start: (upload: KeptUpload) => void
  readonly pause: () => Promise<void>
  /** Begins a new run at once where the present one moves nothing: it waits longer and longer after each failure. */
  readonly hurry: () => Promise<void>
}

const reportEveryMs = 200
const quietMs = 3_000

interface Run {
  readonly upload: KeptUpload
  readonly stop: AbortController
  readonly ended: Promise<void>
  movedAt: number
}

export function createUploadRuns({
  client,
  selection,
  done,
  report,
}: {
  readonly client: Client
  readonly selection: Selection
  readonly done: Set<number>
  readonly report: (report: UploadReport) => void
}): UploadRuns {
  const lanes = createLanes()
  let run: Run | undefined

  async function* files(): AsyncGenerator<SourceFile> {
    for (const [n, chosen] of selection.entries()) yield sourceOf(n, chosen)
  }

  const carry = async (upload: KeptUpload, signal: AbortSignal, moved: () => void): Promise<UploadOutcome> => {
    const news = new Map<number, EntryNews>()
    let progress: Progress | undefined
    let storeAt = ''
    const flush = () => {
      report({ kind: 'news', news: [...news.values()], speed: speedOf(progress, upload.bytes) })
      news.clear()
    }
    const timer = setInterval(flush, reportEveryMs)
    const sizeOf = (n: number) => selection.get(n)?.size ?? 0
    try {
      return await uploadPackage(
        {
          clock,
          chance,
          lanes,
          files: files(),
          send: (request, ...how) => {
            storeAt = request.url
            return send(request, ...how)
          },
          calls: packageCalls(client, upload.id, upload.token),
          journal: uploadJournal(upload.id),
        },
        {
          finalize: true,
          onStore: (reached) => report({ kind: 'store', away: reached ? undefined : new URL(storeAt).host }),
          onBytes: (n, bytes, all) => {
            progress = all
            moved()
            news.set(n, { n, state: done.has(n) ? 'done' : 'moving', bytes })
          },
          onFile: (n, { state, ...more }) => {
            if (state === 'complete') {
              done.add(n)
              news.set(n, { n, state: 'done', bytes: sizeOf(n) })
            } else if (state === 'error' && 'fault' in more) {
              news.set(n, { n, state: 'failed', bytes: 0, fault: more.fault.code })
            } else news.set(n, { n, state: 'moving', bytes: news.get(n)?.bytes ?? 0 })
          },
        },
        signal,
      )
    } finally {
      clearInterval(timer)
      flush()
    }
  }

  const start = (upload: KeptUpload) => {
    if (run !== undefined) return
    const stop = new AbortController()
    const one: Run = { upload, stop, ended: Promise.resolve(), movedAt: clock.now() }
    const ended = carry(upload, stop.signal, () => (one.movedAt = clock.now())).then(
      async (outcome) => {
        run = undefined
        if (outcome.state === 'complete') await forgetUpload(upload.id)
        if (stop.signal.reason !== restart) tell(outcome)
      },
      (error: unknown) => {
        run = undefined
        report({ kind: 'state', state: 'failed', fault: 'internal_error' })
        throw error
      },
    )
    run = Object.assign(one, { ended })
    report({ kind: 'state', state: 'running' })
  }

  const tell = (outcome: UploadOutcome) => {
    if (outcome.state === 'error') report({ kind: 'state', state: 'failed', fault: outcome.fault.code })
    else report({ kind: 'state', state: outcome.state === 'complete' ? 'complete' : 'paused' })
  }

  return {
    start,
    pause: async () => {
      run?.stop.abort()
      await run?.ended
    },
    hurry: async () => {
      const slow = run
      if (slow === undefined || clock.now() - slow.movedAt < quietMs) return
      slow.stop.abort(restart)
      await slow.ended
      start(slow.upload)
    },
  }
}

const restart = new Error('A new run takes over.')

const speedOf = (progress: Progress | undefined, size: number): Speed => {
  if (progress === undefined) return { bytesPerSecond: 0, secondsLeft: undefined }
  const now = clock.now()
  return { bytesPerSecond: speedAt(progress, now), secondsLeft: secondsLeft(progress, now, size) }
}
