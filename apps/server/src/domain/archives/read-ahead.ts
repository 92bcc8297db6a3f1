import type { Content, Piece } from '@longshore/zip/range'
import { resumableRead } from '#blob/resumable-read'
import type { Cx } from '#domain/cx'
import type { ArchiveEntry } from './plan.ts'

// Files up to here are fetched whole before their turn comes, so that each does not cost a round trip to the store.
const smallFile = 256 * 1024
const smallAtOnce = 16
// Of small files that wait for their turn, for one download.
const mostHeld = 2 * 2 ** 20
// Headers and small files go out together in writes of about this size.
const writeSize = 128 * 1024

type Step = { readonly held: number; readonly bytes: Promise<Uint8Array> } | { readonly large: Content<ArchiveEntry> }

/**
 * The bytes of the pieces, in order; each of them is good until the next one is asked for. Whoever stops reading must
 * abort the signal, or reading ahead goes on.
 */
export async function* bytesOfPieces(
  cx: Pick<Cx, 'blob'>,
  pieces: AsyncIterable<Piece<ArchiveEntry>>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let gathered: Uint8Array[] = []
  let length = 0
  for await (const step of stepsAhead(cx, pieces, signal)) {
    if ('bytes' in step) {
      const bytes = await step.bytes
      gathered.push(bytes)
      length += bytes.length
    }
    if (length >= writeSize || ('large' in step && length > 0)) {
      yield Buffer.concat(gathered, length)
      gathered = []
      length = 0
    }
    if ('large' in step) yield* contentBytes(cx, step.large, signal)
  }
  if (length > 0) yield Buffer.concat(gathered, length)
}

/** What to send next, while the small files behind it are already on their way. */
async function* stepsAhead(
  cx: Pick<Cx, 'blob'>,
  pieces: AsyncIterable<Piece<ArchiveEntry>>,
  signal: AbortSignal,
): AsyncGenerator<Step> {
  const ahead: Step[] = []
  let held = 0
  let fetching = 0
  for await (const piece of pieces) {
    const step = stepOf(cx, piece, signal)
    ahead.push(step)
    held += 'held' in step ? step.held : 0
    fetching += 'held' in step && step.held > 0 ? 1 : 0
    // A large file takes long enough: nothing behind it is fetched until it is through.
    const most = 'large' in step ? 0 : smallAtOnce
    while (ahead.length > 0 && (fetching >= most || held >= mostHeld)) {
      const next = ahead.shift() as Step
      held -= 'held' in next ? next.held : 0
      fetching -= 'held' in next && next.held > 0 ? 1 : 0
      yield next
    }
  }
  yield* ahead
}

function stepOf(cx: Pick<Cx, 'blob'>, piece: Piece<ArchiveEntry>, signal: AbortSignal): Step {
  if ('bytes' in piece) return { held: 0, bytes: Promise.resolve(piece.bytes) }
  const { content } = piece
  const length = content.end - content.start
  if (length > smallFile) return { large: content }
  const bytes = gather(contentBytes(cx, content, signal), length)
  // Awaited when its turn comes; until then a failure is nobody's.
  bytes.catch(() => {})
  return { held: length, bytes }
}

async function gather(pieces: AsyncIterable<Uint8Array>, length: number): Promise<Uint8Array> {
  const whole = Buffer.allocUnsafe(length)
  let at = 0
  for await (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

async function* contentBytes(
  cx: Pick<Cx, 'blob'>,
  { entry, start, end }: Content<ArchiveEntry>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (entry.from === undefined) throw new Error(`'${entry.name}' has bytes in the archive and none in the store.`)
  if ('text' in entry.from) yield entry.from.text.subarray(start, end)
  else yield* resumableRead(cx.blob, entry.from.objectKey, { start, end: end - 1 }, signal)
}
