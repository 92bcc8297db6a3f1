import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { readPatterns } from '#transfers/patterns'
import { entriesIn, printOf } from './entries.ts'

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'watched-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const nothing = readPatterns([])

test('files and folders are seen, links and files of the system are not', async (t) => {
  const folder = newFolder(t)
  mkdirSync(join(folder, 'b'))
  writeFileSync(join(folder, 'a.txt'), 'a')
  writeFileSync(join(folder, '.DS_Store'), '')
  symlinkSync('b', join(folder, 'c'))
  const seen = await entriesIn(folder)
  assert.deepEqual(
    seen.map(({ name, kind }) => [name, kind]),
    [
      ['a.txt', 'file'],
      ['b', 'directory'],
    ],
  )
  await assert.rejects(entriesIn(join(folder, 'nowhere')), { code: 'source_gone' })
})

test('a mark stays when a folder is renamed, and is not handed on to the next of its name', async (t) => {
  const folder = newFolder(t)
  mkdirSync(join(folder, 'a'))
  const [before] = await entriesIn(folder)
  renameSync(join(folder, 'a'), join(folder, 'b'))
  mkdirSync(join(folder, 'a'))
  const [next, renamed] = await entriesIn(folder)
  assert.equal(renamed?.mark, before?.mark)
  assert.notEqual(next?.mark, before?.mark)
})

test('a print is another one after every change, and the same without', async (t) => {
  const folder = join(newFolder(t), 'a')
  mkdirSync(join(folder, 'deep'), { recursive: true })
  const file = join(folder, 'deep/x.txt')
  const changes: readonly (readonly [what: string, change: () => void])[] = [
    ['added', () => writeFileSync(file, 'x')],
    ['longer', () => writeFileSync(file, 'xy')],
    ['another time', () => utimesSync(file, 1, 1)],
    ['renamed', () => renameSync(file, join(folder, 'y.txt'))],
    ['an empty folder', () => mkdirSync(join(folder, 'empty'))],
    ['taken away', () => rmSync(join(folder, 'y.txt'))],
  ]
  let last = await printOf(folder, nothing)
  for (const [what, change] of changes) {
    change()
    const now = await printOf(folder, nothing)
    assert.notEqual(now?.print, last?.print, what)
    assert.deepEqual(await printOf(folder, nothing), now, what)
    last = now
  }
  rmSync(folder, { recursive: true })
  assert.equal(await printOf(folder, nothing), undefined)
})

test('what is left out changes no print and is no file to send', async (t) => {
  const folder = join(newFolder(t), 'a')
  mkdirSync(folder)
  const isLeftOut = readPatterns(['*.tmp', 'cache/'])
  const before = await printOf(folder, isLeftOut)
  writeFileSync(join(folder, 'x.tmp'), 'x')
  mkdirSync(join(folder, 'cache'))
  writeFileSync(join(folder, 'cache/y'), 'y')
  assert.deepEqual(await printOf(folder, isLeftOut), before)
  assert.equal(before?.files, 0)
})
