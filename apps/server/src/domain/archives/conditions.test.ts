import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Conditions, judgeConditions } from './conditions.ts'

const archive = { etag: '"abc"', size: 1000 }
const verdict = (asked: Conditions) => judgeConditions(archive, asked)
const whole = { status: 200, start: 0, end: 1000 }

for (const [range, start, end] of [
  ['bytes=0-0', 0, 1],
  ['bytes=0-', 0, 1000],
  ['bytes=10-19', 10, 20],
  ['bytes=999-', 999, 1000],
  ['bytes=500-99999', 500, 1000],
  ['bytes=-1', 999, 1000],
  ['bytes=-5000', 0, 1000],
  ['Bytes = 1-2 ', 1, 3],
] as const) {
  test(`'${range}' is a part`, () => assert.deepEqual(verdict({ range }), { status: 206, start, end }))
}

for (const range of ['bytes=1000-', 'bytes=1000-2000', 'bytes=-0']) {
  test(`'${range}' has nothing to give`, () => assert.deepEqual(verdict({ range }), { status: 416 }))
}

for (const range of ['bytes=0-1,5-6', 'bytes=5-4', 'bytes=-', 'bytes=a-b', 'items=0-1', '', 'bytes', 'bytes=1-2-3']) {
  test(`'${range}' is ignored`, () => assert.deepEqual(verdict({ range }), whole))
}

test('a range under If-Range counts only while the archive is the same', () => {
  const range = 'bytes=10-19'
  assert.equal(verdict({ range, ifRange: '"abc"' }).status, 206)
  for (const ifRange of ['"other"', 'W/"abc"', 'Sun, 15 Nov 2026 05:00:00 GMT', '*']) {
    assert.deepEqual(verdict({ range, ifRange }), whole)
  }
  assert.deepEqual(verdict({ ifRange: '"abc"' }), whole)
})

test('who has it already is told so, before any range', () => {
  for (const ifNoneMatch of ['"abc"', '*', '"x", "abc"', 'W/"abc"']) {
    assert.deepEqual(verdict({ ifNoneMatch, range: 'bytes=5000-' }), { status: 304 })
  }
  assert.deepEqual(verdict({ ifNoneMatch: '"x"' }), whole)
})

test('who insists on another one gets nothing', () => {
  assert.deepEqual(verdict({ ifMatch: '"x"' }), { status: 412 })
  assert.deepEqual(verdict({ ifMatch: '"x", "abc"' }), whole)
  assert.deepEqual(verdict({ ifMatch: '*' }), whole)
  assert.deepEqual(verdict({ ifMatch: 'W/"abc"' }), { status: 412 })
})

test('whatever is asked, no byte outside of the archive is promised', () =>
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom('bytes=', '-', ',', ' ', '0', '1', '9', '999', '1000', '12345678901234567890'),
      }),
      (text) => {
        const judged = verdict({ range: `bytes=${text}` })
        if ('start' in judged) assert.ok(judged.start >= 0 && judged.start < judged.end && judged.end <= 1000)
      },
    ),
  ))
