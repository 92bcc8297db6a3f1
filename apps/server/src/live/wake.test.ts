import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { after, before, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { openRedis } from '#live/redis'
import { createSubscriptions } from '#live/subscriptions'
import { createWake, type Wake } from '#live/wake'
import { testStack } from '#test-kit/stack'

const redis = [openRedis(testStack().redis_url, () => {}), openRedis(testStack().redis_url, () => {})] as const
before(() => Promise.all(redis.map((one) => once(one, 'ready'))))
after(() => redis.forEach((one) => one.disconnect()))

/** A process of its own. */
function makeWake(t: TestContext, on: Redis | undefined): Wake {
  const subscriptions = createSubscriptions(on)
  t.after(() => subscriptions.close())
  return createWake(on, subscriptions)
}

/** Listens, and waits until it does. */
async function listen(wake: Wake, topic: string): Promise<{ count(): number; stop(): void }> {
  let heard = 0
  const stop = wake.subscribe(topic, () => heard++)
  await sleep(200)
  // What is heard on getting connected says only: look.
  heard = 0
  return { count: () => heard, stop }
}

test('without Redis a process wakes itself, and only those who listen to the topic', async (t) => {
  const wake = makeWake(t, undefined)
  const [deliveries, others] = [await listen(wake, 'deliveries'), await listen(wake, 'others')]
  wake.publish('deliveries')
  assert.deepEqual([deliveries.count(), others.count()], [1, 0])
  deliveries.stop()
  wake.publish('deliveries')
  assert.equal(deliveries.count(), 1)
})

test('with Redis other processes are woken, and this one too', async (t) => {
  const topic = randomUUID()
  const [one, other] = [makeWake(t, redis[0]), makeWake(t, redis[1])]
  const ears = [await listen(one, topic), await listen(other, topic)]
  one.publish(topic)
  await sleep(200)
  assert.deepEqual(
    ears.map((ear) => ear.count()),
    [1, 1],
  )
})

test('who gets connected again is told to look, since something may have been said meanwhile', async (t) => {
  const topic = randomUUID()
  const wake = makeWake(t, redis[0])
  let heard = 0
  wake.subscribe(topic, () => heard++)
  await sleep(300)
  assert.ok(heard >= 1)
})

test('while Redis is away saying so fails nobody and reaches this process', async (t) => {
  const away = openRedis('redis://127.0.0.1:9', () => {})
  const wake = makeWake(t, away)
  try {
    const ear = await listen(wake, 'deliveries')
    wake.publish('deliveries')
    await sleep(50)
    assert.equal(ear.count(), 1)
  } finally {
    away.disconnect()
  }
})
