import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkImportPaths } from './import-paths.ts'

test('each path of an import is wanted once, and none that lies in another', () => {
  const given = ['a/b/c.mov', 'a/b/', 'a/b/', 'a/bc.mov', 'x.txt', 'x.txt', 'y/z/', 'y']
  assert.deepEqual(checkImportPaths(given), ['a/b/', 'a/bc.mov', 'x.txt', 'y/z/', 'y'])
  assert.deepEqual(checkImportPaths(['a/', '', 'b.mov']), [''])
})

test('a path that no package could hold is refused by its number', () => {
  for (const wrong of ['/', '/a', 'a//', 'a//b', '..', 'a/../b', './a', 'a\\b', 'a\nb', 'x'.repeat(256)]) {
    assert.throws(() => checkImportPaths(['fine', wrong]), { code: 'validation_failed', message: /^paths\/1: / }, wrong)
  }
})
