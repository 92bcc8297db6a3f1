import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeats } from '#live/seats'

test('a credential has its seats and the process has its own, and each is given back once', () => {
  const seats = createSeats({ perProcess: 3, perCredential: 2 })
  const [one, two] = [seats.take('a'), seats.take('a')]
  assert.equal(seats.take('a'), 'credential-full')
  const three = seats.take('b')
  assert.equal(seats.take('c'), 'process-full')
  assert.ok(typeof one === 'function' && typeof two === 'function' && typeof three === 'function')
  one()
  one()
  assert.equal(typeof seats.take('c'), 'function')
  assert.equal(seats.take('b'), 'process-full')
  two()
  assert.equal(typeof seats.take('a'), 'function')
})
