import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { Subscriptions } from './subscriptions.ts'

/** Somebody in one process who answers for a name, whoever asks in whichever process. */
export interface Answerer {
  /** Undefined: no answer. */
  answer(question: string): Promise<string | undefined>
  /** Somebody else has taken the name. */
  replaced(): void
}

export interface Switchboard {
  /** Takes a name. Whoever had it before is told. Answers how to give it back. */
  hold(name: string, answerer: Answerer): () => void
  /** Undefined when nobody holds the name, or nobody answered in time. */
  ask(name: string, question: string, timeoutMs: number): Promise<string | undefined>
}

type Call =
  | { readonly kind: 'taken'; readonly by: string }
  | { readonly kind: 'question'; readonly id: string; readonly replyTo: string; readonly question: string }

interface Reply {
  readonly id: string
  readonly answer: string
}

const channel = (name: string) => `longshore:switchboard:${name}`
const replies = (of: string) => `longshore:switchboard-replies:${of}`

/** With Redis every process is reached; without, or while Redis is away, only this one. */
export function createSwitchboard(redis: Redis | undefined, subscriptions: Subscriptions): Switchboard {
  const self = randomUUID()
  const waiting = new Map<string, (answer: string) => void>()
  let listensForReplies: Promise<void> | undefined

  /** Answers how many heard it. */
  const say = async (to: string, message: Call | Reply): Promise<number> => {
    const text = JSON.stringify(message)
    if (redis !== undefined) {
      try {
        return await redis.publish(to, text)
      } catch {
        // Away: those in this process can still be told.
      }
    }
    return subscriptions.tellHere(to, text)
  }

  const listenForReplies = (): Promise<void> => {
    listensForReplies ??= new Promise((resolve) => {
      subscriptions.listen(replies(self), {
        heard(message) {
          const { id, answer } = JSON.parse(message) as Reply
          waiting.get(id)?.(answer)
        },
        listening: resolve,
      })
      // Without Redis there is nothing to wait for; and if it is away, an answer from here comes all the same.
      setTimeout(resolve, redis === undefined ? 0 : 1_000).unref()
    })
    return listensForReplies
  }

  return {
    hold(name, answerer) {
      const holding = randomUUID()
      const heard = async (call: Call): Promise<void> => {
        if (call.kind === 'taken') {
          if (call.by !== holding) answerer.replaced()
          return
        }
        const answer = await answerer.answer(call.question)
        if (answer !== undefined) await say(call.replyTo, { id: call.id, answer })
      }
      const take = () => void say(channel(name), { kind: 'taken', by: holding })
      let taken = false
      const leave = subscriptions.listen(channel(name), {
        heard: (message) => void heard(JSON.parse(message) as Call),
        // Once: being heard again after Redis was away is no reason to take it from whoever came later.
        listening() {
          if (!taken) take()
          taken = true
        },
      })
      if (redis === undefined) take()
      return leave
    },

    async ask(name, question, timeoutMs) {
      await listenForReplies()
      const id = randomUUID()
      const { promise, resolve } = Promise.withResolvers<string | undefined>()
      const timer = setTimeout(() => resolve(undefined), timeoutMs)
      waiting.set(id, resolve)
      try {
        const reached = await say(channel(name), { kind: 'question', id, replyTo: replies(self), question })
        return reached === 0 ? undefined : await promise
      } finally {
        clearTimeout(timer)
        waiting.delete(id)
      }
    },
  }
}
