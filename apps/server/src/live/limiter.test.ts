import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { createLimiter } from '#live/limiter'
import { limiterSuite } from '#live/limiter.suite'
import { openRedis } from '#live/redis'
import { testStack } from '#test-kit/stack'

const redis = [openRedis(testStack().redis_url, () => {}), openRedis(testStack().redis_url, () => {})] as const
before(() => Promise.all(redis.map((one) => once(one, 'ready'))))
after(() => redis.forEach((one) => one.disconnect()))

limiterSuite('in memory', (options) => createLimiter(undefined, options))
limiterSuite('on Redis', (options) => createLimiter(redis[0], options))

test('two processes on one Redis count together', async () => {
  const options = { callsPerMinute: 4, guessesPerMinute: 2 }
  const [one, other] = [createLimiter(redis[0], options), createLimiter(redis[1], options)]
  const me = randomUUID()
  const allowed = []
  for (let call = 0; call < 3; call++) allowed.push((await one.call(me))?.allowed, (await other.call(me))?.allowed)
  assert.deepEqual(allowed, [true, true, true, true, false, false])
  assert.equal((await one.guess(me)).remaining, 1)
  assert.equal((await other.guess(me)).remaining, 0)
  assert.equal((await one.guess(me)).allowed, false)
})

test('while Redis is away each process counts for itself, and no call waits or fails', async () => {
  const away = openRedis('redis://127.0.0.1:9', () => {})
  try {
    const limiter = createLimiter(away, { callsPerMinute: 2, guessesPerMinute: 1 })
    const me = randomUUID()
    const startedAt = performance.now()
    const allowed = []
    for (let call = 0; call < 3; call++) allowed.push((await limiter.call(me))?.allowed)
    assert.deepEqual(allowed, [true, true, false])
    assert.ok(performance.now() - startedAt < 500)
  } finally {
    away.disconnect()
  }
})
