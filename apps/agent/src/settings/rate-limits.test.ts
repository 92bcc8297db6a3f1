import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Clock } from '@longshore/transfer/ports'
import { openTestState } from '#test-kit/state'
import { governLimits, shownLimit } from './rate-limits.ts'
import { openSettings, setLimit } from './settings.ts'
import { noLimit } from './values.ts'

/** A clock on the wall that goes when it is told to. */
function wallClock(start: Date) {
  let at = start.getTime()
  let waiting: { due: number; act: () => void }[] = []
  const clock: Clock = {
    now: () => at,
    after: (ms, act) => {
      const one = { due: at + ms, act }
      waiting.push(one)
      return () => void (waiting = waiting.filter((other) => other !== one))
    },
  }
  return {
    clock,
    now: () => at,
    goTo: (then: Date) => {
      for (;;) {
        const next = waiting.toSorted((a, b) => a.due - b.due)[0]
        if (next === undefined || next.due > then.getTime()) break
        waiting = waiting.filter((other) => other !== next)
        at = next.due
        next.act()
      }
      at = then.getTime()
    },
    isAtRest: () => waiting.length === 0,
  }
}

function governed(t: TestContext, start: Date) {
  const settings = openSettings(openTestState(t))
  const wall = wallClock(start)
  const rates = { all: 0, eth0: 0 }
  const end = governLimits({
    settings,
    clock: wall.clock,
    now: wall.now,
    governed: () => [
      { way: 'upload', set: (rate) => void (rates.all = rate) },
      { way: 'upload', interfaceId: 'eth0', set: (rate) => void (rates.eth0 = rate) },
    ],
  })
  return { settings, wall, rates, end }
}

// Local times: a Monday.
const monday = (hours: number, minutes = 0, seconds = 0) => new Date(2026, 10, 16, hours, minutes, seconds)
const officeHours = { mon: { enabled: true, start: '09:00', end: '17:30' } }

test('a limit is in force at once, in bytes, and gone when it is switched off', (t) => {
  const { settings, rates } = governed(t, monday(3))
  assert.equal(rates.all, Number.POSITIVE_INFINITY)
  setLimit(settings, { enabled: true, rate_limit_bps: 160_000_000 }, 'upload')
  assert.equal(rates.all, 20_000_000)
  setLimit(settings, { enabled: false, rate_limit_bps: 160_000_000 }, 'upload')
  assert.equal(rates.all, Number.POSITIVE_INFINITY)
})

test('a limit by schedule begins and ends to the minute', (t) => {
  const { settings, rates, wall } = governed(t, monday(8, 59, 20))
  const limit = { enabled: true, rate_limit_bps: 8_000, schedule_enabled: true, schedule: officeHours }
  setLimit(settings, limit, 'upload')
  assert.equal(rates.all, Number.POSITIVE_INFINITY)
  wall.goTo(monday(8, 59, 59))
  assert.equal(rates.all, Number.POSITIVE_INFINITY)
  wall.goTo(monday(9))
  assert.equal(rates.all, 1_000)
  wall.goTo(monday(17, 29, 59))
  assert.equal(rates.all, 1_000)
  wall.goTo(monday(17, 30))
  assert.equal(rates.all, Number.POSITIVE_INFINITY)
})

test('with several interfaces theirs hold, and not that of all', (t) => {
  const { settings, rates } = governed(t, monday(3))
  setLimit(settings, { enabled: true, rate_limit_bps: 8_000 }, 'upload')
  setLimit(settings, { enabled: true, rate_limit_bps: 16_000 }, 'upload', 'eth0')
  assert.deepEqual(rates, { all: 1_000, eth0: Number.POSITIVE_INFINITY })
  settings.set('multiconnect', true)
  assert.deepEqual(rates, { all: Number.POSITIVE_INFINITY, eth0: 2_000 })
})

test('what a new limit leaves out stays as it was', (t) => {
  const { settings } = governed(t, monday(3))
  setLimit(settings, { enabled: true, rate_limit_bps: 1, schedule_enabled: true, schedule: officeHours }, 'download')
  assert.deepEqual(setLimit(settings, { enabled: true, rate_limit_bps: 2 }, 'download'), {
    enabled: true,
    rate_limit_bps: 2,
    schedule_enabled: true,
    schedule: officeHours,
  })
})

test('case 212: an enabled limit of nothing is refused and changes nothing', (t) => {
  const { settings, rates } = governed(t, monday(3))
  assert.throws(() => setLimit(settings, { enabled: true, rate_limit_bps: 0 }, 'upload'), { code: 'validation_failed' })
  assert.equal(rates.all, Number.POSITIVE_INFINITY)
})

test('a limit shows whether it holds at this moment', () => {
  const limit = { ...noLimit, enabled: true, rate_limit_bps: 5, schedule_enabled: true, schedule: officeHours }
  assert.equal(shownLimit(limit, monday(8).getTime()).effective_bps, null)
  assert.equal(shownLimit(limit, monday(10).getTime()).effective_bps, 5)
})

test('nothing is left waiting at the end', (t) => {
  const { end, wall } = governed(t, monday(3))
  end()
  assert.ok(wall.isAtRest())
})
