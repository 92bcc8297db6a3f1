import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDays, showDuration } from '#cli/human/time'

test('durations are shown in at most two units', () => {
  const shown = [0, 59, 60, 95, 600, 3_599, 3_600, 3_900, 86_399, 90_000].map(showDuration)
  assert.deepEqual(shown, [
    '0 s',
    '59 s',
    '1 min 00 s',
    '1 min 35 s',
    '10 min',
    '60 min',
    '1 h 00 min',
    '1 h 05 min',
    '23 h 59 min',
    '1 d 1 h',
  ])
})

test('a time to keep something is read in days or weeks', () => {
  assert.deepEqual(['14', '14d', '2w', ' 3 d '].map(parseDays), [14, 14, 14, 3])
  for (const text of ['', '0', 'soon', '2h', '1.5d', '-3']) assert.throws(() => parseDays(text), /is no time to keep/)
})
