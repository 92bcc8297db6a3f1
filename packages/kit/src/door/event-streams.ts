import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Stream, StreamEvent } from './stream.ts'

// Behind what the connection itself holds. Whoever lags further would only fill our memory; coming back, they go on
// where they stopped.
const mostBytesWaiting = 64 * 1024

// How long the last words may take to a reader who is slow, or gone without saying so.
const farewellMs = 2_000

// What a browser waits before it comes back.
const retryMs = 2_000

/** Sends server-sent events to any number of readers, and lets go of all of them before the server closes. */
export function eventStreams(app: FastifyInstance) {
  const open = new Set<{ end(): void; readonly over: Promise<void> }>()

  app.addHook('preClose', async () => {
    for (const one of open) one.end()
    await Promise.all([...open].map(({ over }) => over))
  })

  return {
    send(reply: FastifyReply, stream: Stream) {
      const text = new Readable({ read() {}, highWaterMark: mostBytesWaiting })
      const over = Promise.withResolvers<void>()
      let ended = false
      let stop = () => {}
      let inOneGo = false

      const write = (piece: string) => {
        if (ended) return
        // What somebody missed is told in one go. Nobody could have read any of it yet, so it is no sign of lagging.
        if (!inOneGo && text.readableLength > mostBytesWaiting) return void text.destroy()
        text.push(piece)
        if (!inOneGo) setImmediate(() => (inOneGo = false))
        inOneGo = true
      }
      const end = () => {
        if (ended) return
        ended = true
        stop()
        text.push(null)
        void sleep(farewellMs, undefined, { ref: false }).then(() => text.destroy())
      }
      const one = { end, over: over.promise }
      open.add(one)
      text.on('close', () => {
        ended = true
        open.delete(one)
        stop()
        over.resolve()
      })
      write(`retry: ${retryMs}\n\n`)
      stop = stream({ tell: (event) => write(written(event)), beat: () => write(':\n\n'), end })
      // It may have been over before it began.
      if (ended) stop()

      return reply
        .header('content-type', 'text/event-stream; charset=utf-8')
        .header('cache-control', 'no-store, no-transform')
        .header('x-accel-buffering', 'no')
        .send(text)
    },
  }
}

const written = ({ id, type, data }: StreamEvent): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${data}\n\n`
