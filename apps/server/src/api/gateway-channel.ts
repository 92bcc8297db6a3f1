import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { gatewayCloses, gatewayPath, longestGatewayMessage } from '@longshore/contract/gateway'
import type { FastifyInstance } from 'fastify'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import type { Cx } from '#domain/cx'
import { type Close, openChannel } from '#domain/gateways/channel'

const helloMs = 10_000
// Each is a connection and memory that somebody holds.
const mostSockets = 10_000
const farewellMs = 2_000
// Messages of one gateway that wait for their turn. Whoever sends more of them than we do is cut off.
const mostWaiting = 1_000
// Behind what the socket itself holds: an agent that does not read would only fill our memory.
const mostBytesUnsent = 64 * 1024 * 1024

/** The WebSocket that agents hold open for their storage gateways. */
export function addGatewayChannel(app: FastifyInstance, cx: Cx): void {
  const server = new WebSocketServer({ noServer: true, maxPayload: longestGatewayMessage, perMessageDeflate: false })
  const open = new Set<Promise<void>>()

  app.server.on('upgrade', (request, socket: Duplex, head) => {
    const path = (request.url ?? '').split('?')[0]
    if (path !== gatewayPath) return refuse(socket, '404 Not Found')
    // Agents send none. A page that does must not get as far as trying secrets.
    if (request.headers.origin !== undefined) return refuse(socket, '403 Forbidden')
    if (server.clients.size >= mostSockets) return refuse(socket, '503 Service Unavailable')
    server.handleUpgrade(request, socket, head, (webSocket) => {
      const over = serve(cx, webSocket, request.socket.remoteAddress ?? '').finally(() => open.delete(over))
      open.add(over)
    })
  })

  app.addHook('preClose', async () => {
    for (const webSocket of server.clients) close(webSocket, 'restarting')
    await Promise.all(open)
  })
}

function refuse(socket: Duplex, status: string): void {
  socket.on('error', () => {})
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** Serves one socket to its end. */
async function serve(cx: Cx, webSocket: WebSocket, address: string): Promise<void> {
  const { promise: closed, resolve: hasClosed } = Promise.withResolvers<void>()
  const heartbeatMs = cx.settings.streamHeartbeatSeconds * 1000
  const channel = openChannel(cx, {
    address,
    send(text) {
      if (webSocket.bufferedAmount > mostBytesUnsent) close(webSocket, 'tooSlow')
      else webSocket.send(text)
    },
    close: (why) => close(webSocket, why),
  })
  let inTurn = Promise.resolve()
  let waiting = 0
  let isAlive = true
  let hasSpoken = false

  webSocket.on('message', (data: RawData, isBinary) => {
    if (isBinary) return close(webSocket, 'malformed')
    if (++waiting > mostWaiting) return close(webSocket, 'tooSlow')
    hasSpoken = true
    isAlive = true
    // One after the other: what an agent says later must not overtake what it said before.
    inTurn = inTurn
      .then(() => channel.heard(textOf(data)))
      .catch((err: unknown) => {
        cx.log.error({ err }, 'gateway channel failed')
        close(webSocket, 'tryLater')
      })
      .finally(() => waiting--)
  })
  webSocket.on('pong', () => {
    isAlive = true
  })
  webSocket.on('error', (err) => cx.log.warn({ err, address }, 'gateway socket in trouble'))
  webSocket.on('close', () => hasClosed())
  const hello = setTimeout(() => hasSpoken || close(webSocket, 'tooSlow'), helloMs)
  const heart = setInterval(() => {
    // A line that was cut somewhere says nothing about it.
    if (!isAlive) return webSocket.terminate()
    isAlive = false
    webSocket.ping()
  }, heartbeatMs)

  await closed
  clearTimeout(hello)
  clearInterval(heart)
  await inTurn
  await channel.gone()
}

function close(webSocket: WebSocket, why: Close): void {
  if (webSocket.readyState !== WebSocket.OPEN) return
  webSocket.close(gatewayCloses[why], why)
  void sleep(farewellMs, undefined, { ref: false }).then(() => webSocket.terminate())
}

const textOf = (data: RawData): string =>
  (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString()
