import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault, type Verdict } from '#faults'
import { remedyFor } from '#upload-remedy'

const fault = (code: string, verdict: Verdict = 'permanent') => new Fault(verdict, code, 'm')
const so = { attempt: 0, restarts: 0, chunked: true, knownBefore: false }

test('a source that changed is sent anew once, and given up the second time', () => {
  assert.equal(remedyFor(fault('source_changed'), so), 'restart')
  assert.equal(remedyFor(fault('source_changed'), { ...so, restarts: 1 }), 'give up')
})

test('a file that outgrew its chunks is begun anew in larger ones, however often', () => {
  assert.equal(remedyFor(fault('source_outgrown'), { ...so, restarts: 3 }), 'restart')
})

test('an address that is lost is asked for again, however often', () => {
  assert.equal(remedyFor(fault('address_lost'), { ...so, attempt: 1_000 }), 'add again')
})

test('a mismatch makes us look at storage, then add again, then give up', () => {
  const remedies = [0, 1, 2, 3, 4].map((attempt) => remedyFor(fault('upload_mismatch'), { ...so, attempt }))
  assert.deepEqual(remedies, ['look again', 'add again', 'add again', 'add again', 'give up'])
  assert.equal(remedyFor(fault('upload_mismatch'), { ...so, chunked: false }), 'add again')
})

test('a place is cleared only of what an earlier run of ours left there', () => {
  assert.equal(remedyFor(fault('duplicate_path'), { ...so, knownBefore: true }), 'clear its place')
  assert.equal(remedyFor(fault('duplicate_path'), so), 'give up')
})

test('what concerns every file ends the run, what concerns this one ends this one', () => {
  assert.equal(remedyFor(fault('token_expired', 'fatal'), so), 'end')
  assert.equal(remedyFor(fault('source_gone'), so), 'give up')
  assert.equal(remedyFor(fault('file_finalized'), so), 'done')
})
