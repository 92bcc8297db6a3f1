import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOfDay, inputTime, startOfDay, timeOfInput } from './input-time.ts'

test('a time is typed as it is shown: in the zone of the account, wherever the device is', () => {
  assert.equal(inputTime('2026-11-25T22:19:30.000Z', 'Asia/Tokyo'), '2026-11-26T07:19')
  assert.equal(timeOfInput('2026-11-26T07:19', 'Asia/Tokyo'), '2026-11-25T22:19:00.000Z')
  assert.equal(timeOfInput('2026-07-01T12:00', 'Asia/Kolkata'), '2026-07-01T06:30:00.000Z')
})

test('the clocks are those of the time itself, also in the hours around their change', () => {
  // Berlin changes on 2026-03-29 and 2026-10-25, at 01:00 UTC.
  for (const time of [
    '2026-03-29T00:59',
    '2026-03-29T01:00',
    '2026-10-24T23:30',
    '2026-10-25T01:30',
    '2026-12-01T08:00',
  ]) {
    assert.equal(timeOfInput(inputTime(`${time}:00.000Z`, 'Europe/Berlin'), 'Europe/Berlin'), `${time}:00.000Z`)
  }
  // An hour that there is not is one of those beside it.
  assert.match(timeOfInput('2026-03-29T02:30', 'Europe/Berlin') ?? '', /^2026-03-29T0[01]:30/)
})

test('a day is as long as it is there: 25 hours where the clocks go back', () => {
  assert.equal(startOfDay('2026-10-25', 'Europe/Berlin'), '2026-10-24T22:00:00.000Z')
  assert.equal(endOfDay('2026-10-25', 'Europe/Berlin'), '2026-10-25T22:59:59.999Z')
})

test('nothing, and what is no date, is no time', () => {
  assert.equal(inputTime('0001-01-01T00:00:00.000Z', 'Asia/Tokyo'), '')
  assert.equal(timeOfInput('', 'Asia/Tokyo'), undefined)
  assert.equal(startOfDay('2026-13-01', 'Asia/Tokyo'), undefined)
})
