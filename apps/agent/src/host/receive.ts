import type { IncomingMessage } from 'node:http'
import { longRead } from '@longshore/kit/long-read'
import type { Motion, Receive, StorageReply, Stretch } from '@longshore/transfer/ports'
import { destinationFault, telling } from '#host/disk-faults'
import type { Disks } from '#host/disks'
import { type AnswerHeaders, openExchange, retryAfterMs, textOf } from '#host/exchange'
import type { Line, Network } from '#host/network'
import { type OnDisk, onDisk } from '#host/open-file'

// What a socket hands over at once is 64 KiB; one write to the disk takes several of those.
const pieceBytes = 512 * 1024
// On a slow line, so that what has arrived is seen and kept.
const longestGatheringMs = 500

// Shorter ones come over connections that are kept; longer ones over one of their own, into buffers of ours.
const longStretch = 1024 * 1024

/** Fetches stretches of files from storage and writes them to their place, while the next bytes are on their way. */
export function createReceive(lent: { readonly network: Network; readonly disks: Disks }): Receive {
  return async (stretch, into, motion) => {
    const part = onDisk(into)
    const leaveDisk = await lent.disks.writing(part.device, motion)
    const line = lent.network.take(stretch.url, 'down', motion)
    try {
      const long = stretch.end - stretch.start >= longStretch ? await receiveLong(stretch, part, line) : undefined
      return long ?? (await receiveShort(stretch, part, line))
    } catch (error) {
      line.failed(error)
      throw error
    } finally {
      line.leave()
      leaveDisk()
    }
  }
}

/** Undefined where the answer does not say how long it is, and so cannot be read this way. */
async function receiveLong(stretch: Stretch, part: OnDisk, line: Line): Promise<StorageReply | undefined> {
  const signal = AbortSignal.any([line.motion.signal, line.lost])
  const { localAddress } = line
  const answer = await longRead(stretch.url, { headers: rangeOf(stretch), signal, localAddress })
  try {
    const { status, headers, length } = answer
    if (length === undefined) return undefined
    if (isAsAsked(status, headers, stretch)) {
      await writeAll(onePieceEach(answer.pieces), stretch, part, line.motion)
      return { status, text: '' }
    }
    // Not to be written. A whole file that nobody asked for is not even read.
    const text = status >= 300 ? await textOf(answer.pieces) : ''
    return { status, text, retryAfterMs: retryAfterMs(headers) }
  } finally {
    answer.close()
  }
}

async function* onePieceEach(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array[]> {
  for await (const piece of pieces) yield [piece]
}

async function receiveShort(stretch: Stretch, part: OnDisk, { agent, motion }: Line): Promise<StorageReply> {
  const exchange = openExchange(stretch.url, { agent, signal: motion.signal, headers: rangeOf(stretch) })
  try {
    exchange.outgoing.end()
    const incoming = await exchange.answer
    const { statusCode: status = 0, headers } = incoming
    if (isAsAsked(status, headers, stretch)) {
      await writeAll(gathered(incoming), stretch, part, motion)
      return { status, text: '' }
    }
    if (status >= 200 && status < 300) exchange.drop()
    const text = status >= 300 ? await textOf(incoming) : ''
    return { status, text, retryAfterMs: retryAfterMs(headers) }
  } catch (error) {
    exchange.drop()
    throw error
  }
}

const isWhole = ({ start, end, size }: Stretch) => start === 0 && end === size

const rangeOf = (stretch: Stretch) => (isWhole(stretch) ? {} : { range: `bytes=${stretch.start}-${stretch.end - 1}` })

function isAsAsked(status: number, headers: AnswerHeaders, stretch: Stretch): boolean {
  if (isWhole(stretch)) return status === 200
  return status === 206 && headers['content-range']?.startsWith(`bytes ${stretch.start}-`) === true
}

/** One piece is written while the next is gathered; what comes faster than the disk takes it stays in the socket. */
async function writeAll(
  pieces: AsyncIterable<readonly Uint8Array[]>,
  { start, end }: Stretch,
  { handle, local }: OnDisk,
  motion: Motion,
) {
  let at = start
  for await (const more of pieces) {
    // More than was asked for is nobody's business.
    const piece = cut(more, 0, end - at)
    const bytes = piece.reduce((sum, { length }) => sum + length, 0)
    const held = motion.pace(bytes)
    if (held !== undefined) await held
    for (let left = piece; left.length > 0; ) {
      const { bytesWritten } = await telling(destinationFault, local, () => handle.writev(left, at))
      at += bytesWritten
      motion.moved(bytesWritten)
      // A disk may take less than it is given.
      left = cut(left, bytesWritten, Number.POSITIVE_INFINITY)
    }
  }
}

/** The bytes of some buffers from one place to another. */
function cut(buffers: readonly Uint8Array[], from: number, to: number): Uint8Array[] {
  let passed = 0
  const wanted: Uint8Array[] = []
  for (const buffer of buffers) {
    const inside = buffer.subarray(Math.max(0, from - passed), Math.max(0, to - passed))
    if (inside.length > 0) wanted.push(inside)
    passed += buffer.length
  }
  return wanted
}

/** The body in pieces that are worth a write. */
async function* gathered(incoming: IncomingMessage): AsyncGenerator<Buffer[]> {
  let pieces: Buffer[] = []
  let bytes = 0
  let ended = false
  let failure: unknown
  let wake = () => {}
  let emptiedAt = performance.now()
  const isDue = () => bytes >= pieceBytes || (bytes > 0 && performance.now() - emptiedAt > longestGatheringMs)

  const isReady = () => ended || failure !== undefined || isDue()

  incoming.on('data', (piece: Buffer) => {
    bytes += piece.length
    pieces.push(piece)
    if (bytes >= pieceBytes) incoming.pause()
    if (isDue()) wake()
  })
  incoming.once('end', () => {
    ended = true
    wake()
  })
  incoming.once('error', (error) => {
    failure = error
    wake()
  })

  while (true) {
    while (!isReady()) await new Promise<void>((resolve) => (wake = resolve))
    const full = pieces
    pieces = []
    bytes = 0
    emptiedAt = performance.now()
    incoming.resume()
    // What arrived before the line broke is kept.
    if (full.length > 0) yield full
    if (failure !== undefined) throw failure
    if (ended && pieces.length === 0) return
  }
}
