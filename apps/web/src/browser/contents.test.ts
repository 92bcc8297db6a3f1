import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentsOf, folderOf, marks, openRows, rowsNamed } from './contents.ts'

type Listed = Parameters<typeof contentsOf>[0][number]

const entry = (place: string, more: Partial<Listed> = {}): Listed => ({
  id: `id of ${place}`,
  kind: 'file',
  name: place.split('/').at(-1) ?? '',
  path: place.split('/').slice(0, -1).join('/'),
  size: 10,
  last_modified: '2026-11-01T10:00:00.000Z',
  virus_detected: false,
  ...more,
})

const listed = [
  entry('b.txt'),
  entry('film/Take 10.mov', { size: 100 }),
  entry('film/Take 9.mov', { size: 1, virus_detected: true }),
  entry('film/raw/a.txt', { integrity: 'verified', scan: 'pending' }),
  entry('empty', { kind: 'directory', size: 0 }),
  entry('all.zip', { kind: 'zip_windows', size: 0 }),
]

test('a package becomes a tree: folders first, names as people sort them, folders with what is in them', () => {
  const contents = contentsOf(listed)

  const shown = contents.names.map((name, row) => ({
    name: '  '.repeat(contents.depths[row] ?? 0) + name,
    files: contents.fileCounts[row],
    size: contents.sizes[row],
  }))
  assert.deepEqual(shown, [
    { name: 'empty', files: 0, size: 0 },
    { name: 'film', files: 3, size: 111 },
    { name: '  raw', files: 1, size: 10 },
    { name: '    a.txt', files: 1, size: 10 },
    { name: '  Take 9.mov', files: 1, size: 1 },
    { name: '  Take 10.mov', files: 1, size: 100 },
    { name: 'b.txt', files: 1, size: 10 },
  ])
  assert.equal(contents.marks[4], marks.infected)
  assert.equal(contents.marks[3], marks.scanning | marks.verified)
  assert.equal(folderOf(contents, 3), 'film/raw')
  assert.equal(folderOf(contents, 6), '')
})

test('a closed folder hides what is in it, a search finds files in any folder', () => {
  const contents = contentsOf(listed)

  assert.deepEqual(openRows(contents, new Set([1])), [0, 1, 6])
  assert.deepEqual(openRows(contents, new Set([2])), [0, 1, 2, 4, 5, 6])
  assert.deepEqual(rowsNamed(contents, 'TAKE'), [4, 5])
  assert.deepEqual(rowsNamed(contents, 'film'), [])
})
