import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { findBelow } from '#host/sources-below'

/** A root with files in it, beside a folder that nobody is to see. */
function aRoot(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'below-')))
  t.after(() => rmSync(folder, { recursive: true }))
  const files = [
    'secret/key',
    'root/out/day 1/a.mov',
    'root/out/day 1/deep/b.mov',
    'root/out/note.txt',
    'root/other.txt',
  ]
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), file)
  }
  symlinkSync('../../secret', join(folder, 'root/out/way'))
  symlinkSync('../../../secret/key', join(folder, 'root/out/day 1/key'))
  return join(folder, 'root')
}

async function found(root: string, folder: string, paths: readonly string[]) {
  const all = await Array.fromAsync(findBelow(root, folder, paths))
  const full = ({ path, name }: { path: string; name: string }) => (path === '' ? name : `${path}/${name}`)
  return {
    sources: all.flatMap((one) => (one.kind === 'source' ? [full(one.source)] : [])),
    skipped: all.flatMap((one) => (one.kind === 'skipped' ? [full(one.skipped)] : [])),
    local: all.flatMap((one) => (one.kind === 'source' ? [one.source.local] : [])),
  }
}

test('what is wanted is found under names that count from the folder, and links are left out', async (t) => {
  const root = aRoot(t)
  const some = await found(root, 'out', ['day 1/', 'note.txt'])
  assert.deepEqual(some.sources, ['day 1', 'day 1/a.mov', 'day 1/deep', 'day 1/deep/b.mov', 'note.txt'])
  assert.deepEqual(some.skipped, ['day 1/key'])
  const all = await found(root, '', [''])
  assert.ok(all.sources.includes('other.txt') && all.sources.includes('out/day 1/deep/b.mov'))
  assert.deepEqual(all.skipped.toSorted(), ['out/day 1/key', 'out/way'])
  assert.ok([...some.local, ...all.local].every((local) => local.startsWith(`${root}/`)))
  assert.deepEqual((await found(root, 'out/day 1', ['deep/b.mov'])).sources, ['deep/b.mov'])
})

test('nothing leads out of the root, whoever asks for what', async (t) => {
  const root = aRoot(t)
  for (const [folder, path] of [
    ['', '../secret/key'],
    ['..', 'secret/key'],
    ['out/../..', 'secret/'],
    ['out', 'way/'],
    ['out', 'way/key'],
    ['out/way', ''],
    ['out/way', 'key'],
    ['out', 'day 1/key'],
    ['', '..'],
    ['', '/etc/passwd'],
    ['/etc', 'passwd'],
    ['', 'gone.txt'],
  ] as const) {
    await assert.rejects(found(root, folder, [path]), { name: 'HostFault' }, `${folder} ${path}`)
  }
})
