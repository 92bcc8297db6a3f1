import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unpainted } from '#cli/terminal/paint'
import { type Progress, percentOf, progressLine } from '#cli/terminal/progress-line'
import { widthOf } from '#cli/terminal/text'

const progress: Progress = {
  direction: 'up',
  name: 'Dailies day 12',
  state: 'transferring',
  done: 12.4e9,
  size: 28.9e9,
  bitsPerSecond: 182e6 * 8,
  secondsLeft: 91,
}
const line = (width: number, change: Partial<Progress> = {}) =>
  progressLine({ ...progress, ...change }, width, unpainted)

test('a wide terminal shows everything, a narrow one what matters most', () => {
  assert.deepEqual(
    [120, 80, 60, 40].map((width) => line(width)),
    [
      '↑ Dailies day 12  ━━━━━━━━━━━━━───────────────────   42%  12.4 GB of 28.9 GB  182 MB/s  1 min 31 s left',
      '↑ Dailies day 12  ━━━──────   42%  12.4 GB of 28.9 GB  182 MB/s  1 min 31 s left',
      '↑ Dailies day 12  ━━━──────   42%  182 MB/s  1 min 31 s left',
      '↑ Dailies day 12  ━━━━━━──────────   42%',
    ],
  )
})

test('no line is wider than the terminal, whatever the name', () => {
  for (const name of ['a', '密码'.repeat(40), 'x'.repeat(300), '\u001b[2J\u001b[31mred']) {
    for (let width = 20; width <= 160; width++) {
      const shown = line(width, { name })
      assert.ok(widthOf(shown) <= width, `${width}: ${shown}`)
      assert.ok(!shown.includes('\u001b'))
    }
  }
})

test('a state that moves nothing says so in place of a rate', () => {
  const shown = (['paused', 'idle', 'error', 'complete'] as const).map((state) =>
    line(100, { state }).split('  ').at(-1),
  )
  assert.deepEqual(shown, ['paused', 'finishing', 'failed', 'done'])
})

test('100 % is said when nothing is left, and not before', () => {
  assert.equal(percentOf({ done: 999_999_999, size: 1_000_000_000 }), 99)
  assert.equal(percentOf({ done: 5, size: 5 }), 100)
  assert.equal(percentOf({ done: 0, size: 0 }), 100)
})
