import type { IncomingMessage } from 'node:http'
import type { Motion, Receive, Stretch } from '@longshore/transfer/ports'
import { destinationFault, telling } from '#host/disk-faults'
import type { Disks } from '#host/disks'
import { openExchange, retryAfterMs, textOf } from '#host/exchange'
import type { Network } from '#host/network'
import { type OnDisk, onDisk } from '#host/open-file'

// What a socket hands over at once is 64 KiB; one write to the disk takes several of those.
const pieceBytes = 512 * 1024
// On a slow line, so that what has arrived is seen and kept.
const longestGatheringMs = 500

/** Fetches stretches of files from storage and writes them to their place, while the next bytes are on their way. */
export function createReceive(lent: { readonly network: Network; readonly disks: Disks }): Receive {
  return async (stretch, into, motion) => {
    const part = onDisk(into)
    const leaveDisk = await lent.disks.writing(part.device, motion)
    const line = lent.network.take(stretch.url, 'down', motion)
    const exchange = openExchange(stretch.url, {
      agent: line.agent,
      signal: motion.signal,
      headers: rangeOf(stretch),
    })
    try {
      exchange.outgoing.end()
      const incoming = await exchange.answer
      const { statusCode = 0 } = incoming
      if (!isAsAsked(incoming, stretch)) {
        // Not to be written. A whole file that nobody asked for is not even read.
        if (statusCode >= 200 && statusCode < 300) exchange.drop()
        const text = statusCode >= 300 ? await textOf(incoming) : ''
        return { status: statusCode, text, retryAfterMs: retryAfterMs(incoming) }
      }
      await writeAll(incoming, stretch, part, line.motion)
      return { status: statusCode, text: '' }
    } catch (error) {
      exchange.drop()
      line.failed(error)
      throw error
    } finally {
      line.leave()
      leaveDisk()
    }
  }
}

const isWhole = ({ start, end, size }: Stretch) => start === 0 && end === size

const rangeOf = (stretch: Stretch) => (isWhole(stretch) ? {} : { range: `bytes=${stretch.start}-${stretch.end - 1}` })

function isAsAsked({ statusCode, headers }: IncomingMessage, stretch: Stretch): boolean {
  if (isWhole(stretch)) return statusCode === 200
  return statusCode === 206 && headers['content-range']?.startsWith(`bytes ${stretch.start}-`) === true
}

/** One piece is written while the next is gathered; what comes faster than the disk takes it stays in the socket. */
async function writeAll(incoming: IncomingMessage, { start, end }: Stretch, part: OnDisk, motion: Motion) {
  const { handle, local } = part
  let at = start
  for await (const piece of gathered(incoming, end - start)) {
    const bytes = piece.reduce((sum, { length }) => sum + length, 0)
    const held = motion.pace(bytes)
    if (held !== undefined) await held
    for (let left = piece; left.length > 0; ) {
      const { bytesWritten } = await telling(destinationFault, local, () => handle.writev(left, at))
      at += bytesWritten
      motion.moved(bytesWritten)
      left = after(left, bytesWritten)
    }
  }
}

/** What is left of some buffers behind so many bytes: a disk may take less than it is given. */
function after(buffers: readonly Buffer[], bytes: number): Buffer[] {
  let passed = bytes
  const left: Buffer[] = []
  for (const buffer of buffers) {
    if (passed < buffer.length) left.push(buffer.subarray(passed))
    passed = Math.max(0, passed - buffer.length)
  }
  return left
}

/** The body in pieces that are worth a write. More than `most` bytes are nobody's business. */
async function* gathered(incoming: IncomingMessage, most: number): AsyncGenerator<Buffer[]> {
  let pieces: Buffer[] = []
  let bytes = 0
  let left = most
  let ended = false
  let failure: unknown
  let wake = () => {}
  let emptiedAt = performance.now()
  const isDue = () => bytes >= pieceBytes || (bytes > 0 && performance.now() - emptiedAt > longestGatheringMs)

  const isReady = () => ended || failure !== undefined || isDue()

  incoming.on('data', (piece: Buffer) => {
    const wanted = piece.length > left ? piece.subarray(0, left) : piece
    left -= wanted.length
    bytes += wanted.length
    if (wanted.length > 0) pieces.push(wanted)
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
