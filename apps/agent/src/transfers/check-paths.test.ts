import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWithin } from './check-paths.ts'

test('a folder and what is below it is within, a neighbour of a similar name is not, and all is within the root', () => {
  assert.ok(isWithin('/mnt/nas', '/mnt/nas'))
  assert.ok(isWithin('/mnt/nas/a', '/mnt/nas'))
  assert.ok(!isWithin('/mnt/nas2', '/mnt/nas'))
  assert.ok(!isWithin('/mnt', '/mnt/nas'))
  assert.ok(isWithin('/mnt/nas', '/'))
})
