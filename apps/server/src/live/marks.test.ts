import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMarks, type Marks } from '#live/marks'
import { openRedis } from '#live/redis'
import { testStack } from '#test-kit/stack'

const redis = [openRedis(testStack().redis_url, () => {}), openRedis(testStack().redis_url, () => {})] as const
before(() => Promise.all(redis.map((one) => once(one, 'ready'))))
after(() => redis.forEach((one) => one.disconnect()))

const own = createMarks(undefined)
const kinds: readonly [name: string, make: () => readonly [Marks, Marks]][] = [
  ['in memory', () => [own, own]],
  ['on Redis', () => [createMarks(redis[0]), createMarks(redis[1])]],
]

for (const [name, make] of kinds) {
  test(`${name}: a mark is raised by every process and lowered by none, also beyond 32 bits`, async () => {
    const [one, other] = make()
    const mark = randomUUID()
    assert.equal(await one.raise(mark, 0), 0)
    assert.equal(await one.raise(mark, 500), 500)
    assert.equal(await other.raise(mark, 200), 500)
    const large = Number.MAX_SAFE_INTEGER - 1
    assert.equal(await other.raise(mark, large), large)
    assert.equal(await one.raise(mark, 0), large)
    assert.equal(await one.raise(randomUUID(), 7), 7)
  })

  test(`${name}: of many at once one has the turn, and another when the time is over`, async () => {
    const [one, other] = make()
    const turn = randomUUID()
    const turns = await Promise.all(
      Array.from({ length: 20 }, (_, nth) => (nth % 2 === 0 ? one : other).turn(turn, 300)),
    )
    assert.equal(turns.filter(Boolean).length, 1)
    assert.equal(await one.turn(randomUUID(), 300), true)
    await sleep(350)
    assert.equal(await other.turn(turn, 300), true)
  })
}

test('while Redis is away a process keeps its own marks and turns', async () => {
  const away = openRedis('redis://127.0.0.1:9', () => {})
  try {
    const marks = createMarks(away)
    assert.equal(await marks.raise('a', 5), 5)
    assert.equal(await marks.raise('a', 3), 5)
    assert.deepEqual([await marks.turn('a', 1_000), await marks.turn('a', 1_000)], [true, false])
  } finally {
    away.disconnect()
  }
})
