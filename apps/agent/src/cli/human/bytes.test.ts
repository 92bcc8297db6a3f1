import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseBytes, showBytes } from '#cli/human/bytes'

test('sizes are shown in three figures at most, in powers of ten', () => {
  const shown = [0, 999, 1_000, 1_234, 12_345, 123_456, 999_499, 999_500, 28_900_000_000, 5e15].map(showBytes)
  assert.deepEqual(shown, [
    '0 B',
    '999 B',
    '1.00 kB',
    '1.23 kB',
    '12.3 kB',
    '123 kB',
    '999 kB',
    '1.00 MB',
    '28.9 GB',
    '5.00 PB',
  ])
})

test('a size never needs more than seven columns', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 9e14 }), (bytes) => showBytes(bytes).length <= 7))
})

test('sizes are read with their unit, or as bytes', () => {
  assert.deepEqual(['104857600', '64MiB', '1.5 GB', '10kB'].map(parseBytes), [104_857_600, 64 * 2 ** 20, 1.5e9, 10_000])
  for (const text of ['', 'MB', '5 elephants', '-1', '1e9']) assert.throws(() => parseBytes(text), /is no size/)
})
