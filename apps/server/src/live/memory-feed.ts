import { LRUCache } from 'lru-cache'
import type { Feed, FeedEvent, FeedFollower } from './feed.ts'
import { feedIds, isBehind, kept } from './feed-ids.ts'

// Channels that are remembered without a follower. The rest is forgotten, as Redis forgets what is too old.
const rememberedChannels = 10_000

/** The feed of a single process. */
export function memoryFeed(): Feed {
  const followers = new Map<string, Set<FeedFollower>>()
  const history = new LRUCache<string, FeedEvent[]>({ max: rememberedChannels, ttl: kept.seconds * 1000 })
  const nextId = feedIds()

  return {
    publish(channels, event) {
      for (const channel of channels) {
        const told = { ...event, id: nextId() }
        history.set(channel, [...(history.get(channel) ?? []).slice(1 - kept.events), told])
        for (const follower of followers.get(channel) ?? []) follower.heard(told)
      }
    },
    follow(channel, after, follower) {
      const here = followers.get(channel) ?? new Set()
      followers.set(channel, here.add(follower))
      if (after !== undefined) {
        const events = history.get(channel) ?? []
        for (const event of events.filter(({ id }) => isBehind(id, after))) follower.heard(event)
        if (!events.some(({ id }) => id === after)) follower.missed()
      }
      return () => {
        here.delete(follower)
        if (here.size === 0 && followers.get(channel) === here) followers.delete(channel)
      }
    },
    isFollowed: async (channels) => channels.some((channel) => followers.has(channel)),
  }
}
