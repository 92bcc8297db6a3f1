import { connect as connectPlainly, isIP, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'

const bufferSize = 256 * 1024
// What is asked of the system at least; the rest of a buffer is not worth a read.
const leastRoom = 16 * 1024
// More than a secure socket hands over at once.
const asideSize = 64 * 1024
// An answer of a store begins with less; what is longer is none.
const longestHead = 64 * 1024
const headEnd = '\r\n\r\n'

export interface LongAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Undefined where the answer does not name its length; then there are no pieces. */
  readonly length: number | undefined
  /**
   * Its bytes. A piece is good until the next one is asked for: it lies in one of two buffers, which take turns. What
   * comes while nobody asks is gathered, so a slow reader has large pieces. Throws where the connection ends too early.
   */
  readonly pieces: AsyncIterable<Uint8Array>
  /** Closes the connection. Harmless at any time. */
  close(): void
}

export interface LongReadOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
  /** The address of this machine that it shall come from. */
  readonly localAddress?: string | undefined
}

/**
 * GETs an address over a connection of its own. `node:http` makes a new buffer of 64 KiB for every read, which for
 * gigabytes costs twice the CPU and leaves a hundred megabytes to be collected (adr/0027).
 */
export async function longRead(url: string, options: LongReadOptions = {}): Promise<LongAnswer> {
  const { headers = {}, signal, localAddress } = options
  const { protocol, hostname, host, port, pathname, search } = new URL(url)
  const secure = protocol === 'https:'
  const intake = createIntake(secure)
  const to = {
    // An address of IPv6 has brackets in a URL and none anywhere else.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (secure ? 443 : 80),
    onread: intake.onread,
    ...(localAddress === undefined ? {} : { localAddress }),
  }
  const socket: Socket = secure
    ? connectSecurely({ ...to, servername: isIP(to.host) === 0 ? to.host : '' })
    : connectPlainly(to)
  socket.on('error', intake.over).on('close', () => intake.over(new Error('the connection ended')))
  const abort = () => socket.destroy(signal?.reason instanceof Error ? signal.reason : new Error('aborted'))
  signal?.addEventListener('abort', abort, { once: true })
  const close = () => {
    signal?.removeEventListener('abort', abort)
    socket.destroy()
  }
  const next = () => intake.next(() => socket.resume())

  try {
    signal?.throwIfAborted()
    const lines = Object.entries({ host, ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`)
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('\r\n')}${headEnd}`)
    let head = Buffer.alloc(0)
    while (!head.includes(headEnd)) {
      if (head.length > longestHead) throw new Error('the answer has no end of its head')
      head = Buffer.concat([head, await next()])
    }
    const bodyStart = head.indexOf(headEnd) + headEnd.length
    const answer = readHead(head.toString('latin1', 0, bodyStart))
    return { ...answer, pieces: body(next, head.subarray(bodyStart), answer.length ?? 0, close), close }
  } catch (error) {
    close()
    throw error
  }
}

/**
 * Two buffers between a socket and a reader: one is filled while the reader has what is in the other.
 *
 * A socket asks for the place of its next read right behind each one, also when it is stopped. A plain one then waits, and
 * by the time it goes on the other buffer is free. A secure one still hands over what it has decrypted: for that there is
 * a place of its own, and what comes there is copied.
 */
function createIntake(secure: boolean) {
  const buffers = [Buffer.allocUnsafeSlow(bufferSize), Buffer.allocUnsafeSlow(bufferSize)] as const
  const aside = secure ? Buffer.allocUnsafeSlow(asideSize) : undefined
  /** The buffer that is being filled, up to where it is filled, and up to where the reader has had it. */
  let filling: 0 | 1 = 0
  let filled = 0
  let taken = 0
  /** What is left of the other one. Undefined once it is free. */
  let before: Buffer | undefined
  /** What was copied: between the two, and behind both. */
  let between: Buffer[] = []
  let behind: Buffer[] = []
  let hasBefore = false
  let stopped = false
  let ended: Error | undefined
  let wake = () => {}

  const other = () => (filling === 0 ? 1 : 0)
  const isEmpty = () => mayTurnOver() && taken === filled
  const mayTurnOver = () => before === undefined && between.length === 0
  const turnOver = () => {
    before = buffers[filling].subarray(taken, filled)
    between = behind
    behind = []
    filling = other()
    filled = 0
    taken = 0
  }

  return {
    onread: {
      buffer: () => (stopped ? (aside ?? buffers[other()]) : buffers[filling].subarray(filled)),
      callback(length: number, place: Uint8Array): boolean {
        if (place === aside) {
          const copy = Buffer.from(place.subarray(0, length))
          if (stopped) behind.push(copy)
          else between.push(copy)
        } else {
          filled += length
          if (bufferSize - filled < leastRoom) {
            if (mayTurnOver()) turnOver()
            else stopped = true
          }
        }
        wake()
        return !stopped
      },
    },
    over(error: Error) {
      ended ??= error
      wake()
    },
    /** What came next. Gives the piece before back, so that its place can be filled again. */
    async next(resume: () => void): Promise<Buffer> {
      if (hasBefore) before = undefined
      hasBefore = false
      if (stopped && mayTurnOver()) {
        turnOver()
        stopped = false
        resume()
      }
      while (isEmpty()) {
        if (ended !== undefined) throw ended
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      if (before !== undefined) {
        hasBefore = true
        return before
      }
      const copied = between.shift()
      if (copied !== undefined) return copied
      const piece = buffers[filling].subarray(taken, filled)
      taken = filled
      return piece
    },
  }
}

function readHead(head: string): Pick<LongAnswer, 'status' | 'headers' | 'length'> {
  const [first = '', ...lines] = head.split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})\b/.exec(first)?.[1])
  if (Number.isNaN(status)) throw new Error('the answer is no HTTP')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon > 0) headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  return { status, headers, length: encoding !== undefined || length === undefined ? undefined : Number(length) }
}

async function* body(next: () => Promise<Buffer>, first: Buffer, length: number, close: () => void) {
  let left = length
  try {
    for (let piece = first; ; piece = await next()) {
      const wanted = piece.subarray(0, left)
      left -= wanted.length
      if (wanted.length > 0) yield wanted
      if (left === 0) return
    }
  } finally {
    close()
  }
}
