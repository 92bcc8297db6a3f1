import assert from 'node:assert/strict'
import { posix, win32 } from 'node:path'
import { test } from 'node:test'
import { fullPath } from '@longshore/contract/names'
import { maxNameBytes, maxPathBytes } from '@longshore/contract/limits'
import fc from 'fast-check'
import { foldersAbove, refusedPlace } from './names.ts'

/** Text made of what is dangerous in paths, so that chance comes by it often. */
const wicked = fc
  .array(
    fc.oneof(fc.constantFrom('..', '.', '/', '\\', '\0', '~', ' ', '%2e%2e', '..%2f', '\n', 'a', 'é'), fc.string()),
    {
      maxLength: 6,
    },
  )
  .map((pieces) => pieces.join(''))

const inside = (path: { join(...parts: string[]): string; sep: string }, root: string, full: string) =>
  path.join(root, full).startsWith(root + path.sep)

test('whatever is accepted stays inside the folder that it is downloaded into', () => {
  let accepted = 0
  fc.assert(
    fc.property(wicked, wicked, (path, name) => {
      if (refusedPlace({ path, name }) !== undefined) return
      accepted++
      const full = fullPath({ path, name })
      assert.ok(inside(posix, '/home/olga/in', full), full)
      assert.ok(inside(win32, 'C:\\olga\\in', full), full)
      assert.equal(posix.normalize(full), full)
      assert.equal(posix.basename(full), name)
      assert.equal(posix.dirname(full), path === '' ? '.' : path)
    }),
    { numRuns: 5_000 },
  )
  assert.ok(accepted > 300, `only ${accepted} of 5,000 were accepted, which proves little`)
})

test('an accepted name is one that a file system holds', () => {
  fc.assert(
    fc.property(wicked, (name) => {
      if (refusedPlace({ path: '', name }) !== undefined) return
      assert.ok(!/[/\\\0-\x1f\x7f]/.test(name))
      assert.ok(name.isWellFormed() && Buffer.byteLength(name) <= maxNameBytes && name !== '')
    }),
    { numRuns: 2_000 },
  )
})

test('ordinary names of every script are taken as they are', () => {
  for (const name of [
    'a.txt',
    '.hidden',
    '...',
    'a b',
    'Übersicht (2).pdf',
    '東京.mov',
    '🎬',
    'CON',
    "it's",
    '12:30',
    '-rf',
  ]) {
    assert.equal(refusedPlace({ path: 'Dailies/Day 1', name }), undefined, name)
  }
})

for (const name of [
  '',
  '.',
  '..',
  'a/b',
  '/',
  'a\\b',
  'a\0',
  'a\nb',
  '\x7f',
  '\ud800',
  'x'.repeat(256),
  'é'.repeat(128),
]) {
  test(`the name ${JSON.stringify(name.slice(0, 12))} of ${Buffer.byteLength(name)} bytes is refused`, () => {
    assert.equal(refusedPlace({ path: '', name })?.code, 'validation_failed')
    assert.equal(refusedPlace({ path: '', name }, 'files/3/')?.details?.[0]?.field, 'files/3/name')
  })
}

for (const path of ['/a', 'a/', 'a//b', '.', 'a/..', '../a', 'a/./b', 'a\\b', '/', 'a/\0']) {
  test(`the path ${JSON.stringify(path)} is refused`, () => {
    assert.equal(refusedPlace({ path, name: 'a' })?.details?.[0]?.field, 'path')
  })
}

test('path and name together have a limit, to the byte', () => {
  const folder = 'f'.repeat(maxNameBytes)
  const path = `${Array.from({ length: 15 }, () => folder).join('/')}/f`
  const room = maxPathBytes - path.length - 1
  assert.equal(refusedPlace({ path, name: 'n'.repeat(room) }), undefined)
  assert.equal(refusedPlace({ path, name: 'n'.repeat(room + 1) })?.details?.[0]?.field, 'path')
})

test('the folders above an entry are named from the outside in', () => {
  assert.deepEqual(foldersAbove('a/b/c').map(fullPath), ['a', 'a/b', 'a/b/c'])
  assert.deepEqual(foldersAbove(''), [])
})
