import type { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'

/** How far uploads have come, as their senders say. Shared by all processes, and forgotten when nobody says more. */
export interface Marks {
  /** Raises a mark, never lowers it, and answers where it is. */
  raise(name: string, to: number): Promise<number>
  /** True for one caller of all processes; for the others not before so much time has passed. */
  turn(name: string, milliseconds: number): Promise<boolean>
}

// A paused upload is still where it was tomorrow.
const keptSeconds = 2 * 24 * 3600

const raiseMark = `
  local mark = tonumber(redis.call('get', KEYS[1]) or '0')
  local to = tonumber(ARGV[1])
  if to > mark then
    redis.call('set', KEYS[1], ARGV[1], 'ex', ARGV[2])
    return ARGV[1]
  end
  return string.format('%.0f', mark)`

declare module 'ioredis' {
  interface RedisCommander {
    raiseMark(key: string, to: number, seconds: number): Promise<string>
  }
}

export function createMarks(redis: Redis | undefined): Marks {
  const own = memoryMarks()
  if (redis === undefined) return own
  redis.defineCommand('raiseMark', { numberOfKeys: 1, lua: raiseMark })
  return {
    async raise(name, to) {
      // Also when Redis forgets, or is away, no mark goes back in this process.
      const here = await own.raise(name, to)
      const shared = await redis.raiseMark(`longshore:mark:${name}`, here, keptSeconds).catch(() => here)
      return own.raise(name, Number(shared))
    },
    turn: (name, milliseconds) =>
      redis.set(`longshore:turn:${name}`, '', 'PX', milliseconds, 'NX').then(
        (answer) => answer === 'OK',
        () => own.turn(name, milliseconds),
      ),
  }
}

function memoryMarks(): Marks {
  const marks = new LRUCache<string, number>({ max: 10_000 })
  const turns = new LRUCache<string, true>({ max: 10_000 })
  return {
    async raise(name, to) {
      const mark = Math.max(marks.get(name) ?? 0, to)
      marks.set(name, mark)
      return mark
    },
    async turn(name, milliseconds) {
      if (turns.has(name)) return false
      turns.set(name, true, { ttl: milliseconds })
      return true
    },
  }
}
