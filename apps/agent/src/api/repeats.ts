import type { Repeatable } from '@longshore/kit/door/idempotency-key'
import { newId } from '@longshore/kit/ids'
import { Refusal } from '@longshore/kit/refusal'
import { hashSecret } from '@longshore/kit/secrets'
import type { Database } from '#state/database'
import { forgetRepeat, forgetRepeatsBefore, noteRepeat, readRepeat, saveReply } from '#state/repeats'

const keptMs = 24 * 3_600_000

/**
 * Does a call once, however often it comes under the same key: a repeat gets the first reply. The id of what it makes is
 * noted before, so that one that was cut short, by a crash or by a cloud that did not answer, goes on under it.
 */
export type Repeats = <Reply>(
  asked: Repeatable | undefined,
  work: (id: string) => Promise<Reply> | Reply,
) => Promise<Reply>

export function createRepeats(db: Database, now: () => Date): Repeats {
  const underWay = new Map<string, Promise<unknown>>()

  const firstTime = async <Reply>(key: string, id: string, work: (id: string) => Promise<Reply> | Reply) => {
    try {
      const reply = await work(id)
      saveReply(db, key, JSON.stringify(reply))
      return reply
    } catch (error) {
      // Refused for good: nothing was made, and the key is free for what was meant.
      if (error instanceof Refusal && error.code !== 'cloud_unreachable') forgetRepeat(db, key)
      throw error
    }
  }

  return async <Reply>(asked: Repeatable | undefined, work: (id: string) => Promise<Reply> | Reply) => {
    if (asked === undefined) return work(newId())
    const { key } = asked
    const request = hashSecret(asked.request).toString('hex')
    forgetRepeatsBefore(db, new Date(now().getTime() - keptMs))
    const before = readRepeat(db, key)
    if (before !== undefined && before.request !== request) throw new Refusal('idempotency_conflict')
    if (before !== undefined && before.reply !== null) return JSON.parse(before.reply) as Reply
    const id = before?.id ?? newId()
    if (before === undefined) noteRepeat(db, key, request, id, now())
    const running = underWay.get(key) as Promise<Reply> | undefined
    if (running !== undefined) return running
    const reply = firstTime(key, id, work).finally(() => underWay.delete(key))
    underWay.set(key, reply)
    return reply
  }
}
