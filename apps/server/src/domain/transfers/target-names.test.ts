import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packageFolder, targetKey } from './target-names.ts'

const id = '019a0000-0000-7000-8000-0123456789ab'

test('a package has a folder of its own, named after it', () => {
  assert.equal(packageFolder({ id, name: 'Rushes, day 3' }), 'Rushes, day 3-456789ab')
  assert.equal(packageFolder({ id, name: '../../etc/passwd' }), '.._.._etc_passwd-456789ab')
  assert.equal(packageFolder({ id, name: '..' }), '..-456789ab')
  assert.equal(packageFolder({ id, name: ' \u0000 ' }), '_-456789ab')
  assert.equal(packageFolder({ id, name: '   ' }), 'package-456789ab')
  assert.ok(Buffer.byteLength(packageFolder({ id, name: '🎬'.repeat(200) })) <= 130)
})

test('files keep their names and folders', () => {
  assert.equal(targetKey('in/Rushes-1', { path: 'a/b', name: 'c d.mov' }), 'in/Rushes-1/a/b/c d.mov')
  assert.equal(targetKey('Rushes-1', { path: '', name: 'ü.mov' }), 'Rushes-1/ü.mov')
})

test('a name that no key can hold is cut, keeps its ending, and stays another than its neighbour', () => {
  const deep = Array.from({ length: 15 }, () => 'ü'.repeat(100)).join('/')
  const [one, two] = ['one', 'two'].map((name) => targetKey('in/Rushes-1', { path: deep, name: `${name}.mov` }))
  assert.ok(one !== undefined && two !== undefined)
  assert.notEqual(one, two)
  for (const key of [one, two]) {
    assert.ok(Buffer.byteLength(key) <= 1_024)
    assert.ok(key.startsWith('in/Rushes-1/long names/'))
    assert.ok(key.endsWith('.mov'))
  }
  assert.equal(targetKey('in/Rushes-1', { path: deep, name: 'one.mov' }), one)
})
