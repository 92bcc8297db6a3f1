import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryList, Word } from '@longshore/contract/shapes'
import { Type } from 'typebox'
import { validator } from './validation.ts'

test('a word that is not allowed is refused once, with those that are', () => {
  const query = validator(Type.Object({ states: QueryList(Word(['paused', 'error'])) }), 'query')
  assert.deepEqual(query({ states: 'paused,error' }), { states: ['paused', 'error'] })
  assert.throws(() => query({ states: 'paused,gone' }), {
    message: 'states/1: must be paused or error',
    details: [{ field: 'states/1', reason: 'must be paused or error' }],
  })
})
