import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge, retryAfterSeconds } from './outcome.ts'

const now = new Date('2026-01-01T00:00:00Z')
const schedule = { pauses: [30, 120, 600, 3600], chance: 0.5, now }
const answered = (status: number, retryAfter?: string) => ({ kind: 'answered', status, retryAfter }) as const

test('every 2xx is a delivery, and nothing else is', () => {
  for (const status of [200, 201, 202, 204, 299]) {
    assert.deepEqual(judge(answered(status), 0, schedule), { kind: 'delivered', status })
  }
  for (const status of [100, 199, 300, 301, 302, 304, 307, 400, 404, 429, 500, 503]) {
    assert.equal(judge(answered(status), 0, schedule).kind, 'failed', String(status))
  }
})

test('five attempts with the pauses of the schedule, and then no more', () => {
  const pauses = [0, 1, 2, 3, 4].map((before) => {
    const outcome = judge(answered(500), before, schedule)
    return outcome.kind === 'failed' ? outcome.retrySeconds : 'delivered'
  })
  assert.deepEqual(pauses, [30, 120, 600, 3600, null])
})

test('a pause is stretched or shortened by a tenth at most', () => {
  const pause = (chance: number) => {
    const outcome = judge(answered(500), 1, { ...schedule, chance })
    return outcome.kind === 'failed' ? Math.round(outcome.retrySeconds ?? 0) : 0
  }
  assert.deepEqual([pause(0), pause(1)], [108, 132])
})

test('410 ends the delivery and switches the webhook off', () => {
  const outcome = judge(answered(410, '10'), 0, schedule)
  assert.ok(outcome.kind === 'failed' && outcome.deactivates && outcome.retrySeconds === null)
})

test('Retry-After puts the next attempt off, within an hour, and never brings it forward', () => {
  const next = (retryAfter: string) => {
    const outcome = judge(answered(503, retryAfter), 0, schedule)
    return outcome.kind === 'failed' ? outcome.retrySeconds : 0
  }
  assert.deepEqual(
    [
      '90',
      '1',
      '999999',
      '99999999999999',
      'Thu, 01 Jan 2026 00:02:00 GMT',
      'Wed, 31 Dec 2025 00:00:00 GMT',
      'soon',
    ].map(next),
    [90, 30, 3600, 30, 120, 30, 30],
  )
  assert.equal(retryAfterSeconds('-5', now), 0)
})

test('no answer is a failure without a status', () => {
  assert.deepEqual(judge({ kind: 'unanswered', reason: 'No connection in time.', hung: true }, 4, schedule), {
    kind: 'failed',
    status: 0,
    error: 'No connection in time.',
    retrySeconds: null,
    deactivates: false,
  })
})
