import { randomInt } from 'node:crypto'
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'

export type Header = readonly [name: string, value: string]

export interface Sending {
  readonly method: string
  readonly url: string
  readonly headers?: readonly Header[]
  /** A stream of unknown length goes out chunked, by a transfer-encoding header among the headers. */
  readonly body?: string | Buffer | { readonly stream: Readable; readonly length: number | undefined }
  /** Source address; any of 127.0.0.0/8 is ours. Guesses are counted by it. */
  readonly from?: string
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly text: string
}

const agents = new Map<string, Agent>()

function agentFrom(from: string): Agent {
  const known = agents.get(from)
  if (known !== undefined) return known
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  agents.set(from, agent)
  return agent
}

/** Sends exactly the headers given, a name as often as it is given, and answers the reply while its body still comes. */
export function open(sending: Sending): Promise<IncomingMessage> {
  const { method, url, headers = [], body, from = '127.0.0.1' } = sending
  const chunked = headers.some(([name]) => name === 'transfer-encoding')
  const length = body === undefined ? (method === 'GET' || chunked ? undefined : 0) : lengthOf(body)
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method,
        agent: agentFrom(from),
        localAddress: from,
        headers: [
          ['host', new URL(url).host],
          ...headers,
          ...(length === undefined ? [] : [['content-length', String(length)]]),
        ].flat(),
      },
      (reply) => {
        // Answered before all was sent: the rest has nowhere to go.
        reply.once('end', () => outgoing.writableFinished || outgoing.destroy())
        resolve(reply)
      },
    )
    outgoing.on('error', reject)
    if (typeof body === 'object' && 'stream' in body) body.stream.on('error', reject).pipe(outgoing)
    else outgoing.end(body)
  })
}

/** Sends a request and answers the whole reply; of a stream, which has no end, only how it begins. */
export async function send(sending: Sending): Promise<Answer> {
  const reply = await open(sending)
  const endless = isStream(reply.headers)
  if (endless) reply.destroy()
  const body = endless ? Buffer.alloc(0) : await buffer(reply)
  return { status: reply.statusCode ?? 0, headers: reply.headers, body, text: body.toString('utf8') }
}

export const isStream = (headers: IncomingHttpHeaders): boolean =>
  String(headers['content-type']).startsWith('text/event-stream')

const lengthOf = (body: NonNullable<Sending['body']>): number | undefined =>
  typeof body === 'string' ? Buffer.byteLength(body) : body.length

/** An address of this machine that no other test guesses from. */
export const ownAddress = (): string => `127.${randomInt(1, 255)}.${randomInt(0, 255)}.${randomInt(1, 255)}`

/** Bytes as they are, for what no HTTP client would send. */
export function sendBytes(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'))
    let answer = ''
    socket.setTimeout(5_000, () => socket.destroy())
    socket.on('data', (piece: Buffer) => (answer += piece.toString('latin1')))
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}
