import { type IncomingMessage, createServer, Agent, request, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

/** What may happen to a request on its way to the store. */
const faults = ['refused', 'reset', 'reply lost'] as const
type Fault = (typeof faults)[number]

export interface FaultProxy {
  readonly url: string
  /** Bytes of bodies, as they pass: of requests (up) and of answers (down). */
  readonly bytes: { up: number; down: number }
  readonly requests: () => number
  readonly happened: Readonly<Record<Fault, number>>
  /** From now on, each of the faults happens to so large a share of all requests. */
  readonly trouble: (share: number) => void
  /** Requests wait before their first byte is read, until they are released. Resolves once one waits. */
  readonly hold: () => { readonly held: Promise<void>; readonly release: () => void }
  readonly close: () => void
}

/** A proxy before the store that loses, breaks and refuses, by a seed: the same requests meet the same fate. */
export async function startFaultProxy(options: {
  readonly store: string
  readonly seed: number
  readonly host?: string
}): Promise<FaultProxy> {
  const { hostname, port } = new URL(options.store)
  const agent = new Agent({ keepAlive: true })
  const roll = dice(options.seed)
  const bytes = { up: 0, down: 0 }
  const happened: Record<Fault, number> = { refused: 0, reset: 0, 'reply lost': 0 }
  let requests = 0
  let share = 0
  let met = 0
  let gate = Promise.resolve()
  let onHeld = () => {}

  const fate = (): Fault | undefined => {
    if (roll() >= faults.length * share) return undefined
    // In turn, so that also few requests meet all of them.
    return faults[met++ % faults.length]
  }

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    requests++
    const fault = fate()
    if (fault !== undefined) happened[fault]++
    onHeld()
    await gate
    if (fault === 'refused') {
      outgoing.writeHead(503, { connection: 'close' }).end('<Error><Code>SlowDown</Code></Error>')
      return
    }
    const { method, url, headers } = incoming
    const onward = request({ host: hostname, port, agent, method, path: url, headers })
    const giveUp = () => {
      onward.destroy()
      incoming.socket.destroy()
    }
    onward.on('error', giveUp)
    incoming.on('error', () => onward.destroy())
    // Somewhere in the middle: of a body if there is one, else before the answer.
    const length = Number(headers['content-length'] ?? 0)
    const breaksAfter = fault === 'reset' ? roll() * length : Number.POSITIVE_INFINITY
    let passed = 0
    incoming.on('data', (piece: Buffer) => {
      passed += piece.length
      bytes.up += piece.length
      if (passed > breaksAfter) giveUp()
    })
    incoming.pipe(onward)
    if (fault === 'reset' && length === 0) giveUp()
    onward.once('response', (answer) => {
      if (fault === 'reply lost') {
        giveUp()
        return
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.on('data', (piece: Buffer) => (bytes.down += piece.length))
      answer.on('error', giveUp)
      outgoing.on('close', () => answer.destroy())
      answer.pipe(outgoing)
    })
  }

  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing))
  server.listen(0, options.host ?? '127.0.0.1')
  await once(server, 'listening')
  const at = server.address() as AddressInfo
  return {
    url: `http://${at.address}:${at.port}`,
    bytes,
    requests: () => requests,
    happened,
    trouble: (each) => (share = each),
    hold: () => {
      const released = Promise.withResolvers<void>()
      const held = Promise.withResolvers<void>()
      gate = released.promise
      onHeld = held.resolve
      return { held: held.promise, release: released.resolve }
    },
    close: () => {
      server.closeAllConnections()
      server.close()
      agent.destroy()
    },
  }
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
