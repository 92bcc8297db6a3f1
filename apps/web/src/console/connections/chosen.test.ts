import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importOf, isInChosen, keyOf } from './chosen.ts'

test('a folder and a file of the same name are two choices', () => {
  assert.notEqual(keyOf({ kind: 'directory', path: 'a/b' }), keyOf({ kind: 'file', path: 'a/b' }))
})

test('what lies in a chosen folder, at any depth, is chosen with it, and nothing beside it', () => {
  const chosen = new Set(['day 1/', 'x/y.mov'])
  for (const inside of ['day 1/a.mov', 'day 1/b/', 'day 1/b/c.mov']) assert.equal(isInChosen(chosen, inside), true)
  for (const beside of ['day 1/', 'day 1', 'day 10/a.mov', 'x/', 'x/y.mov']) {
    assert.equal(isInChosen(chosen, beside), false, beside)
  }
})

test('names in the package begin in the deepest folder that holds everything chosen', () => {
  const cases = [
    [['a.mov'], '', ['a.mov']],
    [['in/day 1/a.mov'], 'in/day 1', ['a.mov']],
    [['in/day 1/'], 'in', ['day 1/']],
    [['in/day 1/a.mov', 'in/day 2/'], 'in', ['day 1/a.mov', 'day 2/']],
    [['in/a/x.mov', 'in/b.mov'], 'in', ['a/x.mov', 'b.mov']],
    [['in/b.mov', 'in/a/x.mov'], 'in', ['b.mov', 'a/x.mov']],
    [['in/a.mov', 'inner/b.mov'], '', ['in/a.mov', 'inner/b.mov']],
  ] as const
  for (const [chosen, folder, paths] of cases) assert.deepEqual(importOf(new Set(chosen)), { folder, paths })
})

test('what a chosen folder holds is not asked for a second time', () => {
  assert.deepEqual(importOf(new Set(['in/a/', 'in/a/b/c.mov', 'in/d.mov'])), { folder: 'in', paths: ['a/', 'd.mov'] })
})
