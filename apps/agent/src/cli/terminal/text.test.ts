import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { harmless, padEnd, shortened, widthOf } from '#cli/terminal/text'

test('a name cannot move the cursor, change colours or turn its line around', () => {
  assert.equal(harmless('a\u001b[2Jb\r\n\u202egpj.exe'), 'a\\u001b[2Jb\\u000d\\u000a\\u202egpj.exe')
  assert.equal(harmless('Grün 密 👩‍👩‍👧.mov'.replaceAll('\u200d', '')), 'Grün 密 👩👩👧.mov')
})

test('width is what a terminal shows, not what a string counts', () => {
  assert.deepEqual(['abc', 'Grün', 'e\u0301', '密码', '👍', '\u001b[36mab\u001b[39m'].map(widthOf), [3, 4, 1, 4, 2, 2])
})

test('a name that is too long loses its middle and keeps its ending', () => {
  assert.equal(shortened('Dailies day 12 camera B.mov', 16), 'Dailies …a B.mov')
  assert.equal(shortened('short', 16), 'short')
  assert.deepEqual(
    [2, 1, 0].map((width) => shortened('abc', width)),
    ['a…', '…', ''],
  )
})

test('no shortened text is wider than asked, whatever it is made of', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 40 }), (text, width) => {
      const short = shortened(harmless(text), width)
      assert.ok(widthOf(short) <= width)
      assert.equal(widthOf(padEnd(short, width)), width)
    }),
  )
})
