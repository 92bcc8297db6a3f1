import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gather } from '#gather'
import { createTime, wait } from '#simulation/time'

function scene(options: { most: number; heaviest?: number; more?: { enough: number; waitMs: number } }) {
  const time = createTime()
  const clock = time.clockOf(Symbol('test'))
  const stop = new AbortController()
  const calls: number[][] = []
  const weigh = (item: number) => item
  const ask = gather<number, string>(clock, stop.signal, { ...options, weigh, lingerMs: 10 }, async (items) => {
    calls.push([...items])
    await wait(clock, 100)
    return items.map((item) => (item < 0 ? new Error(`not ${item}`) : `did ${item}`))
  })
  return { time, clock, stop, calls, ask }
}

test('what is asked while a call is under way goes together in the next', async () => {
  const { time, clock, calls, ask } = scene({ most: 10 })
  const first = [ask(1), ask(2)]
  const later = wait(clock, 50).then(() => Promise.all([ask(3), ask(4), ask(5)]))
  assert.deepEqual(await time.until(Promise.all([...first, later])), ['did 1', 'did 2', ['did 3', 'did 4', 'did 5']])
  assert.deepEqual(calls, [
    [1, 2],
    [3, 4, 5],
  ])
})

test('a call that follows another waits a while, until there are enough', async () => {
  const { time, clock, calls, ask } = scene({ most: 10, more: { enough: 3, waitMs: 200 } })
  const at = (ms: number, item: number) => wait(clock, ms).then(() => ask(item))
  // The first call is from 10 to 110, the second at 250 has enough, the third has waited 200 after the end of it at 350.
  await time.until(Promise.all([ask(1), at(50, 2), at(150, 3), at(250, 4), at(300, 5), at(500, 6), at(560, 7)]))
  assert.deepEqual(calls, [[1], [2, 3, 4], [5, 6], [7]])
})

test('a call has at most so many items, and so much weight, but always one', async () => {
  const { time, calls, ask } = scene({ most: 3, heaviest: 10 })
  await time.until(Promise.all([1, 1, 1, 1, 9, 2, 50].map(ask)))
  assert.deepEqual(calls, [[1, 1, 1], [1, 9], [2], [50]])
})

test('the error of one item is not that of the others', async () => {
  const { time, ask } = scene({ most: 10 })
  const settled = await time.until(Promise.allSettled([ask(1), ask(-2), ask(3)]))
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})

test('an abort ends those who wait for company', async () => {
  const { stop, calls, ask } = scene({ most: 10 })
  const asked = ask(1)
  stop.abort(new Error('enough'))
  await assert.rejects(asked, /enough/)
  assert.deepEqual(calls, [])
})
