import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isTypeAllowed, plainType } from './file-types.ts'

test('an extension is one with or without dot, in any case', () => {
  for (const written of ['jpg', '.jpg', 'JPG', '.Jpg', ' jpg ', '*.jpg'])
    assert.equal(plainType(written), 'jpg', written)
  for (const written of ['.', '', ' ', '*.', '..']) assert.equal(plainType(written), '', written)
})

test('the last real extension decides', () => {
  const cases: readonly (readonly [string, readonly string[], boolean])[] = [
    ['a.jpg', ['jpg'], true],
    ['a.JPG', ['.jpg'], true],
    ['a.jpg', ['JPG'], true],
    ['a.tar.gz', ['gz'], true],
    ['a.tar.gz', ['tar.gz'], true],
    ['a.gz', ['tar.gz'], false],
    ['a.tar.gz', ['tar'], false],
    ['a.PHP', ['jpg'], false],
    ['a.jpg.php', ['jpg'], false],
    ['a.php.jpg', ['jpg'], true],
    ['a.php.', ['jpg'], false],
    ['a.php.', ['php'], true],
    ['a.php. . ', ['php'], true],
    ['a.jpg ', ['jpg'], true],
    ['a.php::$DATA', ['jpg'], false],
    ['a.php::$DATA', ['php'], true],
    ['a.php:x.jpg', ['jpg'], false],
    ['a.php.:x.jpg', ['jpg'], false],
    ['Notes 12:30.pdf', ['pdf'], true],
    ['README', ['jpg'], false],
    ['jpg', ['jpg'], false],
    ['.jpg', ['jpg'], false],
    ['...', ['jpg'], false],
    [':', ['jpg'], false],
    ['ajpg', ['jpg'], false],
    ['a.jpg\u202egpj.exe', ['jpg'], false],
    ['a.jpg', [], false],
    ['a.', ['.'], false],
  ]
  for (const [name, types, allowed] of cases) {
    assert.equal(isTypeAllowed(name, types), allowed, `${name} in ${types.join()}`)
  }
})

test('whatever a system drops from the end of a name does not change its type', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{1,8}$/), fc.stringMatching(/^[. ]{0,6}$/), (extension, tail) => {
      const name = `a.${extension}${tail}`
      assert.equal(isTypeAllowed(name, [extension]), true)
      assert.equal(isTypeAllowed(name, [`${extension}x`]), false)
    }),
  )
})
