import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface LoadRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | number>>
  readonly body?: string | RepeatedBody
  /** True where only the size of the answer matters: its bytes are counted and dropped. */
  readonly discard?: boolean
}

/** A body of any length made of one buffer, so that a large one costs no memory. */
export interface RepeatedBody {
  readonly piece: Buffer
  readonly length: number
}

export interface LoadReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly bytes: number
}

/** Plain HTTP over connections that are kept: what generates the load must take as little CPU as it can. */
export interface LoadClient {
  send(request: LoadRequest): Promise<LoadReply>
  close(): void
}

export function loadClient(url: string, connections: number): LoadClient {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: connections })
  return {
    close: () => agent.destroy(),
    send: ({ method, path, headers, body, discard = false }) =>
      new Promise((resolve, reject) => {
        const length = typeof body === 'string' ? Buffer.byteLength(body) : (body?.length ?? 0)
        const sent = request({
          agent,
          hostname,
          port,
          method,
          path,
          headers: body === undefined ? headers : { ...headers, 'content-length': length },
        })
        sent.on('error', reject)
        sent.once('response', (answer) => {
          const pieces: Buffer[] = []
          let bytes = 0
          answer.on('data', (piece: Buffer) => {
            bytes += piece.length
            if (!discard || answer.statusCode !== 200) pieces.push(piece)
          })
          answer.once('error', reject)
          answer.once('end', () => {
            const text = pieces.length === 0 ? '' : Buffer.concat(pieces).toString()
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, bytes })
          })
        })
        if (typeof body === 'object') writeRepeated(sent, body)
        else sent.end(body)
      }),
  }
}

function writeRepeated(sent: ReturnType<typeof request>, { piece, length }: RepeatedBody): void {
  let left = length
  const more = () => {
    while (left > 0) {
      const next = left < piece.length ? piece.subarray(0, left) : piece
      left -= next.length
      if (!sent.write(next) && left > 0) {
        sent.once('drain', more)
        return
      }
    }
    sent.end()
  }
  more()
}
