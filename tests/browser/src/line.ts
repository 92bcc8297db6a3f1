import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** The wire between a browser and the store: slow if wanted, and cut at will. */
export interface Line {
  readonly url: string
  /** Bytes that went towards the store. */
  readonly sent: () => number
  /** Bytes a second towards the store; `Infinity` for no limit. */
  readonly limit: (bytesPerSecond: number) => void
  readonly cut: () => void
  readonly mend: () => void
  readonly close: () => Promise<void>
}

export async function drawLine(port: number, to: string): Promise<Line> {
  const { hostname, port: target } = new URL(to)
  const sockets = new Set<Socket>()
  let isCut = false
  let rate = Number.POSITIVE_INFINITY
  let sent = 0
  let free = 0

  const server = createServer((near) => {
    if (isCut) {
      near.destroy()
      return
    }
    const far = connect(Number(target), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(one)
          other.destroy()
        })
    }
    far.pipe(near)
    near.on('data', (piece: Buffer) => {
      sent += piece.length
      free = Math.max(free, performance.now()) + (piece.length / rate) * 1_000
      const isFull = !far.write(piece)
      const wait = free - performance.now()
      if (!isFull && wait < 5) return
      near.pause()
      if (isFull) far.once('drain', () => near.resume())
      else setTimeout(() => near.resume(), wait)
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const hangUp = () => {
    for (const socket of sockets) socket.destroy()
  }

  return {
    url: `http://127.0.0.1:${port}`,
    sent: () => sent,
    limit: (bytesPerSecond) => {
      rate = bytesPerSecond
      free = 0
    },
    cut: () => {
      isCut = true
      hangUp()
    },
    mend: () => {
      isCut = false
    },
    close: async () => {
      hangUp()
      server.close()
      await once(server, 'close')
    },
  }
}
