import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface HeardCall {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly at: number
}

export interface Endpoint {
  readonly url: string
  readonly port: number
  readonly calls: HeardCall[]
  /** Connections that were made, whether or not anything was said. */
  connections(): number
}

/** Somebody else's webhook endpoint. Gone with the test, hanging replies and all. */
export async function startEndpoint(
  t: Pick<TestContext, 'after'>,
  answer: (reply: ServerResponse, call: HeardCall, nth: number) => void = (reply) => reply.end(),
): Promise<Endpoint> {
  const calls: HeardCall[] = []
  let connections = 0
  const server = createServer((request: IncomingMessage, reply) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const call = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers as Record<string, string>,
        body: Buffer.concat(pieces).toString(),
        at: Date.now(),
      }
      calls.push(call)
      answer(reply, call, calls.length)
    })
  })
  server.on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook`, port, calls, connections: () => connections }
}
