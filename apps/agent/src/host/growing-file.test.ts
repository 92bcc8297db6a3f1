import assert from 'node:assert/strict'
import { appendFileSync, lstatSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { type Growing, growingFile } from '#host/growing-file'
import { lookOf, sourceFile } from '#host/source-file'

/** A file, and a clock whose every wait is a chance to write to it. */
function newFile(t: TestContext, meanwhile: (path: string, look: number) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'growing-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'take.mov')
  writeFileSync(path, 'x'.repeat(100))
  let now = 0
  let looks = 0
  const seen: number[] = []
  const growing: Growing = {
    clock: {
      now: () => now,
      after: (ms, act) => {
        now += ms
        meanwhile(path, ++looks)
        setImmediate(act)
        return () => {}
      },
    },
    seen: (size) => seen.push(size),
    quietMs: 3_000,
    lookEveryMs: 1_000,
    plannedSize: 1,
  }
  const found = { kind: 'file' as const, name: 'take.mov', path: '', local: path }
  const file = sourceFile(0, { ...found, ...lookOf(lstatSync(path, { bigint: true })) })
  return { path, file: growingFile(file, path, growing), seen, now: () => now }
}

const { signal } = new AbortController()

test('only what an earlier look has seen is there to stay, and the end is told after the quiet time', async (t) => {
  const { file, seen, now } = newFile(t, (path, look) => look <= 3 && appendFileSync(path, 'y'.repeat(10)))
  const told: unknown[] = []
  for (let known = 0, over = false; !over; ) {
    const grown = (await file.growth?.beyond(known, signal)) ?? { stable: 0, over: true }
    told.push([now(), grown.stable, grown.over])
    known = grown.stable
    over = grown.over
  }
  assert.deepEqual(told, [
    [1_000, 100, false],
    [2_000, 110, false],
    [3_000, 120, false],
    [4_000, 130, false],
    [6_000, 130, true],
  ])
  assert.equal(seen.at(-1), 130)
})

test('a file that becomes shorter is another one', async (t) => {
  const { file } = newFile(t, (path) => truncateSync(path, 10))
  await assert.rejects(async () => file.growth?.beyond(0, signal), { code: 'source_changed' })
})

test('it stays the same file while it grows', async (t) => {
  const { file, path } = newFile(t, () => {})
  const open = await file.open()
  appendFileSync(path, 'more')
  assert.deepEqual([open.identity, (await open.look()).identity], [file.identity, file.identity])
  await open.close()
  // Made while the first is still there: the number of a file that is gone may be given to the next.
  writeFileSync(`${path}.other`, 'x'.repeat(100))
  renameSync(`${path}.other`, path)
  const other = await file.open()
  assert.notEqual(other.identity, file.identity)
  await other.close()
})
