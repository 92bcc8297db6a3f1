import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Arrivals } from './arrivals.ts'

test('what is done is everything before the first that is not', async () => {
  const arrivals = new Arrivals()
  for (const id of ['1', '2', '3', '4']) await arrivals.begin(id)
  assert.equal(arrivals.through, undefined)
  arrivals.end('2')
  arrivals.end('4')
  assert.equal(arrivals.through, undefined)
  assert.deepEqual(arrivals.ahead(), ['2', '4'])
  arrivals.noted(['2', '4'])
  assert.deepEqual(arrivals.ahead(), [])
  arrivals.end('1')
  assert.equal(arrivals.through, '2')
  arrivals.end('3')
  assert.equal(arrivals.through, '4')
  assert.deepEqual(arrivals.ahead(), [])
})

test('nobody gets further ahead of the slowest than can be remembered', async () => {
  const arrivals = new Arrivals()
  const ids = Array.from({ length: 1_000 }, (_, index) => String(index).padStart(4, '0'))
  for (const id of ids) await arrivals.begin(id)
  let begun = false
  const next = arrivals.begin('next').then(() => (begun = true))
  for (const id of ids.slice(1)) arrivals.end(id)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(begun, false)
  arrivals.end('0000')
  await next
  assert.equal(arrivals.through, '0999')
})
