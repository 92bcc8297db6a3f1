import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { inForce, nextChange, type Schedule, type WallTime } from '#schedule'

const at = (day: number, time: string): WallTime => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return { day, minute: hours * 60 + minutes }
}
const [sunday, monday, tuesday] = [0, 1, 2] as const
const hours = (start: string, end: string, enabled = true) => ({ enabled, start, end })

test('a span begins with its first minute and ends before its last', () => {
  const office: Schedule = { mon: hours('09:00', '17:30') }
  const states = ['08:59', '09:00', '17:29', '17:30'].map((time) => inForce(office, at(monday, time)))
  assert.deepEqual(states, [false, true, true, false])
})

test('a day that is missing or switched off is off', () => {
  assert.equal(inForce({}, at(monday, '12:00')), false)
  assert.equal(inForce({ mon: hours('00:00', '00:00', false) }, at(monday, '12:00')), false)
})

test('the same time twice is the whole day and nothing of the next', () => {
  const all: Schedule = { mon: hours('09:00', '09:00') }
  assert.equal(inForce(all, at(monday, '00:00')), true)
  assert.equal(inForce(all, at(monday, '23:59')), true)
  assert.equal(inForce(all, at(tuesday, '00:00')), false)
  assert.equal(inForce(all, at(tuesday, '08:00')), false)
})

test('an end before its start is one of the next day, whatever that day says', () => {
  const night: Schedule = { sun: hours('22:00', '06:00'), mon: hours('00:00', '00:00', false) }
  assert.equal(inForce(night, at(sunday, '21:59')), false)
  assert.equal(inForce(night, at(sunday, '22:00')), true)
  assert.equal(inForce(night, at(monday, '05:59')), true)
  assert.equal(inForce(night, at(monday, '06:00')), false)
  assert.equal(inForce(night, at(sunday, '05:00')), false)
})

const minute = 60_000
/** The wall of a place whose clocks jump by an hour at these times: forward at the first, back at the second. */
const wallThatJumps =
  (forward: number, back: number) =>
  (time: number): WallTime => {
    const shown = time + (time >= forward && time < back ? 60 * minute : 0)
    const minutes = Math.floor(shown / minute)
    return { day: (4 + Math.floor(minutes / 1_440)) % 7, minute: minutes % 1_440 }
  }

test('the next change is found across an hour that the clocks skip, and one that they repeat', () => {
  const day = 1_440 * minute
  // Day 3 of the epoch is a Sunday. Forward from 02:00 to 03:00 on it, back from 03:00 to 02:00 a week later.
  const wall = wallThatJumps(3 * day + 120 * minute, 10 * day + 120 * minute)
  const early: Schedule = { sun: hours('02:30', '04:00') }
  assert.equal(
    nextChange(early, 3 * day, wall),
    3 * day + 120 * minute,
    'what began in the skipped hour begins after it',
  )
  const begins = nextChange(early, 10 * day, wall) ?? 0
  assert.equal(begins, 10 * day + 90 * minute)
  const pausesAt = nextChange(early, begins, wall) ?? 0
  assert.equal(pausesAt, 10 * day + 120 * minute, 'the wall shows 02:00 again')
})

test('a schedule that never changes has no next change', () => {
  assert.equal(nextChange({}, 0), undefined)
})

const someHours = fc
  .tuple(fc.nat(1_439), fc.nat(1_439), fc.boolean())
  .map(([from, to, enabled]) => hours(text(from), text(to), enabled))
const text = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

test('up to the next change the answer stays the same, and there it is another', () => {
  const wall = wallThatJumps(3 * 1_440 * minute, 4 * 1_440 * minute)
  const schedules = fc.record({ mon: someHours, wed: someHours, sun: someHours }, { requiredKeys: [] })
  fc.assert(
    fc.property(schedules, fc.nat(7 * 1_440), (schedule, minutes) => {
      const begin = minutes * minute
      const now = inForce(schedule, wall(begin))
      const change = nextChange(schedule, begin, wall)
      if (change === undefined) return
      assert.equal(inForce(schedule, wall(change)), !now)
      assert.equal(inForce(schedule, wall(change - minute)), now)
    }),
    { numRuns: 50 },
  )
})
