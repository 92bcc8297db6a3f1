import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Limits, limitsOf, problemOf } from './restrictions.ts'

const none: Limits = {
  package_size_restriction_enabled: false,
  max_package_size: 1,
  max_file_size: 1,
  max_file_count: 1,
  file_type_restriction_enabled: false,
  file_types: ['mov'],
}

const entry = (name: string, size = 10, path = '') =>
  ({ n: 0, kind: 'file', name, path, size, state: 'waiting', sent: 0, fault: undefined }) as const

test('limits that are switched off, or zero, are none', () => {
  assert.deepEqual(limitsOf(none), {
    packageBytes: undefined,
    fileBytes: undefined,
    files: undefined,
    types: undefined,
  })
  const zero = {
    ...none,
    package_size_restriction_enabled: true,
    max_package_size: 0,
    max_file_size: 0,
    max_file_count: 0,
  }
  assert.equal(limitsOf(zero).fileBytes, undefined)
  assert.equal(problemOf(limitsOf(none), entry('any.exe', 1e12)), undefined)
})

test('a file that is too large or of another type is told before anything is sent', () => {
  const limits = limitsOf({
    ...none,
    package_size_restriction_enabled: true,
    max_file_size: 100,
    file_type_restriction_enabled: true,
    file_types: ['.MOV', '*.tar.gz', ' jpg '],
  })
  assert.equal(problemOf(limits, entry('a.mov', 100)), undefined)
  assert.equal(problemOf(limits, entry('a.mov', 101)), 'too large')
  assert.equal(problemOf(limits, entry('A.MOV')), undefined)
  assert.equal(problemOf(limits, entry('a.tar.gz')), undefined)
  assert.equal(problemOf(limits, entry('a.gz')), 'type refused')
  assert.equal(problemOf(limits, entry('mov')), 'type refused')
  assert.equal(problemOf(limits, entry('.mov')), 'type refused')
  assert.equal(problemOf(limits, entry('a.mov. .')), undefined)
  assert.equal(problemOf(limits, entry('a.exe:b.mov')), 'type refused')
})

test('names that no package can hold are told too', () => {
  const limits = limitsOf(none)
  assert.equal(problemOf(limits, entry('a\\b')), 'name refused')
  assert.equal(problemOf(limits, entry('a\u0007')), 'name refused')
  assert.equal(problemOf(limits, entry('ü'.repeat(128))), 'name refused')
  assert.equal(problemOf(limits, entry('ü'.repeat(127))), undefined)
  assert.equal(problemOf(limits, entry('a', 1, 'b/\ud800')), 'name refused')
})
