import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, realpath, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { swapForLink } from '#test-kit/swapping'
import { createLook } from './look.ts'

/** A root, with a folder beside it that nobody may get to. */
async function setting(t: TestContext) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'longshore-gateway-')))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const root = join(folder, 'root')
  await mkdir(root)
  await mkdir(join(folder, 'outside'))
  await writeFile(join(folder, 'outside', 'secret.txt'), 'secret')
  const look = createLook(root)
  t.after(look.close)
  const list = (path: string, after = '', count = 1_000) => look.answer({ ask: 'list', path, after, count })
  const stat = (path: string) => look.answer({ ask: 'stat', path })
  return { folder, root, list, stat }
}

const no = (reason: string) => ({ kind: 'no', reason })

const namesIn = (answer: Awaited<ReturnType<ReturnType<typeof createLook>['answer']>>) =>
  answer.kind === 'listing' ? answer.listing.entries.map(({ name }) => name) : answer

test('a folder is listed in the order of names, with sizes and times', async (t) => {
  const { root, list, stat } = await setting(t)
  await mkdir(join(root, 'Day 1'))
  await writeFile(join(root, 'b.mov'), 'bytes')
  await utimes(join(root, 'b.mov'), 1, 1_700_000_000)
  const file = { kind: 'file', name: 'b.mov', size: 5, last_modified: '2023-11-14T22:13:20.000Z' }
  const folder = { kind: 'directory', name: 'Day 1' }
  assert.deepEqual(await list(''), { kind: 'listing', listing: { entries: [folder, file], next: '' } })
  assert.deepEqual(await list('Day 1'), { kind: 'listing', listing: { entries: [], next: '' } })
  assert.deepEqual(await stat('b.mov'), { kind: 'entry', entry: file })
  assert.deepEqual(await stat('Day 1'), { kind: 'entry', entry: folder })
  assert.deepEqual(await stat(''), { kind: 'entry', entry: { kind: 'directory', name: basename(root) } })
})

test('what is not there is not found, and nothing is made by looking', async (t) => {
  const { root, list, stat } = await setting(t)
  await writeFile(join(root, 'file'), '')
  assert.deepEqual(await list('file'), no('not_a_directory'))
  for (const path of ['gone', 'gone/deeper', '..', 'a/../..', '.', '/', '/etc', 'x//y', 'nul\0', 'n'.repeat(4_000)]) {
    assert.deepEqual(await list(path), no('not_found'), path)
    assert.deepEqual(await stat(path), no('not_found'), path)
  }
  assert.deepEqual(await readdir(root), ['file'])
})

test('a root that is gone, or a link by now, shows nothing', async (t) => {
  const { folder, root, list } = await setting(t)
  await rename(root, join(folder, 'moved'))
  assert.deepEqual(await list(''), no('failed'))
  await symlink('outside', root)
  assert.deepEqual(await list(''), no('failed'))
})

test('pages follow each other without a gap, also where names come and go between them', async (t) => {
  const { root, list } = await setting(t)
  for (let n = 0; n < 25; n++) await writeFile(join(root, `${n}`.padStart(2, '0')), '')
  const seen: unknown[] = []
  for (let after = ''; ; ) {
    const page = await list('', after, 10)
    assert.ok(page.kind === 'listing')
    seen.push(...page.listing.entries.map(({ name }) => name))
    after = page.listing.next
    if (after === '') break
    if (after === '09') {
      await rm(join(root, '09'))
      await rm(join(root, '10'))
      await writeFile(join(root, '155'), '')
    }
  }
  const all = Array.from({ length: 25 }, (_, n) => `${n}`.padStart(2, '0')).filter((name) => name !== '10')
  assert.deepEqual(seen, [...all, '155'].sort())
})

test('our own part files are not shown', async (t) => {
  const { root, list } = await setting(t)
  await writeFile(join(root, '.longshore-0199a-7.part'), '')
  await writeFile(join(root, '.hidden'), '')
  assert.deepEqual(namesIn(await list('')), ['.hidden'])
})

test('case 213: links and special files are neither listed nor followed, wherever they lead', async (t) => {
  const { folder, root, list, stat } = await setting(t)
  await mkdir(join(root, 'real'))
  const targets = {
    up: '..',
    out: '/etc',
    near: '../outside',
    own: 'real',
    file: '../outside/secret.txt',
    dead: 'gone',
  }
  for (const [name, target] of Object.entries(targets)) await symlink(target, join(root, name))
  await promisify(execFile)('mkfifo', [join(root, 'pipe')])
  assert.deepEqual(namesIn(await list('')), ['real'])
  for (const name of [...Object.keys(targets), 'pipe']) assert.deepEqual(await stat(name), no('not_found'), name)
  for (const name of Object.keys(targets)) {
    assert.deepEqual(await list(name), no('not_found'), name)
    assert.deepEqual(await stat(`${name}/secret.txt`), no('not_found'), name)
  }
  assert.deepEqual(await readdir(join(folder, 'outside')), ['secret.txt'])
})

test('case 214: in 10,000 tries no folder that becomes a link between two steps leads out', {
  timeout: 120_000,
}, async (t) => {
  const { root, list, stat } = await setting(t)
  await mkdir(join(root, 'a'))
  await writeFile(join(root, 'a', 'inside.txt'), '')
  const stop = swapForLink(t, root, '../outside')
  const met = { inside: 0, nothing: 0, outside: 0 }
  const count = (text: string) => {
    met[text.includes('secret.txt') ? 'outside' : text.includes('inside.txt') ? 'inside' : 'nothing']++
  }
  const tries = 10_000
  for (let n = 0; n < tries; n += 10) {
    const looks = Array.from({ length: 10 }, (_, one) => (one % 2 === 0 ? list('a') : stat('a/secret.txt')))
    for (const answer of await Promise.all(looks)) count(JSON.stringify(answer))
  }
  await stop()
  t.diagnostic(JSON.stringify(met))
  assert.equal(met.outside, 0)
  assert.ok(
    met.inside > 0 && met.nothing > tries / 2,
    'half of the tries ask for what is only outside; more met the swap',
  )
})

test('case 217: another disk that is mounted inside the root is part of it', async (t) => {
  const { root, list } = await setting(t)
  const disk = join(root, 'disk')
  await mkdir(disk)
  const run = promisify(execFile)
  const mounted = await run('mount', ['-t', 'tmpfs', 'none', disk]).then(
    () => true,
    () => false,
  )
  if (!mounted) return t.skip('nobody may mount here')
  try {
    await writeFile(join(disk, 'reel.mov'), '')
    assert.deepEqual(namesIn(await list('disk')), ['reel.mov'])
  } finally {
    await run('umount', [disk])
  }
})

test('a folder of 100,000 entries is listed page by page, each within 300 ms', { timeout: 120_000 }, async (t) => {
  const { root, list } = await setting(t)
  const crowd = join(root, 'crowd')
  mkdirSync(crowd)
  // Links are made faster than files, but a file may not have all too many.
  const nameOf = (n: number) => join(crowd, `clip ${String(n).padStart(6, '0')}.mov`)
  for (let n = 0; n < 100_000; n++) {
    if (n % 25_000 === 0) writeFileSync(nameOf(n), '')
    else linkSync(nameOf(n - (n % 25_000)), nameOf(n))
  }
  // Of a folder that was just changed, no names are kept.
  await utimes(crowd, 1, 1_700_000_000)
  const times: { bare: number; first: number; later: number }[] = []
  for (let round = 0; round < 5; round++) {
    const fresh = createLook(root)
    const page = async (after: string) => {
      const startedAt = performance.now()
      const answer = await fresh.answer({ ask: 'list', path: 'crowd', after, count: 1_000 })
      assert.ok(answer.kind === 'listing' && answer.listing.entries.length === 1_000)
      return { ms: performance.now() - startedAt, next: answer.listing.next }
    }
    const first = await page('')
    const second = await page(first.next)
    const deep = await page('clip 090000.mov')
    fresh.close()
    const startedAt = performance.now()
    await readdir(crowd)
    const bare = performance.now() - startedAt
    times.push({ bare, first: first.ms, later: Math.max(second.ms, deep.ms) })
  }
  const calmest = (which: 'bare' | 'first' | 'later') => Math.min(...times.map((one) => one[which]))
  const [bare, first, later] = [calmest('bare'), calmest('first'), calmest('later')]
  t.diagnostic(`first page ${first.toFixed(0)} ms, later ${later.toFixed(0)} ms; bare names ${bare.toFixed(0)} ms`)
  // On a machine that others keep busy, the bare reading of the names alone can take as long.
  assert.ok(first < Math.max(300, 4 * bare) && later < 300)
  let total = 0
  for (let after = ''; ; ) {
    const page = await list('crowd', after)
    assert.ok(page.kind === 'listing')
    total += page.listing.entries.length
    after = page.listing.next
    if (after === '') break
  }
  assert.equal(total, 100_000)
})
