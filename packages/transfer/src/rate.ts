import type { Clock } from './ports.ts'

/** A token bucket that may run into debt: whoever comes next waits until it is paid. */
export interface Bucket {
  /** `Infinity` for no limit. */
  readonly bytesPerSecond: number
  readonly level: number
  readonly at: number
}

// What may go at once after a pause. Short, so that a limit holds over any second and not only over a minute.
const burstSeconds = 0.1

export const fullBucket = (bytesPerSecond: number, at: number): Bucket => ({
  bytesPerSecond,
  level: bytesPerSecond * burstSeconds,
  at,
})

export function refill(bucket: Bucket, now: number): Bucket {
  const { bytesPerSecond, level, at } = bucket
  if (bytesPerSecond === Number.POSITIVE_INFINITY) return { bytesPerSecond, level: bytesPerSecond, at: now }
  const gained = (Math.max(0, now - at) / 1_000) * bytesPerSecond
  return { bytesPerSecond, level: Math.min(bytesPerSecond * burstSeconds, level + gained), at: now }
}

export const spend = (bucket: Bucket, bytes: number): Bucket => ({ ...bucket, level: bucket.level - bytes })

/** Milliseconds until the bucket is out of debt. */
export function waitFor(bucket: Bucket): number {
  return bucket.level >= 0 ? 0 : Math.ceil((-bucket.level / bucket.bytesPerSecond) * 1_000)
}

/** Another limit from now on. A debt stays what it is in bytes, and is paid at the new speed. */
export function setRate(bucket: Bucket, bytesPerSecond: number, now: number): Bucket {
  const { level } = refill(bucket, now)
  return { bytesPerSecond, level: Math.min(level, bytesPerSecond * burstSeconds), at: now }
}

export interface Limiter {
  /** Nothing when the bytes may go at once, else a promise to wait for. In turn: nobody is overtaken. */
  readonly pace: (bytes: number, signal: AbortSignal) => Promise<void> | undefined
  /** Also heard by those who wait. */
  readonly set: (bytesPerSecond: number) => void
}

/** One limit, shared by all who are given it: a whole agent, or one network interface. */
export function createLimiter(clock: Clock, bytesPerSecond = Number.POSITIVE_INFINITY): Limiter {
  let bucket = fullBucket(bytesPerSecond, clock.now())
  const waiting: { readonly bytes: number; readonly go: () => void }[] = []
  let callOff: (() => void) | undefined

  const serve = () => {
    callOff?.()
    callOff = undefined
    bucket = refill(bucket, clock.now())
    while (waiting.length > 0 && waitFor(bucket) === 0) {
      const next = waiting.shift()
      if (next === undefined) break
      bucket = spend(bucket, next.bytes)
      next.go()
    }
    if (waiting.length > 0) callOff = clock.after(waitFor(bucket), serve)
  }

  const wait = (bytes: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const stop = () => {
        waiting.splice(waiting.indexOf(one), 1)
        serve()
        reject(signal.reason as Error)
      }
      const one = {
        bytes,
        go: () => {
          signal.removeEventListener('abort', stop)
          resolve()
        },
      }
      if (signal.aborted) {
        reject(signal.reason as Error)
        return
      }
      signal.addEventListener('abort', stop, { once: true })
      waiting.push(one)
      serve()
    })

  return {
    pace: (bytes, signal) => {
      if (waiting.length === 0) {
        bucket = refill(bucket, clock.now())
        if (waitFor(bucket) === 0) {
          bucket = spend(bucket, bytes)
          return undefined
        }
      }
      return wait(bytes, signal)
    },
    set: (bytesPerSecond) => {
      bucket = setRate(bucket, bytesPerSecond, clock.now())
      serve()
    },
  }
}
