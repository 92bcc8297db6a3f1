import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slots } from './slots.ts'

const never = new AbortController().signal

test('whoever comes too many waits until one leaves, in the order of coming', async () => {
  const { take } = slots(2)
  const [first, second] = [await take(never), await take(never)]
  const order: string[] = []
  const third = take(never).then((leave) => (order.push('third'), leave))
  const fourth = take(never).then((leave) => (order.push('fourth'), leave))
  await new Promise(setImmediate)
  assert.deepEqual(order, [])
  first()
  first()
  await new Promise(setImmediate)
  assert.deepEqual(order, ['third'], 'a slot that is given back twice is one slot')
  second()
  const leaving = [await third, await fourth]
  for (const leave of leaving) leave()
})

test('nobody waits for ever: after a while they are asked to come again, and the slot is not lost', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { take } = slots(1)
  const leave = await take(never)
  const waiting = assert.rejects(take(never), { code: 'overloaded', retryAfterSeconds: 10 })
  t.mock.timers.tick(5_000)
  leave()
  await waiting
  const again = await take(never)
  again()
})

test('whoever leaves while waiting gives up the place at once', async () => {
  const { take } = slots(1)
  const leave = await take(never)
  const gone = new AbortController()
  const waiting = assert.rejects(take(gone.signal), { message: 'gone' })
  gone.abort(new Error('gone'))
  await waiting
  leave()
  const again = await take(never)
  again()
})
