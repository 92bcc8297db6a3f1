import { type IncomingHttpHeaders, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { StorageTrouble } from '#blob/storage-errors'

export interface RawRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Sends the body without saying its length beforehand. */
  readonly chunked?: boolean
}

export interface Answer {
  /** 0 when the connection was closed without an answer: some stores refuse that way. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** The status and the store's name for the error, for people. */
  readonly said: string
}

const timeLimit = 10_000
const closedOnUs = new Set(['ECONNRESET', 'EPIPE'])

/** Sends exactly what it is told to, which `fetch` would not: any header, any method, any length. */
export function sendRaw(url: string, { method, headers = {}, body, chunked = false }: RawRequest): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const send = url.startsWith('https:') ? requestHttps : requestHttp
  const length = chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body?.byteLength ?? 0) }
  const hasLength = chunked || body !== undefined || method === 'PUT' || method === 'POST'

  const request = send(url, {
    method,
    headers: { ...(hasLength ? length : {}), ...headers },
    agent: false,
    signal: AbortSignal.timeout(timeLimit),
  })
  request.on('response', (response) => {
    const pieces: Buffer[] = []
    const finish = () => resolve(answer(response.statusCode ?? 0, response.headers, Buffer.concat(pieces)))
    // Ceph has been seen to send a body behind the answer to a HEAD, which is an error to the parser.
    if (method === 'HEAD') finish()
    response.on('data', (piece: Buffer) => pieces.push(piece))
    response.on('end', finish)
    response.on('error', finish)
  })
  request.on('error', (error: NodeJS.ErrnoException) => {
    if (closedOnUs.has(error.code ?? '')) return resolve(answer(0, {}, Buffer.alloc(0)))
    reject(new StorageTrouble(`${method} ${new URL(url).origin}: ${error.message || error.code}`, { cause: error }))
  })
  request.end(body)
  return promise
}

function answer(status: number, headers: IncomingHttpHeaders, body: Buffer): Answer {
  const code = /<Code>(\w+)<\/Code>/.exec(body.subarray(0, 2_000).toString())?.[1]
  const said = status === 0 ? 'the connection was closed' : [status, code].filter(Boolean).join(' ')
  return { status, headers, body, said }
}
