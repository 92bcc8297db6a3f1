import { type ChunkWindow, chunkWindow } from './chunk-window.ts'
import { addressMayBeStale, judge, sourceChanged } from './faults.ts'
import { again, type Lane } from './lane-pool.ts'
import { chunkRange, chunksOf, type Range } from './plan.ts'
import type { Blueprint } from './ports.ts'
import { persist } from './retry.ts'
import { sendBody } from './send-body.ts'
import { startEach } from './start-each.ts'
import type { Planned, Sent, Upload, UploadRun } from './upload-run.ts'
import { inScope } from './waits.ts'

/** Sends the chunks that are missing, and fills in their ETags. */
export async function sendChunks(run: UploadRun, file: Planned, upload: Upload): Promise<Sent> {
  const digest = run.host.hasher?.begin(upload.source)
  try {
    await inScope(run.signal, (scope) => {
      const { signal } = scope
      return startEach(missing(run, file, upload, signal, digest?.advance), scope, (chunk) =>
        sendChunk(run, file, upload, chunk, signal),
      )
    })
    const checksums = await digest?.finish()
    // What was read for the checksums must be what was sent.
    if ((await upload.source.look()).identity !== file.look.identity) throw sourceChanged(file.source.name)
    return { size: file.look.size, checksums }
  } finally {
    digest?.drop()
  }
}

/** A chunk, with what its first attempt needs. */
export interface Missing {
  readonly index: number
  readonly range: Range
  readonly request: Blueprint
  readonly lane: Lane
  readonly window: ChunkWindow
}

/** The chunks to send, in order, each as soon as there is a lane for it. */
async function* missing(
  run: UploadRun,
  file: Planned,
  { uploadId, etags }: Upload,
  signal: AbortSignal,
  read?: (end: number) => void,
): AsyncGenerator<Missing> {
  const chunks = chunksOf(file.look.size, file.chunkSize)
  const window = chunkWindow(run, signal, { id: file.id, uploadId, chunks })
  const meter = run.meter.file(file.source.n)
  for (let index = 0; index < chunks; index++) {
    const range = chunkRange(index, file.look.size, file.chunkSize)
    const { start, end } = range
    if (etags.has(index)) {
      read?.(end)
      meter.found(end - start)
      continue
    }
    const request = await window.requestFor(index)
    const lane = await run.host.lanes.take(file.turn, signal)
    // Not before its bytes are on their way, so that the disk is read once and the second reader finds them in the cache.
    read?.(end)
    yield { index, range, request, lane, window }
  }
}

export async function sendChunk(
  run: UploadRun,
  file: Planned,
  { source, etags }: Upload,
  { index, range, window, ...first }: Missing,
  signal: AbortSignal,
): Promise<void> {
  const meter = run.meter.file(file.source.n)
  const given = { source, range, checksums: false, name: file.source.name, identity: file.look.identity, meter }
  let request: Blueprint | undefined = first.request
  try {
    const { etag } = await persist(run.host, signal, async (attempt) => {
      request ??= await window.requestFor(index)
      const lane = attempt === 0 ? first.lane : await run.host.lanes.take(again(file.turn), signal)
      try {
        return await sendBody(run, signal, lane, { ...given, request })
      } catch (error) {
        if (addressMayBeStale(judge(error), attempt)) {
          window.forget(request)
          request = undefined
        }
        throw error
      }
    })
    if (etag !== undefined) etags.set(index, etag)
  } finally {
    first.lane.leave(false)
  }
}
