import { Redis } from 'ioredis'

/** A connection that answers quickly or not at all: a call must not wait for a Redis that is away. */
export function openRedis(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: 1_000,
    connectTimeout: 5_000,
    lazyConnect: false,
  })
  redis.on('error', onError)
  return redis
}
