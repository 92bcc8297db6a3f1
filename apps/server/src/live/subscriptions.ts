import type { Redis } from 'ioredis'

/** Someone who listens to a channel. */
export interface Ear {
  heard(message: string): void
  /** Redis listens for us, so from here on nothing is missed. Said at first, and each time after Redis was away. */
  listening(): void
}

/** Everything that a process listens to, over one connection: one that listens can do nothing else. */
export interface Subscriptions {
  /** Answers how to stop. */
  listen(channel: string, ear: Ear): () => void
  /** Tells those in this process what Redis could not pass on. Answers how many they are. */
  tellHere(channel: string, message: string): number
  close(): void
}

interface Channel {
  readonly ears: Set<Ear>
  /** Whether Redis has confirmed that we listen. */
  confirmed: boolean
}

/** Without Redis, or while it is away, only what is said in this process is heard. */
export function createSubscriptions(redis: Redis | undefined): Subscriptions {
  const channels = new Map<string, Channel>()
  let connection: Redis | undefined

  const subscribe = async (name: string, channel: Channel) => {
    try {
      await connection?.subscribe(name)
    } catch {
      // Away again. It is asked for anew once Redis is back.
      return
    }
    if (channels.get(name) !== channel) return
    channel.confirmed = true
    for (const ear of channel.ears) ear.listening()
  }

  const connect = (from: Redis): Redis => {
    // A subscription is confirmed, or lost with the connection; there is nothing to give up in between.
    const made = from.duplicate({ autoResubscribe: false, maxRetriesPerRequest: null, commandTimeout: 600_000 })
    made.on('error', () => {})
    made.on('message', (name: string, message: string) => {
      for (const ear of channels.get(name)?.ears ?? []) ear.heard(message)
    })
    made.on('close', () => {
      for (const channel of channels.values()) channel.confirmed = false
    })
    made.on('ready', () => {
      for (const [name, channel] of channels) void subscribe(name, channel)
    })
    return made
  }

  const leave = (name: string, ear: Ear) => {
    const channel = channels.get(name)
    if (channel === undefined || !channel.ears.delete(ear) || channel.ears.size > 0) return
    channels.delete(name)
    connection?.unsubscribe(name).catch(() => {})
  }

  return {
    listen(name, ear) {
      if (redis !== undefined) connection ??= connect(redis)
      const known = channels.get(name)
      const channel = known ?? { ears: new Set(), confirmed: false }
      channel.ears.add(ear)
      if (known === undefined) channels.set(name, channel)
      if (channel.confirmed) queueMicrotask(() => channel.ears.has(ear) && ear.listening())
      else if (known === undefined && connection?.status === 'ready') void subscribe(name, channel)
      return () => leave(name, ear)
    },
    tellHere(name, message) {
      const ears = [...(channels.get(name)?.ears ?? [])]
      for (const ear of ears) ear.heard(message)
      return ears.length
    },
    close: () => connection?.disconnect(),
  }
}
