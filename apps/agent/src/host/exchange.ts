import { type ClientRequest, type IncomingMessage, request as requestByHttp } from 'node:http'
import { request as requestByHttps, type RequestOptions } from 'node:https'

/** One request to storage and its answer. */
export interface Exchange {
  readonly outgoing: ClientRequest
  /** Resolves when the answer begins, which may be before the request has ended. */
  readonly answer: Promise<IncomingMessage>
  readonly isAnswered: () => boolean
  /** Resolves once the socket has taken the bytes, or when nothing more needs to be written. */
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Ends it on the spot; the connection is not used again. */
  readonly drop: () => void
}

/** Those of an answer that we look at, whoever has read it. */
export interface AnswerHeaders {
  readonly 'content-range'?: string | undefined
  readonly 'retry-after'?: string | undefined
}

// A store that does not even accept a connection is away, and waiting longer would only hold a lane.
const connectWithinMs = 15_000

export function openExchange(url: string, options: RequestOptions): Exchange {
  const outgoing = (url.startsWith('https:') ? requestByHttps : requestByHttp)(url, options)
  let answered: IncomingMessage | undefined
  let failure: Error | undefined
  let writing: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', (incoming) => {
      answered = incoming
      resolve(incoming)
      // Nobody may ever read the rest of the body, so nobody may wait for that.
      writing?.resolve()
    })
    // Stays: an answer that came early is followed by errors of a socket that nobody listens to.
    outgoing.on('error', (error) => {
      failure ??= error
      reject(error)
      writing?.reject(error)
    })
  })
  answer.catch(() => undefined)
  limitConnecting(outgoing)

  const write = (bytes: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      // Between the error of a socket and its close, Node takes what is written and never calls back.
      if (failure !== undefined) {
        reject(failure)
        return
      }
      writing = { resolve, reject }
      outgoing.write(bytes, (error) => {
        if (error == null || answered !== undefined) resolve()
        // What broke it, not that it is broken.
        else reject(failure ?? error)
      })
    })

  return { outgoing, answer, isAnswered: () => answered !== undefined, write, drop: () => outgoing.destroy() }
}

function limitConnecting(outgoing: ClientRequest): void {
  outgoing.once('socket', (socket) => {
    if (!socket.connecting) return
    const giveUp = setTimeout(() => outgoing.destroy(new Error('No connection to storage.')), connectWithinMs)
    const settle = () => clearTimeout(giveUp)
    socket.once('connect', settle).once('close', settle)
  })
}

// The code of an error is in its first lines.
const longestText = 64 * 1024

/** The body of an answer, or its beginning. */
export async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of body) {
    // A copy: it may lie in a buffer that is filled again.
    if (bytes < longestText) pieces.push(Buffer.from(piece))
    bytes += piece.length
  }
  return Buffer.concat(pieces).toString('utf8', 0, longestText)
}

/** How long an answer asks us to wait: seconds, or a date. */
export function retryAfterMs(headers: AnswerHeaders): number | undefined {
  const value = headers['retry-after']
  if (value === undefined) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
