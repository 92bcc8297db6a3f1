import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linesOf, pairsOf } from './pairs.ts'

test('lines become pairs and lines again; the first colon divides', () => {
  const pairs = { 'X-Team': 'harbour', authorization: 'Bearer a:b' }
  assert.equal(linesOf(pairs), 'X-Team: harbour\nauthorization: Bearer a:b')
  assert.deepEqual(pairsOf(linesOf(pairs)), pairs)
})

test('empty lines are nothing, and a line without a colon is a name without a value', () => {
  assert.deepEqual(pairsOf('\n  \n a :  b \nalone\n'), { a: 'b', alone: '' })
  assert.deepEqual(pairsOf(''), {})
})
