import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLanePool } from '#lane-pool'
import { createTime } from '#simulation/time'

const clock = createTime().clockOf(Symbol('test'))
const { signal } = new AbortController()

test('who waits longest is not first: a higher priority is, then the earlier file', async () => {
  const pool = createLanePool(clock, { least: 1, most: 1 })
  const first = await pool.take({ priority: () => 0, order: 0 }, signal)
  const served: string[] = []
  const wait = async (name: string, priority: number, order: number) => {
    const lane = await pool.take({ priority: () => priority, order }, signal)
    served.push(name)
    lane.leave(false)
  }
  const all = [wait('late file', 0, 9), wait('early file', 0, 1), wait('urgent', 5, 9), wait('same file', 0, 1)]
  first.leave(false)
  await Promise.all(all)
  assert.deepEqual(served, ['urgent', 'early file', 'same file', 'late file'])
})

test('one who gives up waiting takes no lane, and nobody waits behind them', async () => {
  const pool = createLanePool(clock, { least: 1, most: 1 })
  const held = await pool.take({ priority: () => 0, order: 0 }, signal)
  const stop = new AbortController()
  const gaveUp = pool.take({ priority: () => 9, order: 0 }, stop.signal)
  const patient = pool.take({ priority: () => 0, order: 1 }, signal)
  stop.abort(new Error('enough'))
  await assert.rejects(gaveUp, /enough/)
  held.leave(false)
  ;(await patient).leave(false)
  assert.equal(pool.inUse(), 0)
})

test('a lane that is given back twice counts once', async () => {
  const pool = createLanePool(clock, { least: 1, most: 2 })
  const lane = await pool.take({ priority: () => 0, order: 0 }, signal)
  await pool.take({ priority: () => 0, order: 0 }, signal)
  lane.leave(false)
  lane.leave(false)
  assert.equal(pool.inUse(), 1)
})

test('a wider bound lets in those who wait', async () => {
  const pool = createLanePool(clock, { least: 1, most: 1 })
  await pool.take({ priority: () => 0, order: 0 }, signal)
  const second = pool.take({ priority: () => 0, order: 0 }, signal)
  pool.bound(2, 2)
  await second
  assert.equal(pool.inUse(), 2)
})
