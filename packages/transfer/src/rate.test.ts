import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createLimiter, fullBucket, type Limiter, refill, spend, waitFor } from '#rate'
import { createTime, type SimTime } from '#simulation/time'

const { signal } = new AbortController()

/** Sends pieces in so many lanes until the time is up; answers how many bytes went. */
async function pour(time: SimTime, limiter: Limiter, seconds: number, lanes: number): Promise<number> {
  const end = time.now() + seconds * 1_000
  const clock = time.clockOf(Symbol('wire'))
  let bytes = 0
  const lane = async () => {
    while (time.now() < end) {
      await limiter.pace(65_536, signal)
      if (time.now() > end) break
      bytes += 65_536
      await new Promise<void>((resolve) => void clock.after(1, resolve))
    }
  }
  await time.until(Promise.all(Array.from({ length: lanes }, lane)))
  return bytes
}

for (const lanes of [1, 8]) {
  test(`a limit of 20 MB/s is held within 5 % over 30 s in ${lanes} lane(s)`, async () => {
    const time = createTime()
    const limiter = createLimiter(time.clockOf(Symbol('limit')), 20e6)
    const speed = (await pour(time, limiter, 30, lanes)) / 30
    assert.ok(Math.abs(speed / 20e6 - 1) < 0.05, `${(speed / 1e6).toFixed(2)} MB/s`)
  })
}

test('a limit that is set while others wait holds from that moment', async () => {
  const time = createTime()
  const clock = time.clockOf(Symbol('limit'))
  const limiter = createLimiter(clock, 1e3)
  clock.after(10_000, () => limiter.set(20e6))
  // At 1 kB/s one piece takes a minute: without the change, nothing would follow it.
  const bytes = await pour(time, limiter, 40, 4)
  assert.ok(Math.abs(bytes / (30 * 20e6) - 1) < 0.05, `${bytes} bytes`)
})

test('a limit that is lifted lets everybody go, and one that is set again holds', async () => {
  const time = createTime()
  const limiter = createLimiter(time.clockOf(Symbol('limit')), 1)
  void limiter.pace(1_000_000, signal)
  const waiting = limiter.pace(1, signal)
  assert.ok(waiting instanceof Promise)
  limiter.set(Number.POSITIVE_INFINITY)
  await waiting
  assert.equal(limiter.pace(1e12, signal), undefined)
  limiter.set(20e6)
  const speed = (await pour(time, limiter, 30, 8)) / 30
  assert.ok(Math.abs(speed / 20e6 - 1) < 0.05, `${(speed / 1e6).toFixed(2)} MB/s`)
})

test('one who gives up waiting holds nobody up and leaves no timer', async () => {
  const time = createTime()
  const owner = Symbol('limit')
  const limiter = createLimiter(time.clockOf(owner), 1_000)
  void limiter.pace(10_000, signal)
  const stop = new AbortController()
  const waiting = limiter.pace(1, stop.signal)
  stop.abort(new Error('enough'))
  await assert.rejects(async () => waiting, /enough/)
  assert.equal(time.pending(owner), 0)
})

test('over any time no more goes than the limit allows, and one burst and piece', () => {
  const spends = fc.array(fc.tuple(fc.nat(2_000), fc.integer({ min: 1, max: 5_000 })), { minLength: 1 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), spends, (rate, spends) => {
      let bucket = fullBucket(rate, 0)
      let at = 0
      let sent = 0
      for (const [later, bytes] of spends) {
        at += later
        bucket = refill(bucket, at)
        if (waitFor(bucket) > 0) continue
        bucket = spend(bucket, bytes)
        sent += bytes
      }
      assert.ok(sent <= rate * 0.1 + (rate * at) / 1_000 + 5_000)
    }),
  )
})
