import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Lanes } from './lanes.ts'

const limits = { slots: 10, each: 4, answering: 8, hung: 1 }

test('a webhook has the share of its kind: unknown, answering, hung', () => {
  const lanes = new Lanes(limits)
  lanes.begin('a')
  lanes.begin('a')
  assert.deepEqual([...lanes.shares()], [['a', 2]])
  lanes.end('a', 'answered', 0)
  assert.deepEqual([...lanes.shares()], [['a', 7]])
  lanes.end('a', 'hung', 0)
  assert.deepEqual([...lanes.shares()], [['a', 1]])
  lanes.begin('a')
  assert.deepEqual([...lanes.shares()], [['a', 0]])
  lanes.end('a', 'failed', 0)
  assert.deepEqual([...lanes.shares()], [], 'nothing is kept of a webhook that does not hang')
})

test('room is reported as made only where it was wanting', () => {
  const lanes = new Lanes(limits)
  for (let nth = 0; nth < 4; nth++) lanes.begin('a')
  lanes.begin('b')
  assert.equal(lanes.end('b', 'answered', 0), false)
  assert.equal(lanes.end('a', 'failed', 0), true)
  assert.equal(lanes.end('a', 'failed', 0), false)
})

test('when every slot is taken, each ending makes room', () => {
  const lanes = new Lanes(limits)
  for (const id of 'abcdefghij') lanes.begin(id)
  assert.equal(lanes.free, 0)
  assert.equal(lanes.end('a', 'answered', 0), true)
  assert.equal(lanes.free, 1)
})

test('that a webhook hung is forgotten after a while', () => {
  const lanes = new Lanes(limits)
  lanes.begin('a')
  lanes.end('a', 'hung', 1_000)
  lanes.forget(2_000)
  assert.equal(lanes.shares().size, 1)
  lanes.forget(1_000 + 16 * 60_000)
  assert.equal(lanes.shares().size, 0)
})
