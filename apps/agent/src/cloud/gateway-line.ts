import {
  type FromGateway,
  gatewayPath,
  type GatewayHello,
  longestGatewayMessage,
  ToGateway,
} from '@longshore/contract/gateway'
import { Compile } from 'typebox/compile'
import { type RawData, WebSocket } from 'ws'

/** A line that the cloud has welcomed us on. */
export interface GatewayLine {
  readonly send: (message: FromGateway) => void
}

/** What is done with what comes over a line. */
export interface LineUser {
  readonly heard: (message: ToGateway) => void
  /** The line is gone. */
  readonly over: () => void
}

/** How a line ended: closed by the cloud with a code, or broken. */
export interface LineEnd {
  readonly code: number | undefined
  /** What the network said. */
  readonly error: Error | undefined
}

const handshakeMs = 15_000
const farewellMs = 1_000
// The cloud is heard at least once in its heartbeat; a little late is no silence.
const heartbeatsOfSilence = 2.5

const isMessage = Compile(ToGateway)

/** Holds a line to the cloud until it ends, or the signal does. Whoever uses it comes in once we are welcome. */
export function holdLine(
  cloudUrl: string,
  hello: GatewayHello,
  use: (line: GatewayLine) => LineUser,
  signal: AbortSignal,
): Promise<LineEnd> {
  const { promise: ended, resolve } = Promise.withResolvers<LineEnd>()
  const socket = new WebSocket(`${cloudUrl.replace(/^http/, 'ws')}${gatewayPath}`, {
    maxPayload: longestGatewayMessage,
    perMessageDeflate: false,
    handshakeTimeout: handshakeMs,
  })
  let user: LineUser | undefined
  let error: Error | undefined
  let silenceMs = handshakeMs
  let silence: NodeJS.Timeout | undefined
  // A line that was cut somewhere says nothing about it.
  const alive = () => {
    if (signal.aborted) return
    clearTimeout(silence)
    silence = setTimeout(() => {
      error ??= new Error('The server fell silent.')
      socket.terminate()
    }, silenceMs)
  }
  const send = (message: FromGateway | GatewayHello) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
  }

  socket.on('open', () => {
    alive()
    send(hello)
  })
  socket.on('ping', alive)
  socket.on('message', (data) => {
    const message = read(data)
    if (message?.type === 'welcome') {
      silenceMs = message.heartbeat_seconds * 1_000 * heartbeatsOfSilence
      user ??= use({ send })
    } else if (message !== undefined) user?.heard(message)
    alive()
  })
  socket.on('error', (cause) => {
    error = cause
  })
  const leave = () => {
    socket.close(1000)
    // The other end may be gone, and would not say so.
    clearTimeout(silence)
    silence = setTimeout(() => socket.terminate(), farewellMs)
  }
  signal.addEventListener('abort', leave, { once: true })
  socket.on('close', (code) => {
    clearTimeout(silence)
    signal.removeEventListener('abort', leave)
    user?.over()
    resolve({ code: code === brokenOff ? undefined : code, error })
  })
  if (signal.aborted) leave()
  return ended
}

// What the library says where no code came over the line.
const brokenOff = 1006

/** Undefined for what a newer cloud may say and this version does not know. */
function read(data: RawData): ToGateway | undefined {
  const text = Array.isArray(data) ? Buffer.concat(data).toString() : Buffer.from(data as Buffer).toString()
  try {
    const message: unknown = JSON.parse(text)
    return isMessage.Check(message) ? message : undefined
  } catch {
    return undefined
  }
}
