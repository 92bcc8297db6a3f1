import type { Redis } from 'ioredis'
import type { Subscriptions } from './subscriptions.ts'

/**
 * Tells other processes that something waits for them. A hint and no more: it may be lost, or come when nothing waits,
 * so whoever listens also looks by itself from time to time.
 */
export interface Wake {
  /** Never waits and never fails. */
  publish(topic: string): void
  /** Answers how to stop listening. */
  subscribe(topic: string, wake: () => void): () => void
}

const channel = (topic: string) => `longshore:wake:${topic}`

/** With Redis every process hears it; without, or while Redis is away, only this one. */
export function createWake(redis: Redis | undefined, subscriptions: Subscriptions): Wake {
  return {
    publish(topic) {
      const here = () => subscriptions.tellHere(channel(topic), '')
      if (redis === undefined) here()
      else redis.publish(channel(topic), '').catch(here)
    },
    // What was said while nobody listened is lost, so getting connected is a reason to look too.
    subscribe: (topic, wake) => subscriptions.listen(channel(topic), { heard: wake, listening: wake }),
  }
}
