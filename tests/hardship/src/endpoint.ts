import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

interface HeardCall {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly event: HeardEvent
  /** On the clock of `performance.now()`. */
  readonly at: number
}

interface HeardEvent {
  readonly event_id: string
  readonly event_type: string
  readonly object: { readonly id: string }
}

export interface Endpoint {
  readonly url: string
  readonly calls: HeardCall[]
}

type Answer = (reply: ServerResponse, nth: number) => void

/** Somebody else's webhook endpoint. Gone with the test, hanging replies and all. */
export async function startEndpoint(
  t: Pick<TestContext, 'after'>,
  answer: Answer = (reply) => reply.end(),
): Promise<Endpoint> {
  const calls: HeardCall[] = []
  const server = createServer((request, reply) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString()
      const event = JSON.parse(body) as HeardEvent
      calls.push({ headers: request.headers as Record<string, string>, body, event, at: performance.now() })
      answer(reply, calls.length)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, calls }
}
