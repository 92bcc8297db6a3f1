import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileUrl } from '#domain/downloads/file-url'
import { tidy } from '#domain/housekeeping'
import { type Reads, sql } from '#platform/db'
import { foldDeltas, takeFolding, wrongCounts } from '#store/package-counts'
import type { PackageFilter } from '#store/package-filter'
import { totalsOf } from '#store/package-totals'
import { testCx, type TestCx } from '#test-kit/cx'
import { callerFor, makePackage, makeTeam } from '#test-kit/make'
import { insertManyPackages, type PackageFacts } from '#test-kit/many-packages'
import { addUp } from './add-up-counts.ts'
import { checkCounts, recount } from './check-counts.ts'

const signal = new AbortController().signal

const some = (count: number, fields: Partial<PackageFacts> = {}): Omit<PackageFacts, 'id'>[] =>
  Array.from({ length: count }, (_, index) => ({
    portal_id: null,
    teamspace_id: null,
    tag_id: null,
    name: `Rushes ${index}`,
    state: 'finalized' as const,
    sender: `sender-${index % 3}@example.test`,
    created_at: new Date(Date.now() - index * 3_600_000),
    finalized_at: null,
    expiry: new Date(Date.now() + 86_400_000),
    size: index,
    downloaded_bytes: 0,
    ...fields,
  }))

const insert = (cx: TestCx, teamId: string, given: readonly Omit<PackageFacts, 'id'>[]) =>
  cx.db.transaction((tx) => insertManyPackages(tx, teamId, given))

const sent = (teamId: string): PackageFilter => ({
  teamId,
  received: false,
  hiddenPortals: [],
  states: ['finalized', 'expired'],
})
const total = async (reads: Reads, teamId: string) => (await totalsOf(reads, sent(teamId))).total

const waiting = async (cx: TestCx) =>
  (await cx.db.row<{ n: number }>(sql`select count(*)::integer as n from package_deltas`))?.n

test('a change counts from its own commit on, before it is added up and after', async (t) => {
  const cx = await testCx(t)
  const { id } = await makeTeam(cx)
  await insert(cx, id, some(10))
  assert.ok((await waiting(cx)) !== 0)
  assert.equal(await total(cx.db, id), 10)
  await addUp(cx, signal)
  assert.deepEqual([await waiting(cx), await total(cx.db, id)], [0, 10])
  assert.equal(await addUp(cx, signal), 0)
  assert.deepEqual(await wrongCounts(cx.db, id), [])
})

test('a change that is no matter of lists leaves nothing to add up', async (t) => {
  const cx = await testCx(t)
  const { id } = await makeTeam(cx)
  await insert(cx, id, some(3))
  await addUp(cx, signal)
  await cx.db.transaction((tx) => tx.run(sql`update packages set downloads = 7, active_at = now(), name = 'other'`))
  assert.equal(await waiting(cx), 0)
})

test('counts of what is no more are gone after tidying', async (t) => {
  const cx = await testCx(t)
  const { id } = await makeTeam(cx)
  await insert(cx, id, some(3))
  await addUp(cx, signal)
  await cx.db.transaction((tx) => tx.run(sql`delete from packages where team_id = ${id}`))
  await addUp(cx, signal)
  assert.equal(await total(cx.db, id), 0)
  await tidy(cx)
  assert.deepEqual(await cx.db.rows(sql`select * from package_counts`), [])
})

test('who reads while packages change and are added up sees a total that is exact at that moment', async (t) => {
  const cx = await testCx(t)
  const { id } = await makeTeam(cx)
  await insert(cx, id, some(50))
  const until = Date.now() + 2_500
  const writer = async (seed: number) => {
    for (let turn = seed; Date.now() < until; turn++) {
      await insert(cx, id, some(1 + (turn % 4)))
      await cx.db.transaction((tx) =>
        tx.run(sql`
          update packages set state = case when state = 'finalized' then 'archived' else 'finalized' end
           where team_id = ${id} and size % 5 = ${turn % 5}
        `),
      )
      if (turn % 3 === 0) await cx.db.transaction((tx) => tx.run(sql`delete from packages where size = 2`))
    }
  }
  const folder = async () => {
    while (Date.now() < until) await addUp(cx, signal)
  }
  let looks = 0
  const reader = async () => {
    while (Date.now() < until) {
      await cx.db.transaction(async (tx) => {
        await tx.run(sql`set transaction isolation level repeatable read`)
        const counted = await tx.row<{ n: number }>(
          sql`select count(*)::integer as n from packages where team_id = ${id} and state in ('finalized', 'expired')`,
        )
        assert.equal(await total(tx, id), counted?.n)
        looks++
      })
    }
  }
  await Promise.all([writer(0), writer(1), folder(), folder(), reader(), reader()])
  assert.ok(looks > 5, `${looks} looks`)
  assert.deepEqual(await wrongCounts(cx.db, id), [])
})

test('a process that is killed while it adds up leaves every total as it was', async (t) => {
  const cx = await testCx(t)
  const { id } = await makeTeam(cx)
  await insert(cx, id, some(10))
  const before = await waiting(cx)
  const script = `
    import { armCrashPoint } from '@longshore/kit/crash-point'
    import { openDb } from '#platform/db'
    import { addUp } from '#domain/packages/add-up-counts'
    armCrashPoint('add-up-counts.taken:1')
    const [, url] = process.argv
    const db = openDb({ url, maxConnections: 1, statementTimeoutMs: 10000, applicationName: 'killed', onIdleError() {} })
    await addUp({ db }, new AbortController().signal)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, cx.databaseUrl], {
    cwd: new URL('../../..', import.meta.url),
    stdio: 'inherit',
  })
  const [, killedBy] = (await once(child, 'exit')) as [number | null, string | null]
  assert.equal(killedBy, 'SIGKILL')
  // PostgreSQL holds its locks until it has noticed.
  const session = sql`select 1 from pg_stat_activity where datname = current_database() and application_name = 'killed'`
  while ((await cx.db.row(session)) !== undefined) await sleep(10)
  assert.deepEqual([await waiting(cx), await total(cx.db, id)], [before, 10])
  await addUp(cx, signal)
  assert.deepEqual([await waiting(cx), await total(cx.db, id)], [0, 10])
})

test('two workers do not add up at the same time: the second leaves it to the first', async (t) => {
  const cx = await testCx(t)
  const { id } = await makeTeam(cx)
  await insert(cx, id, some(10))
  await cx.db.transaction(async (tx) => {
    assert.equal(await takeFolding(tx), true)
    assert.ok((await foldDeltas(tx, 100)) > 0)
    assert.equal(await addUp(cx, signal), 0)
    assert.equal(await total(cx.db, id), 10)
  })
  assert.deepEqual([await waiting(cx), await total(cx.db, id)], [0, 10])
})

test('the doctor finds counts that are wrong, and a recount mends them', async (t) => {
  const cx = await testCx(t)
  const [good, bad] = [await makeTeam(cx), await makeTeam(cx)]
  for (const { id } of [good, bad]) await insert(cx, id, some(10))
  await addUp(cx, signal)
  assert.deepEqual(await checkCounts(cx), { teams: 2, wrong: [] })
  await cx.db.transaction((tx) =>
    tx.run(sql`update package_counts set n = n + 3 where team_id = ${bad.id} and shape = 'all'`),
  )
  assert.equal(await total(cx.db, bad.id), 13)
  const { wrong } = await checkCounts(cx)
  assert.deepEqual(wrong, [{ teamId: bad.id, counts: [{ shape: 'all', state: 'finalized', day: null, missing: -3 }] }])
  // Changes that still wait are counted once.
  await insert(cx, bad.id, some(2))
  assert.deepEqual(await recount(cx, bad.id), [{ teamId: bad.id, mended: 1 }])
  assert.deepEqual([await total(cx.db, good.id), await total(cx.db, bad.id)], [10, 12])
  assert.deepEqual((await checkCounts(cx)).wrong, [])
})

test('each address of a file that is handed out adds its bytes to what the package used', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{ pieces: [Buffer.alloc(1_000)] }], finalized: true })
  const reader = await callerFor(cx, pkg, 'read')
  const used = async () =>
    (await cx.db.row<{ used: number }>(sql`select usage_total_bytes as used from packages where id = ${pkg.id}`))?.used
  assert.equal(await used(), 1_000)
  for (let turn = 0; turn < 2; turn++) await fileUrl(cx, reader, pkg.id, pkg.files[0]?.id ?? '', {})
  await addUp(cx, signal)
  assert.equal(await used(), 3_000)
  await addUp(cx, signal)
  assert.equal(await used(), 3_000)
})
