import { once } from 'node:events'
import type { TestContext } from 'node:test'
import type { FromGateway, GatewayQuestion, ToGateway } from '@longshore/contract/gateway'
import { gatewayPath, gatewayVersion } from '@longshore/contract/gateway'
import { openRedis } from '#live/redis'
import { createSubscriptions } from '#live/subscriptions'
import { createSwitchboard } from '#live/switchboard'
import type { TestCx } from './cx.ts'
import { testStack } from './stack.ts'

/** The same world as another process sees it: only Redis is between them. */
export function inAnotherProcess(t: TestContext, cx: TestCx): TestCx {
  const redis = openRedis(testStack().redis_url, () => {})
  const subscriptions = createSubscriptions(redis)
  t.after(() => {
    subscriptions.close()
    redis.disconnect()
  })
  return { ...cx, switchboard: createSwitchboard(redis, subscriptions) }
}

type Answer = Extract<FromGateway, { type: 'answer' }>['answer']

/** An agent's end of a storage gateway, as small as it can be: it says what it is told to, and keeps what it hears. */
export interface TestGateway {
  readonly heard: ToGateway[]
  say(message: FromGateway | object): void
  /** Waits for a message of this type, and takes it out of those heard. */
  next<Type extends ToGateway['type']>(type: Type): Promise<Extract<ToGateway, { type: Type }>>
  /** How the cloud closed it. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  hangUp(): Promise<void>
}

export interface Introduction {
  readonly id: string
  readonly secret: string
  readonly permissions?: 'r' | 'w' | 'rw'
  readonly collects?: boolean
}

export async function connectGateway(
  t: TestContext,
  url: string,
  { id, secret, permissions = 'rw', collects = true }: Introduction,
  answer: (question: GatewayQuestion) => Answer | undefined = () => undefined,
): Promise<TestGateway> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${gatewayPath}`)
  const heard: ToGateway[] = []
  const { promise: closed, resolve: hasClosed } = Promise.withResolvers<{ code: number; reason: string }>()
  let wake = () => {}
  t.after(() => socket.close())
  socket.addEventListener('close', ({ code, reason }) => hasClosed({ code, reason }))
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(data as string) as ToGateway
    const reply = message.type === 'question' ? answer(message.question) : undefined
    if (message.type === 'question' && reply !== undefined) {
      say({ type: 'answer', request_id: message.request_id, answer: reply })
    } else {
      heard.push(message)
      wake()
    }
  })
  await once(socket, 'open')
  const say = (message: FromGateway | object) => socket.send(JSON.stringify(message))
  say({ type: 'hello', version: gatewayVersion, id, secret, permissions, collects })
  return {
    heard,
    say,
    async next(type) {
      const deadline = Date.now() + 10_000
      while (Date.now() < deadline) {
        const index = heard.findIndex((message) => message.type === type)
        if (index >= 0) return heard.splice(index, 1)[0] as never
        await new Promise<void>((resolve) => {
          wake = resolve
          setTimeout(resolve, 100)
        })
      }
      throw new Error(`No '${type}' came; heard: ${heard.map((message) => message.type).join(', ')}`)
    },
    closed,
    async hangUp() {
      socket.close()
      await closed
    },
  }
}
