import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Watching, watchOn } from './quiet.ts'

/** What is due after each of some looks: at a time, at some entries. */
function dueAfter(looks: readonly (readonly [at: number, entries: Readonly<Record<string, string>>])[]): string[][] {
  let watching: Watching = new Map()
  return looks.map(([at, entries]) => {
    const seen = Object.entries(entries).map(([mark, print]) => ({ mark, print }))
    const looked = watchOn(watching, seen, at, 60)
    watching = looked.watching
    return [...looked.due]
  })
}

test('what has looked the same for the whole timeout is due', () => {
  assert.deepEqual(
    dueAfter([
      [0, { a: '1' }],
      [59, { a: '1' }],
      [60, { a: '1' }],
    ]),
    [[], [], ['a']],
  )
})

test('every change begins the timeout anew', () => {
  const due = dueAfter([
    [0, { a: '1' }],
    [59, { a: '2' }],
    [118, { a: '2' }],
    [119, { a: '2' }],
  ])
  assert.deepEqual(due, [[], [], [], ['a']])
})

test('what was there before the first look is watched like anything else', () => {
  assert.deepEqual(dueAfter([[1_000_000, { a: '1' }]]), [[]])
})

test('what was away for a look begins anew', () => {
  assert.deepEqual(
    dueAfter([
      [0, { a: '1' }],
      [30, {}],
      [60, { a: '1' }],
      [119, { a: '1' }],
      [120, { a: '1' }],
    ]),
    [[], [], [], [], ['a']],
  )
})

test('one that changes keeps no other waiting', () => {
  assert.deepEqual(
    dueAfter([
      [0, { a: '1', b: '1' }],
      [60, { a: '2', b: '1' }],
    ]),
    [[], ['b']],
  )
})

test('what waits for its turn stays due', () => {
  assert.deepEqual(
    dueAfter([
      [0, { a: '1' }],
      [60, { a: '1' }],
      [61, { a: '1' }],
    ]),
    [[], ['a'], ['a']],
  )
})
