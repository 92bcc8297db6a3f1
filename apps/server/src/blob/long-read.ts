import { connect as connectPlainly, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'

const bufferSize = 256 * 1024
// An answer of a store begins with less; what is longer is none.
const longestHead = 64 * 1024
const headEnd = '\r\n\r\n'

export interface LongAnswer {
  readonly status: number
  /** Undefined where the answer does not name its length. */
  readonly length: number | undefined
  /**
   * Its bytes. A piece is good until the next one is asked for: it lies in one of two buffers, which take turns. Throws
   * where the connection ends before the last byte.
   */
  readonly pieces: AsyncIterable<Uint8Array>
  /** Closes the connection. Harmless at any time. */
  close(): void
}

/**
 * GETs an address over a connection of its own. `node:http` makes a new buffer of 64 KiB for every read, which for
 * gigabytes costs twice the CPU and leaves a hundred megabytes to be collected (adr/0027).
 */
export async function longRead(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<LongAnswer> {
  const { protocol, hostname, host, port, pathname, search } = new URL(url)
  const buffers = [Buffer.allocUnsafe(bufferSize), Buffer.allocUnsafe(bufferSize)]
  const full: Buffer[] = []
  let turn = 0
  let lent = false
  let ended: Error | undefined
  let wake = () => {}

  const onread = {
    buffer: () => buffers[turn] as Buffer,
    callback(length: number, buffer: Uint8Array): boolean {
      full.push(buffer.subarray(0, length) as Buffer)
      turn = 1 - turn
      wake()
      return full.length + (lent ? 1 : 0) < buffers.length
    },
  }
  const secure = protocol === 'https:'
  // An address of IPv6 has brackets in a URL and none anywhere else.
  const to = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (secure ? 443 : 80), onread }
  const socket: Socket = secure ? connectSecurely({ ...to, servername: to.host }) : connectPlainly(to)
  const over = (error: Error) => {
    ended ??= error
    wake()
  }
  socket.on('error', over).on('close', () => over(new Error('the connection ended')))
  const abort = () => socket.destroy(signal?.reason instanceof Error ? signal.reason : new Error('aborted'))
  signal?.addEventListener('abort', abort, { once: true })
  const close = () => {
    signal?.removeEventListener('abort', abort)
    socket.destroy()
  }

  /** What came next. Gives the piece before back, so that its buffer can be filled again. */
  async function next(): Promise<Buffer> {
    lent = false
    if (full.length < buffers.length) socket.resume()
    while (full.length === 0) {
      if (ended !== undefined) throw ended
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    lent = true
    return full.shift() as Buffer
  }

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
    const { status, length } = readHead(head.toString('latin1', 0, bodyStart))
    return { status, length, pieces: body(next, head.subarray(bodyStart), length ?? 0, close), close }
  } catch (error) {
    close()
    throw error
  }
}

function readHead(head: string): { status: number; length: number | undefined } {
  const status = Number(/^HTTP\/1\.[01] (\d{3})\b/.exec(head)?.[1])
  if (Number.isNaN(status)) throw new Error('the answer is no HTTP')
  const length = /\r\ncontent-length: *(\d+) *\r\n/i.exec(head)?.[1]
  const inChunks = /\r\ntransfer-encoding:/i.test(head)
  return { status, length: inChunks || length === undefined ? undefined : Number(length) }
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
