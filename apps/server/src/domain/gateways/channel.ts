import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { FromGateway, type gatewayCloses, gatewayVersion, type ToGateway } from '@longshore/contract/gateway'
import { Compile } from 'typebox/compile'
import type { Cx } from '#domain/cx'
import { connectionById } from '#store/connections'
import { admitGateway, type Admitted } from './admit.ts'
import type { Answered, Question } from './ask.ts'
import { gatewayOrders } from './orders.ts'
import { gatewayTopic } from './topic.ts'

export type Close = keyof typeof gatewayCloses

/** One end of a connection, whatever carries it. */
export interface Line {
  /** Where it comes from. */
  readonly address: string
  send(text: string): void
  close(why: Close): void
}

/** What an open line does with what it hears. */
export interface Channel {
  heard(text: string): Promise<void>
  /** The line is gone. */
  gone(): Promise<void>
}

export type ChannelNeeds = Pick<
  Cx,
  'db' | 'box' | 'blob' | 'limiter' | 'queue' | 'switchboard' | 'tokens' | 'wake' | 'blueprints' | 'log' | 'settings'
>

// Whoever asks waits a little longer than this.
const answerMs = 10_000
const lookEveryMs = 5_000
// Questions that one agent has before it at a time.
const mostQuestions = 64

const fromGateway = Compile(FromGateway)

/** The cloud's side of a storage gateway: first it says who it is, then both sides talk. */
export function openChannel(cx: ChannelNeeds, line: Line): Channel {
  let talk: Channel | undefined
  let over = false
  return {
    async heard(text) {
      const message = parsed(text)
      if (talk !== undefined) return talk.heard(text)
      const admitted = await admitGateway(cx, message, line.address)
      if (over) return
      if (typeof admitted === 'string') return line.close(admitted)
      talk = startTalk(cx, line, admitted)
    },
    async gone() {
      over = true
      await talk?.gone()
    },
  }
}

function startTalk(cx: ChannelNeeds, line: Line, { connection, permissions, collects }: Admitted): Channel {
  const names = { team_id: connection.team_id, connection_id: connection.id }
  const send = (message: ToGateway) => line.send(JSON.stringify(message))
  const orders = gatewayOrders(cx, connection.id, send)
  const waiting = new Map<string, (answer: Answered) => void>()
  let over = false
  let looking: Promise<void> | undefined
  let again = false

  async function answer(question: Question): Promise<Answered | undefined> {
    if (question.ask === 'about') return { kind: 'about', permissions, collects }
    if (waiting.size >= mostQuestions) return { kind: 'silent' }
    const request_id = randomUUID()
    const { promise, resolve } = Promise.withResolvers<Answered>()
    const timer = setTimeout(() => resolve({ kind: 'silent' }), answerMs)
    waiting.set(request_id, resolve)
    send({ type: 'question', request_id, question })
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      waiting.delete(request_id)
    }
  }

  const look = (): void => {
    if (over) return
    if (looking !== undefined) {
      again = true
      return
    }
    looking = lookOnce()
      .catch((err: unknown) => cx.log.warn({ ...names, err }, 'orders of a gateway not looked for'))
      .finally(() => {
        looking = undefined
        if (again) {
          again = false
          look()
        }
      })
  }
  const lookOnce = async (): Promise<void> => {
    const now = await connectionById(cx.db, connection.id)
    if (now === undefined) return hangUp('deleted')
    if (!isDeepStrictEqual(now.secret_hash, connection.secret_hash)) return hangUp('renewed')
    await orders.look()
  }

  async function act(message: FromGateway): Promise<void> {
    switch (message.type) {
      case 'answer':
        return waiting.get(message.request_id)?.(message.answer)
      case 'files_wanted':
        return send(await orders.files(message.transfer_id, message.after, message.request_id))
      case 'progress':
        return orders.progress(message.transfer_id, message.progress, message.size)
      case 'delivered':
        return orders.delivered(message.transfer_id)
      case 'collected':
        return orders.collected(message.transfer_id, message.left_out)
      case 'failed':
        return orders.failed(message.transfer_id, message.message, message.passing)
    }
  }

  send({ type: 'welcome', version: gatewayVersion, heartbeat_seconds: cx.settings.streamHeartbeatSeconds })
  cx.log.info({ ...names, address: line.address, permissions }, 'gateway connected')
  const leave = cx.switchboard.hold(connection.id, {
    async answer(question) {
      const found = await answer(JSON.parse(question) as Question)
      return found === undefined ? undefined : JSON.stringify(found)
    },
    replaced: () => hangUp('replaced'),
  })
  const unsubscribe = cx.wake.subscribe(gatewayTopic(connection.id), look)
  const clock = setInterval(look, lookEveryMs)
  const stop = (): void => {
    over = true
    leave()
    unsubscribe()
    clearInterval(clock)
  }
  /** Whoever is let go is asked nothing more, and what still comes over the line counts no more. */
  const hangUp = (why: Close): void => {
    stop()
    line.close(why)
  }
  look()

  return {
    async heard(text) {
      if (over) return
      const message = parsed(text)
      if (!fromGateway.Check(message)) return hangUp('malformed')
      try {
        await act(message)
      } catch (err) {
        // It goes on by itself: whatever was not noted is said again, or falls due again.
        cx.log.error({ ...names, err, said: message.type }, 'message of a gateway not acted on')
      }
    },
    async gone() {
      stop()
      for (const resolve of waiting.values()) resolve({ kind: 'silent' })
      await looking
      await orders.giveBack().catch((err: unknown) => cx.log.warn({ ...names, err }, 'orders not given back'))
      cx.log.info(names, 'gateway gone')
    },
  }
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
