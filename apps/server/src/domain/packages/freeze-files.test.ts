import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '@longshore/kit/ids'
import { fileUrl } from '#domain/downloads/file-url'
import { listFiles } from '#domain/downloads/list-files'
import { packageFiles } from '#domain/downloads/package-files'
import { sql } from '#platform/db'
import { type TestCx, testCx } from '#test-kit/cx'
import { inspectAll } from '#test-kit/inspect'
import { callerFor, letExpire, makePackage, type MadePackage } from '#test-kit/make'
import { freezeFiles, takeFreezable } from './freeze-files.ts'
import { purgePackages } from './purge-package.ts'

const never = new AbortController().signal

async function listed(cx: TestCx, pkg: MadePackage): Promise<{ readonly id: string; readonly kind: string }[]> {
  let text = ''
  for await (const piece of await listFiles(cx, pkg.manager, pkg.id)) text += piece
  const entries = JSON.parse(text) as { id: string; kind: string }[]
  return entries.filter(({ kind }) => !kind.startsWith('zip'))
}

async function freezeAll(cx: TestCx): Promise<void> {
  for (const waiting of await takeFreezable(cx, 100)) await freezeFiles(cx, waiting, never)
}

const counts = (cx: TestCx) =>
  cx.db.row<{ live: number; blocks: number; entries: number }>(sql`
    select (select count(*)::integer from files) as live, (select count(*)::integer from frozen_files) as blocks,
           (select coalesce(sum(entries), 0)::integer from frozen_files) as entries
  `)

/** Rows as finalizing many files leaves them, without their bytes. */
const addRows = (cx: TestCx, pkg: MadePackage, count: number) =>
  cx.db.transaction((tx) =>
    tx.run(sql`
      insert into files (team_id, package_id, id, kind, path, name, size, last_modified, chunk_size, state, object_key,
                         sha256, crc32, scan, inspected_at)
      select ${pkg.teamId}, ${pkg.id}, new_id(), 'file', 'Tag ' || n % 7, 'clip ' || n, n, '2026-01-02', 1, 'finalized',
             'some/key/' || n, sha256(n::text::bytea), int4send(n), 'clean', now()
        from generate_series(1, ${count}::integer) n
    `),
  )

test('a frozen list shows what the live one showed, and its files are downloaded as before', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, {
    files: [{ name: 'ß & 漢字', path: 'Ordner/tief' }, { name: 'empty', pieces: [Buffer.alloc(0)] }, { name: 'c' }],
    finalized: true,
  })
  await inspectAll(cx)
  const before = await listed(cx, pkg)
  await freezeAll(cx)
  assert.deepEqual(await counts(cx), { live: 0, blocks: 1, entries: 3 })
  assert.deepEqual(await listed(cx, pkg), before)
  const reader = await callerFor(cx, pkg, 'read')
  for (const file of pkg.files) {
    const { url } = await fileUrl(cx, reader, pkg.id, file.id, {})
    assert.deepEqual(Buffer.from(await (await fetch(url)).arrayBuffer()), file.bytes)
  }
  await assert.rejects(fileUrl(cx, reader, pkg.id, newId(), {}), { code: 'file_not_found' })
  await assert.rejects(fileUrl(cx, reader, pkg.id, '00000000-0000-7000-8000-000000000000', {}), {
    code: 'file_not_found',
  })
  await freezeAll(cx)
  assert.deepEqual(await counts(cx), { live: 0, blocks: 1, entries: 3 })
})

test('a list of many blocks reads the same before, after, and at every step in between', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{}], finalized: true })
  await addRows(cx, pkg, 3_499)
  await inspectAll(cx)
  const before = await listed(cx, pkg)
  assert.equal(before.length, 3_500)
  const [waiting] = await takeFreezable(cx, 1)
  assert.ok(waiting !== undefined)
  // While one reads piece by piece, the list is frozen under them.
  const seen: string[] = []
  for await (const { files } of packageFiles(cx, { team_id: pkg.teamId, id: pkg.id })) {
    seen.push(...files.map(({ id }) => id))
    if (seen.length === 1_000) await freezeFiles(cx, waiting, never)
  }
  assert.deepEqual(
    seen,
    before.map(({ id }) => id),
  )
  assert.deepEqual(await counts(cx), { live: 0, blocks: 4, entries: 3_500 })
  assert.deepEqual(await listed(cx, pkg), before)
})

test('a process that ends half-way leaves a list that reads the same, and another does the rest', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{}], finalized: true })
  await addRows(cx, pkg, 2_099)
  await inspectAll(cx)
  const before = await listed(cx, pkg)
  const [waiting] = await takeFreezable(cx, 1)
  assert.ok(waiting !== undefined)
  const ending = new AbortController()
  const oneBlock: TestCx = {
    ...cx,
    db: {
      ...cx.db,
      async transaction(work) {
        const result = await cx.db.transaction(work)
        ending.abort()
        return result
      },
    },
  }
  await freezeFiles(oneBlock, waiting, ending.signal)
  assert.deepEqual(await counts(cx), { live: 1_100, blocks: 1, entries: 1_000 })
  assert.deepEqual(await listed(cx, pkg), before)
  assert.deepEqual(await takeFreezable(cx, 1), [], 'nobody else takes it while its lease lasts')
  await cx.db.transaction((tx) => tx.run(sql`update freezes set due = now()`))
  await freezeAll(cx)
  assert.deepEqual(await counts(cx), { live: 0, blocks: 3, entries: 2_100 })
  assert.deepEqual(await listed(cx, pkg), before)
})

test('a package that has ended is not frozen, and the purge takes rows and blocks', async (t) => {
  const cx = await testCx(t)
  const [frozen, late] = [
    await makePackage(cx, { files: [{}], finalized: true }),
    await makePackage(cx, { files: [{}], finalized: true }),
  ]
  await inspectAll(cx)
  await letExpire(cx, late)
  await freezeAll(cx)
  assert.deepEqual(await counts(cx), { live: 1, blocks: 1, entries: 1 })
  const ended = [frozen, late].map((pkg) => ({ teamId: pkg.teamId, packageId: pkg.id }))
  const keys = [...frozen.files, ...late.files].map(({ key }) => key)
  await purgePackages(
    cx,
    ended.map((pkg) => ({ ...pkg, last: false })),
    never,
  )
  for (const key of keys) assert.equal(await cx.blob.head(key), undefined)
  await purgePackages(
    cx,
    ended.map((pkg) => ({ ...pkg, last: true })),
    never,
  )
  assert.deepEqual(await counts(cx), { live: 0, blocks: 0, entries: 0 })
})
