import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPatterns } from './patterns.ts'

const meant = (lines: readonly string[], path: string) =>
  readPatterns(lines)(path.replace(/\/$/, ''), path.endsWith('/') ? 'directory' : 'file')

test('patterns mean what they mean in a gitignore file', () => {
  const table: readonly (readonly [pattern: string | readonly string[], path: string, expected: boolean])[] = [
    ['*.tmp', 'a.tmp', true],
    ['*.tmp', 'day/deep/a.tmp', true],
    ['*.tmp', 'a.tmp.mov', false],
    ['/*.tmp', 'a.tmp', true],
    ['/*.tmp', 'day/a.tmp', false],
    ['proxies/', 'day/proxies/a.mov', true],
    ['proxies/', 'day/proxies', false],
    ['proxies/', 'day/proxies/', true],
    ['day/proxies', 'day/proxies/a.mov', true],
    ['day/proxies', 'week/day/proxies', false],
    ['**/proxies', 'week/day/proxies', true],
    ['day/**/a', 'day/a', true],
    ['day/**/a', 'day/x/y/a', true],
    ['day/**/a', 'x/day/a', false],
    ['day/**', 'day/x', true],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['a*c', 'a/c', false],
    ['[a-c]1', 'b1', true],
    ['[!a-c]1', 'b1', false],
    ['[!a-c]1', 'd1', true],
    ['[ab', '[ab', true],
    ['\\!now', '!now', true],
    ['# *.mov', 'a.mov', false],
    ['', 'a', false],
    [['*.mov', '!keep.mov'], 'keep.mov', false],
    [['*.mov', '!keep.mov'], 'drop.mov', true],
    [['!keep.mov', '*.mov'], 'keep.mov', true],
    [['raw/', '!raw/keep.mov'], 'raw/keep.mov', true],
    ['../*', 'a', false],
    ['**', 'a/b', true],
    ['*', 'a', true],
    ['.*', '.hidden', true],
    ['.*', 'hidden', false],
    ['é*', 'été', true],
  ]
  for (const [pattern, path, expected] of table) {
    assert.equal(
      meant(typeof pattern === 'string' ? [pattern] : pattern, path),
      expected,
      `${String(pattern)} and ${path}`,
    )
  }
})

test('no pattern takes long, whatever the name', () => {
  const began = performance.now()
  for (const pattern of ['*a'.repeat(200), '**/'.repeat(300), '[a-z]*'.repeat(150), `${'*'.repeat(1_000)}b`]) {
    meant([pattern], `${'a'.repeat(250)}/`.repeat(16) + 'b')
  }
  // A regular expression takes more than 20 s for four wildcards and one such name (docs/adr/0028).
  assert.ok(performance.now() - began < 2_000)
})
