import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOfLimit, describeLimit } from '#cli/settings/limit'

test('only what is said changes', () => {
  assert.equal(changeOfLimit(undefined, {}), undefined)
  assert.deepEqual(changeOfLimit('off', {}), { enabled: false })
  assert.deepEqual(changeOfLimit('20MB/s', {}), { rate_limit_bps: 160e6, enabled: true })
  assert.deepEqual(changeOfLimit(undefined, { always: true }), { schedule_enabled: false })
  assert.deepEqual(changeOfLimit('1MB/s', { schedule: 'sun all-day' }), {
    rate_limit_bps: 8e6,
    enabled: true,
    schedule_enabled: true,
    schedule: { sun: { enabled: true, start: '00:00', end: '00:00' } },
  })
  assert.throws(() => changeOfLimit('1MB/s', { schedule: 'sun all-day', always: true }), /not both/)
})

test('a limit is told with the time it holds', () => {
  const limit = {
    rate_limit_bps: 160e6,
    enabled: true,
    schedule_enabled: false,
    schedule: {},
    active_now: true,
    effective_bps: 160e6,
  }
  assert.equal(describeLimit(limit), '20.0 MB/s, always')
  assert.equal(describeLimit({ ...limit, enabled: false }), 'off')
  const office = { mon: { enabled: true, start: '08:00', end: '18:00' } }
  const scheduled = { ...limit, schedule_enabled: true, schedule: office, active_now: false }
  assert.equal(describeLimit(scheduled), '20.0 MB/s, mon 08:00-18:00 (not now)')
})
