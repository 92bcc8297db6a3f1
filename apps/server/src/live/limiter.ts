import type { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'

export interface Allowance {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  readonly resetSeconds: number
}

/** Counts calls, for all API processes together. */
export interface Limiter {
  /** Every call of a credential. Undefined when the operator set no limit. */
  call(credential: string): Promise<Allowance | undefined>
  /** Every try of something that could be guessed, counted before it is checked. */
  guess(name: string): Promise<Allowance>
}

export interface LimiterOptions {
  /** 0 for no limit. */
  readonly callsPerMinute: number
  readonly guessesPerMinute: number
}

const minute = 60

/** With Redis the counts are shared; without, or while Redis is away, each process counts for itself. */
export function createLimiter(redis: Redis | undefined, options: LimiterOptions): Limiter {
  const make = (keyPrefix: string, points: number) => {
    const own = new RateLimiterMemory({ keyPrefix, points, duration: minute })
    if (redis === undefined) return own
    return new RateLimiterRedis({ storeClient: redis, keyPrefix, points, duration: minute, insuranceLimiter: own })
  }
  const calls = make('calls', options.callsPerMinute)
  const guesses = make('guesses', options.guessesPerMinute)
  return {
    call: (credential) =>
      options.callsPerMinute === 0 ? Promise.resolve(undefined) : consume(calls, credential, options.callsPerMinute),
    guess: (name) => consume(guesses, name, options.guessesPerMinute),
  }
}

async function consume(limiter: RateLimiterMemory | RateLimiterRedis, key: string, limit: number): Promise<Allowance> {
  try {
    const state = await limiter.consume(key)
    return { allowed: true, limit, remaining: state.remainingPoints, resetSeconds: seconds(state) }
  } catch (rejected) {
    if (!(rejected instanceof RateLimiterRes)) throw rejected
    return { allowed: false, limit, remaining: 0, resetSeconds: seconds(rejected) }
  }
}

const seconds = (state: RateLimiterRes): number => Math.max(1, Math.ceil(state.msBeforeNext / 1000))
