import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TransferState } from '#state/transfers'
import { nextState, type Trigger } from './states.ts'

const states: readonly TransferState[] = ['transferring', 'paused', 'idle', 'complete', 'error']

/** Written by hand from the specification: what becomes of each state, `-` for what cannot be. */
const table: Readonly<Record<Trigger, readonly (TransferState | '-')[]>> = {
  pause: ['paused', 'paused', '-', '-', '-'],
  resume: ['transferring', 'transferring', '-', '-', 'transferring'],
  'all moved': ['idle', '-', '-', '-', '-'],
  finalized: ['complete', 'complete', 'complete', 'complete', 'complete'],
  failed: ['error', '-', '-', '-', '-'],
}

for (const [trigger, expected] of Object.entries(table) as [Trigger, (typeof table)[Trigger]][]) {
  test(`${trigger}: ${states.map((state, index) => `${state} → ${expected[index]}`).join(', ')}`, () => {
    assert.deepEqual(
      states.map((state) => nextState(state, trigger, { recoverable: true }) ?? '-'),
      expected,
    )
  })
}

test('an error that nobody can mend cannot be resumed', () => {
  assert.equal(nextState('error', 'resume', { recoverable: false }), undefined)
})
