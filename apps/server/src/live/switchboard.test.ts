import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { after, before, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { openRedis } from '#live/redis'
import { createSubscriptions } from '#live/subscriptions'
import { createSwitchboard, type Switchboard } from '#live/switchboard'
import { testStack } from '#test-kit/stack'

const redis = [openRedis(testStack().redis_url, () => {}), openRedis(testStack().redis_url, () => {})] as const
before(() => Promise.all(redis.map((one) => once(one, 'ready'))))
after(() => redis.forEach((one) => one.disconnect()))

/** A process of its own. */
function makeSwitchboard(t: TestContext, on: Redis | undefined): Switchboard {
  const subscriptions = createSubscriptions(on)
  t.after(() => subscriptions.close())
  return createSwitchboard(on, subscriptions)
}

const echo = (prefix: string, replaced = () => {}) => ({
  answer: async (question: string) => `${prefix} ${question}`,
  replaced,
})

/** Taking a name takes a moment, until Redis knows. */
async function untilAnswered(asker: Switchboard, name: string): Promise<void> {
  const deadline = Date.now() + 10_000
  while ((await asker.ask(name, 'there?', 1_000)) === undefined) {
    assert.ok(Date.now() < deadline, 'nobody took the name')
    await sleep(20)
  }
}

const here: Record<string, (t: TestContext) => readonly [Switchboard, Switchboard]> = {
  'in one process without Redis': (t) => {
    const only = makeSwitchboard(t, undefined)
    return [only, only]
  },
  'from another process by Redis': (t) => [makeSwitchboard(t, redis[0]), makeSwitchboard(t, redis[1])],
}

for (const [where, make] of Object.entries(here)) {
  test(`whoever holds a name is asked ${where}, until they give it back`, async (t) => {
    const [holder, asker] = make(t)
    const [name, other] = [randomUUID(), randomUUID()]
    const leave = holder.hold(name, echo('heard'))
    await untilAnswered(asker, name)
    assert.equal(await asker.ask(name, 'you?', 5_000), 'heard you?')
    assert.deepEqual(await Promise.all(['a', 'b', 'c'].map((question) => asker.ask(name, question, 5_000))), [
      'heard a',
      'heard b',
      'heard c',
    ])
    const startedAt = performance.now()
    assert.equal(await asker.ask(other, 'anybody?', 5_000), undefined)
    leave()
    await sleep(100)
    assert.equal(await asker.ask(name, 'still there?', 5_000), undefined)
    assert.ok(performance.now() - startedAt < 2_500, 'nobody there is known at once')
  })

  test(`whoever held a name before is told when another takes it ${where}`, async (t) => {
    const [first, second] = make(t)
    const name = randomUUID()
    const told = Promise.withResolvers<void>()
    first.hold(
      name,
      echo('first', () => told.resolve()),
    )
    await untilAnswered(second, name)
    const leave = second.hold(
      name,
      echo('second', () => assert.fail('the second was told of itself')),
    )
    await told.promise
    leave()
  })
}

test('somebody who does not answer is waited for no longer than asked', async (t) => {
  const [holder, asker] = [makeSwitchboard(t, redis[0]), makeSwitchboard(t, redis[1])]
  const name = randomUUID()
  holder.hold(name, {
    answer: (question) => (question === 'there?' ? Promise.resolve('yes') : new Promise(() => {})),
    replaced() {},
  })
  await untilAnswered(asker, name)
  const startedAt = performance.now()
  assert.equal(await asker.ask(name, 'hello?', 300), undefined)
  assert.ok(performance.now() - startedAt >= 250)
})
