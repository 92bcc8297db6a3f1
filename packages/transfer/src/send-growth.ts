import { maxChunkCount, maxChunkSize } from '@longshore/contract/limits'
import { chunkWindow } from './chunk-window.ts'
import { Fault, sourceOutgrown } from './faults.ts'
import { chunkRange, chunksOf } from './plan.ts'
import type { Checksums, Digest, Growth, Hasher, OpenSource } from './ports.ts'
import { type Missing, sendChunk } from './send-chunks.ts'
import { startEach } from './start-each.ts'
import type { Planned, Sent, Upload, UploadRun } from './upload-run.ts'
import { inScope } from './waits.ts'

/**
 * Sends a file while it is written: each chunk as soon as all of its bytes are there to stay, the rest when nothing more
 * comes. The first chunk goes last, because recorders come back to the beginning of a file to write its length there.
 */
export async function sendGrowth(run: UploadRun, file: Planned, upload: Upload, growth: Growth): Promise<Sent> {
  const { hasher } = run.host
  const sums = hasher === undefined ? undefined : hashAhead(hasher, upload.source, file.chunkSize)
  // An earlier run may have sent it, and the beginning may be another one by now.
  upload.etags.delete(0)
  let size = 0
  try {
    await inScope(run.signal, (scope) => {
      const chunks = asItGrows(run, file, upload, {
        signal: scope.signal,
        growth,
        read: (end) => sums?.advance(end),
        over: (whole) => (size = whole),
      })
      return startEach(chunks, scope, (chunk) => sendChunk(run, file, upload, chunk, scope.signal))
    })
    return { size, checksums: await sums?.finish(size) }
  } finally {
    sums?.drop()
  }
}

interface Growing {
  readonly signal: AbortSignal
  readonly growth: Growth
  /** Told of what may be read. */
  readonly read: (end: number) => void
  /** Told how large the file has become. */
  readonly over: (size: number) => void
}

async function* asItGrows(
  run: UploadRun,
  file: Planned,
  { uploadId, etags }: Upload,
  { signal, growth, read, over }: Growing,
): AsyncGenerator<Missing> {
  const { chunkSize, turn } = file
  const window = chunkWindow(run, signal, { id: file.id, uploadId, chunks: maxChunkCount })
  const meter = run.meter.file(file.source.n)

  async function* chunk(index: number, size: number): AsyncGenerator<Missing> {
    if (index >= maxChunkCount) throw outgrown(file)
    const range = chunkRange(index, size, chunkSize)
    if (etags.has(index)) meter.found(range.end - range.start)
    else {
      const request = await window.requestFor(index)
      yield { index, range, request, lane: await run.host.lanes.take(turn, signal), window }
    }
    read(range.end)
  }

  let next = 1
  let grown = await growth.beyond(0, signal)
  for (; !grown.over; grown = await growth.beyond(grown.stable, signal)) {
    for (; (next + 1) * chunkSize <= grown.stable; next++) yield* chunk(next, grown.stable)
  }
  const size = grown.stable
  over(size)
  for (; next < chunksOf(size, chunkSize); next++) yield* chunk(next, size)
  yield* chunk(0, size)
}

const outgrown = ({ source, chunkSize }: Planned) =>
  chunkSize < maxChunkSize
    ? sourceOutgrown(source.name)
    : new Fault('permanent', 'file_too_large', `'${source.name}' became larger than storage takes.`)

/**
 * Hashes a file behind those who send it. It must read the beginning first and they send it last, so the beginning is
 * hashed once more when all is sent: where that differs, the checksums are of no use, and the server makes them.
 */
function hashAhead(hasher: Hasher, source: OpenSource, chunkSize: number) {
  const whole = hasher.begin(source)
  const looks: Digest[] = []
  const lookAtBeginning = async () => {
    const look = hasher.begin(source)
    looks.push(look)
    look.advance(chunkSize)
    return (await look.finish()).sha256
  }
  let before: Promise<string> | undefined
  let reached = 0
  return {
    advance: (end: number) => {
      reached = Math.max(reached, end)
      if (reached <= chunkSize) return
      before ??= lookAtBeginning()
      // Not earlier: what both looks at the beginning agree on, the reading between them saw too.
      before.then(
        () => whole.advance(reached),
        () => undefined,
      )
    },
    finish: async (size: number): Promise<Checksums | undefined> => {
      const first = await before
      whole.advance(size)
      const checksums = await whole.finish()
      return first === undefined || first === (await lookAtBeginning()) ? checksums : undefined
    },
    drop: () => {
      for (const digest of [whole, ...looks]) digest.drop()
    },
  }
}
