import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Schedule } from '@longshore/transfer/schedule'
import { parseSchedule, showSchedule } from '#cli/human/schedule'

const hours = (start: string, end: string) => ({ enabled: true, start, end })

test('days and hours are read as people write them', () => {
  const office = hours('08:00', '18:00')
  assert.deepEqual(parseSchedule('mon-fri 8:00-18:00, sat 10:00-14:00'), {
    mon: office,
    tue: office,
    wed: office,
    thu: office,
    fri: office,
    sat: hours('10:00', '14:00'),
  })
  assert.deepEqual(parseSchedule('weekends all-day'), { sat: hours('00:00', '00:00'), sun: hours('00:00', '00:00') })
  assert.deepEqual(Object.keys(parseSchedule('fri-mon 22:00-06:00')), ['fri', 'sat', 'sun', 'mon'])
  assert.deepEqual(parseSchedule('Sun 00:00-24:00'), { sun: hours('00:00', '00:00') })
})

test('a schedule that cannot be meant is refused with an example', () => {
  for (const text of [
    '',
    'mon',
    'mon 8-18',
    'someday 08:00-18:00',
    'mon-tue-wed 08:00-18:00',
    'mon 08:00-18:00 please',
  ]) {
    assert.throws(() => parseSchedule(text), /mon-fri 08:00-18:00/, text)
  }
  assert.throws(() => parseSchedule('mon 25:00-26:00'), /'25:00' is no time of day/)
  assert.throws(() => parseSchedule('daily 08:00-18:00, fri 08:00-12:00'), /'fri' is named twice/)
})

test('a schedule is shown in the words it is read in', () => {
  for (const text of ['mon-fri 08:00-18:00, sat 10:00-14:00', 'daily 22:00-06:00', 'mon all-day, wed all-day']) {
    assert.equal(showSchedule(parseSchedule(text)), text)
  }
  assert.equal(showSchedule({}), 'never')
  assert.equal(showSchedule({ mon: { enabled: false, start: '08:00', end: '18:00' } }), 'never')
})

test('every schedule survives being shown and read', () => {
  const clock = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'))
  const span = fc
    .tuple(clock, clock)
    .map(([start, end]) => (start === end ? hours('00:00', '00:00') : hours(start, end)))
  const days = fc.uniqueArray(fc.constantFrom('mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'), { minLength: 1 })
  const schedules = days.chain((names) =>
    fc
      .array(span, { minLength: names.length, maxLength: names.length })
      .map((spans): Schedule => Object.fromEntries(names.map((name, index) => [name, spans[index]]))),
  )
  fc.assert(fc.property(schedules, (schedule) => assert.deepEqual(parseSchedule(showSchedule(schedule)), schedule)))
})
