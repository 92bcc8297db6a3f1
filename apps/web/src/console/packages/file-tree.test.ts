import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ListedFile, matchingRows, rowsOf, treeOf } from './file-tree.ts'

const file = (path: string, name: string, size = 1): ListedFile => ({
  id: `${path}/${name}`,
  kind: 'file',
  name,
  path,
  size,
  last_modified: '2026-11-01T10:00:00.000Z',
  virus_detected: false,
})
const folder = (path: string, name: string): ListedFile => ({ ...file(path, name), kind: 'directory' })

const names = (rows: ReturnType<typeof rowsOf>) =>
  rows.map((row) => `${'  '.repeat(row.depth)}${row.kind === 'folder' ? `${row.folder.name}/` : row.file.name}`)

const files = [file('', 'b.txt'), file('reel/day 10', 'a', 5), file('reel/day 2', 'b', 7), folder('', 'empty')]

test('folders come first, numbers in names count as numbers, closed folders keep what they hold', () => {
  const tree = treeOf(files)
  assert.deepEqual(names(rowsOf(tree, () => false)), ['empty/', 'reel/', 'b.txt'])
  assert.deepEqual(names(rowsOf(tree, () => true)), [
    'empty/',
    'reel/',
    '  day 2/',
    '    b',
    '  day 10/',
    '    a',
    'b.txt',
  ])
})

test('a folder tells how many files lie in and below it, and their size', () => {
  const reel = treeOf(files).folders.get('reel')
  assert.deepEqual([reel?.count, reel?.size], [2, 12])
})

test('names that objects have by birth are names like others', () => {
  const tree = treeOf([file('__proto__/constructor', 'toString')])
  assert.deepEqual(names(rowsOf(tree, () => true)), ['__proto__/', '  constructor/', '    toString'])
})

test('a search looks at names and folders', () => {
  assert.deepEqual(names(matchingRows(files, 'DAY 2')), ['b'])
  assert.deepEqual(names(matchingRows(files, 'nothing')), [])
})

test('a hundred thousand files are laid out in a moment', () => {
  const many = Array.from({ length: 100_000 }, (_, n) => file(`folder ${n % 100}/sub ${n % 7}`, `file ${n}`))
  const startedAt = performance.now()
  const rows = rowsOf(treeOf(many), () => true)
  const took = performance.now() - startedAt
  assert.equal(rows.filter(({ kind }) => kind === 'file').length, 100_000)
  assert.ok(took < 5_000, `${Math.round(took)} ms`)
})
