import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gate, inLanes, inLanesTogether } from './at-once.ts'

function counting() {
  let now = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, ++now)
    await sleep(5)
    now--
  }
  return { work, most: () => most }
}

async function* numbers(count: number): AsyncGenerator<number> {
  for (let number = 0; number < count; number++) yield number
}

test('a gate lets so many through at once, all in the end, and one that fails holds up nobody', async () => {
  const { work, most } = counting()
  const through = gate(3)
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) =>
      through(async () => {
        await work()
        if (index === 1) throw new Error('one')
        return index
      }),
    ),
  )
  assert.equal(most(), 3)
  assert.deepEqual(
    outcomes.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message)),
    [0, 'one', 2, 3, 4, 5, 6, 7, 8, 9],
  )
})

for (const [kind, items] of [
  ['a list', () => Array.from({ length: 10 }, (_, index) => index)],
  ['what comes by and by', () => numbers(10)],
] as const) {
  test(`lanes take each item of ${kind} once, so many at once, and end with the first that fails`, async () => {
    const { work, most } = counting()
    const done: number[] = []
    await inLanes(items(), 4, async (item) => {
      await work()
      done.push(item)
    })
    assert.equal(most(), 4)
    assert.deepEqual(
      done.toSorted((a, b) => a - b),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    )
    await assert.rejects(
      inLanes(items(), 2, async (item) => {
        if (item === 3) throw new Error('the fourth')
      }),
      /the fourth/,
    )
  })
}

test('lanes that stand together end together: the others are told of a failure, and waited for', async () => {
  const ended: string[] = []
  const lanes = inLanesTogether(numbers(10), 3, new AbortController().signal, async (item, signal) => {
    if (item === 2) throw new Error('the third')
    await sleep(60_000, undefined, { signal }).catch(() => {})
    await sleep(10)
    ended.push(`${item}`)
  })
  await assert.rejects(lanes, /the third/)
  assert.deepEqual(ended.toSorted(), ['0', '1'])
})
