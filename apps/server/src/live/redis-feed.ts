import type { Redis } from 'ioredis'
import type { Feed, FeedEvent, NewFeedEvent } from './feed.ts'
import { feedIds, isBehind, kept } from './feed-ids.ts'
import type { Subscriptions } from './subscriptions.ts'

const key = (channel: string) => `longshore:feed:${channel}`

// One step for Redis: whoever listens hears every event behind the last one that they can read, and none is in between.
const tell = `
  local id = redis.call('xadd', KEYS[1], 'maxlen', '~', ARGV[2], '*', 'event', ARGV[1])
  redis.call('expire', KEYS[1], ARGV[3])
  redis.call('publish', KEYS[1], id .. ' ' .. ARGV[1])
  return id`

declare module 'ioredis' {
  interface RedisCommander {
    tellFeed(key: string, event: string, events: number, seconds: number): Promise<string>
  }
}

/** The feed of all processes on one Redis: a stream for what was said, pub/sub for what is being said. */
export function redisFeed(redis: Redis, subscriptions: Subscriptions): Feed {
  redis.defineCommand('tellFeed', { numberOfKeys: 1, lua: tell })
  const ownId = feedIds()

  /** What the channel keeps, from the given event on. */
  const keptFrom = async (channel: string, id: string): Promise<FeedEvent[]> => {
    const entries = await redis.xrange(key(channel), id, '+')
    return entries.map(([entryId, [, event = '']]) => read(entryId, event))
  }

  return {
    publish(channels, event) {
      const text = JSON.stringify(event)
      for (const channel of channels) {
        redis.tellFeed(key(channel), text, kept.events, kept.seconds).catch(() => {
          // Those in this process need not wait for Redis.
          subscriptions.tellHere(key(channel), `${ownId()} ${text}`)
        })
      }
    },
    follow(channel, after, follower) {
      let last = after
      // What was read comes over one connection and what is heard over another, so some of it is heard after all.
      let readUntil = '0-0'
      let listenedBefore = false
      let stopped = false
      // What is said before we have read what was said earlier has to wait for its turn.
      let waiting: FeedEvent[] | undefined = after === undefined ? undefined : []

      const pass = (event: FeedEvent) => {
        last = event.id
        if (!stopped) follower.heard(event)
      }
      const passIfNew = (event: FeedEvent) => {
        if (isBehind(event.id, readUntil)) pass(event)
      }
      /** Passes on what came behind an event. Answers whether that is all of it: the event itself is still kept. */
      const catchUp = async (from: string): Promise<boolean> => {
        const said = (waiting ??= [])
        const events = await keptFrom(channel, from).catch(() => [])
        const behind = events.filter(({ id }) => id !== from)
        for (const event of behind) pass(event)
        readUntil = behind.at(-1)?.id ?? from
        if (waiting === said) waiting = undefined
        for (const event of said) passIfNew(event)
        return events[0]?.id === from
      }
      const listening = async () => {
        const again = listenedBefore
        listenedBefore = true
        const whole = last === undefined ? true : await catchUp(last)
        // While Redis was away there was nobody to keep what happened.
        if (!stopped && (again || !whole)) follower.missed()
      }
      const stop = subscriptions.listen(key(channel), {
        heard(message) {
          const event = readMessage(message)
          // While Redis is away this comes from our own process, and there is nothing to wait for.
          if (redis.status !== 'ready') pass(event)
          else if (waiting === undefined) passIfNew(event)
          else waiting.push(event)
        },
        listening: () => void listening(),
      })
      return () => {
        stopped = true
        stop()
      }
    },
    async isFollowed(channels) {
      // Asked of Redis in vain, somebody may well listen.
      const counts = await redis.pubsub('NUMSUB', ...channels.map(key)).catch(() => [1])
      return counts.some((count) => typeof count === 'number' && count > 0)
    },
  }
}

const read = (id: string, text: string): FeedEvent => ({ ...(JSON.parse(text) as NewFeedEvent), id })

function readMessage(message: string): FeedEvent {
  const space = message.indexOf(' ')
  return read(message.slice(0, space), message.slice(space + 1))
}
