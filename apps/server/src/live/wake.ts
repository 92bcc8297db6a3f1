import { EventEmitter } from 'node:events'
import type { Redis } from 'ioredis'

/**
 * Tells other processes that something waits for them. A hint and no more: it may be lost, or come when nothing waits,
 * so whoever listens also looks by itself from time to time.
 */
export interface Wake {
  /** Never waits and never fails. */
  publish(topic: string): void
  /** Answers how to stop listening. */
  subscribe(topic: string, wake: () => void): () => void
  close(): void
}

const channel = (topic: string) => `longshore:wake:${topic}`

/** With Redis every process hears it; without, or while Redis is away, only this one. */
export function createWake(redis: Redis | undefined): Wake {
  const here = new EventEmitter().setMaxListeners(0)
  let listening: Redis | undefined

  // A connection that listens can do nothing else, so it is one of its own, opened when somebody listens.
  const listen = (from: Redis): Redis => {
    const listener = from.duplicate({ enableOfflineQueue: true, maxRetriesPerRequest: null })
    listener.on('error', () => {})
    listener.on('message', (heard: string) => here.emit(heard))
    listener.on('ready', () => {
      for (const heard of here.eventNames() as string[]) {
        // Asked for before, perhaps, but while Redis was away that may have come to nothing.
        listener.subscribe(heard).catch(() => {})
        // What was said meanwhile is lost; look once for everything.
        here.emit(heard)
      }
    })
    return listener
  }

  return {
    publish(topic) {
      if (redis === undefined) here.emit(channel(topic))
      else redis.publish(channel(topic), '').catch(() => here.emit(channel(topic)))
    },
    subscribe(topic, wake) {
      here.on(channel(topic), wake)
      if (redis !== undefined) {
        listening ??= listen(redis)
        if (listening.status === 'ready') listening.subscribe(channel(topic)).catch(() => {})
      }
      return () => here.off(channel(topic), wake)
    },
    close: () => listening?.disconnect(),
  }
}
