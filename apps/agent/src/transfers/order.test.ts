import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mayRun, moved } from './order.ts'

const queue = [
  { id: 'a', state: 'paused' },
  { id: 'b', state: 'transferring' },
  { id: 'c', state: 'error' },
  { id: 'd', state: 'transferring' },
  { id: 'e', state: 'idle' },
  { id: 'f', state: 'transferring' },
] as const

test('without FIFO mode all that are to be moved are moved together', () => {
  assert.deepEqual([...mayRun(queue, { enabled: false, count: 1 })], ['b', 'd', 'f'])
})

test('in FIFO mode only the first so many are moved; who is paused or in error holds up nobody', () => {
  assert.deepEqual([...mayRun(queue, { enabled: true, count: 1 })], ['b'])
  assert.deepEqual([...mayRun(queue, { enabled: true, count: 2 })], ['b', 'd'])
  assert.deepEqual([...mayRun(queue, { enabled: true, count: 9 })], ['b', 'd', 'f'])
})

test('a transfer goes to the place it is given, or to the end', () => {
  assert.deepEqual(moved(['a', 'b', 'c'], 'c', 0), ['c', 'a', 'b'])
  assert.deepEqual(moved(['a', 'b', 'c'], 'a', 1), ['b', 'a', 'c'])
  assert.deepEqual(moved(['a', 'b', 'c'], 'a', 99), ['b', 'c', 'a'])
  assert.deepEqual(moved(['a', 'b', 'c'], 'b', 1), ['a', 'b', 'c'])
})

test('moving one never loses, doubles or reorders the others', () => {
  const queues = fc.uniqueArray(fc.integer({ min: 0, max: 99 }).map(String), { minLength: 1 })
  fc.assert(
    fc.property(queues, fc.nat(), fc.nat(), (queue, which, rank) => {
      const id = queue[which % queue.length] ?? ''
      const after = moved(queue, id, rank)
      assert.deepEqual(
        after.filter((other) => other !== id),
        queue.filter((other) => other !== id),
      )
      assert.equal(after.indexOf(id), Math.min(rank, queue.length - 1))
    }),
  )
})
