import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addFile } from '#domain/uploads/add-files'
import { sql } from '#platform/db'
import { testCx, type TestCx } from '#test-kit/cx'
import { packageRow, queuedJobs } from '#test-kit/look'
import { letExpire, makePackage, makeTeam } from '#test-kit/make'
import { expireDuePackages, giveUpAbandonedPackages } from './expire-packages.ts'
import { setPackageExpiry } from './set-package-expiry.ts'

const never = new AbortController().signal
const stateOf = async (cx: TestCx, { id }: { id: string }) => (await packageRow(cx, id))?.state
const folder = { kind: 'directory', path: '', last_modified: '2026-01-02T03:04:05.000Z' } as const

const leftAlone = (cx: TestCx, { id }: { id: string }, hours: number) =>
  cx.db.transaction((tx) =>
    tx.run(sql`update packages set active_at = now() - make_interval(hours => ${hours}::integer) where id = ${id}`),
  )

test('of all packages only the finalized ones whose time is over end', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const due = await makePackage(cx, { team, files: [{}], finalized: true })
  const later = await makePackage(cx, { team, files: [{}], finalized: true })
  const endless = await makePackage(cx, { team, files: [{}], finalized: true, unlimited_storage: true })
  const open = await makePackage(cx, { team })
  await letExpire(cx, due, 0)
  await letExpire(cx, later, -60)
  await letExpire(cx, open, 60)

  assert.equal(await expireDuePackages(cx, never), 1)
  assert.deepEqual(await Promise.all([due, later, endless, open].map((pkg) => stateOf(cx, pkg))), [
    'expired',
    'finalized',
    'finalized',
    'new',
  ])
  assert.deepEqual(
    (await queuedJobs(cx)).map(({ order, payload }) => [order, payload]),
    [false, true].map((last) => ['purge-package', { teamId: due.teamId, packageId: due.id, last }]),
  )
  assert.equal(await expireDuePackages(cx, never), 0)
  assert.equal((await queuedJobs(cx)).length, 2)
})

test('more than one batch ends in one go, each package with its two orders', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const count = 1_203
  await cx.db.transaction((tx) =>
    tx.run(sql`
      insert into packages (team_id, id, name, description, state, sender, recipients, expiry, storage_location)
      select ${team.id}, gen_random_uuid(), 'n', '', 'finalized', 's', '{}', now() - interval '1 second', 'x'
        from generate_series(1, ${count}::integer)
    `),
  )
  assert.equal(await expireDuePackages(cx, never), count)
  const jobs = await queuedJobs(cx)
  assert.equal(jobs.length, 2 * count)
  assert.equal(new Set(jobs.map(({ payload }) => (payload as { packageId: string }).packageId)).size, count)
})

test('a worker that is told to stop ends what it has begun and no more', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{}], finalized: true })
  await letExpire(cx, pkg)
  assert.equal(await expireDuePackages(cx, AbortSignal.abort()), 0)
  assert.equal(await stateOf(cx, pkg), 'finalized')
})

test('a package that somebody works on is passed over, not waited for', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const [held, free] = [
    await makePackage(cx, { team, files: [{}], finalized: true }),
    await makePackage(cx, { team, files: [{}], finalized: true }),
  ]
  await Promise.all([letExpire(cx, held), letExpire(cx, free)])
  await cx.db.transaction(async (tx) => {
    await tx.run(sql`select 1 from packages where id = ${held.id} for update`)
    assert.equal(await expireDuePackages(cx, never), 1)
  })
  assert.equal(await stateOf(cx, free), 'expired')
  assert.equal(await stateOf(cx, held), 'finalized')
  assert.equal(await expireDuePackages(cx, never), 1)
})

test('a package whose end was put off in time does not end', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{}], finalized: true })
  await letExpire(cx, pkg, -60)
  await setPackageExpiry(cx, pkg.manager, pkg.id, { unlimited_storage: true })
  await cx.db.transaction((tx) => tx.run(sql`update packages set created_at = created_at - interval '1 year'`))
  assert.equal(await expireDuePackages(cx, never), 0)
  assert.equal(await stateOf(cx, pkg), 'finalized')
})

test('packages left alone for a week before they were finalized are given up; others are not', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const abandoned = await makePackage(cx, { team })
  const busy = await makePackage(cx, { team })
  const done = await makePackage(cx, { team, files: [{}], finalized: true })
  await leftAlone(cx, abandoned, 7 * 24 + 1)
  await leftAlone(cx, busy, 7 * 24 - 1)
  await leftAlone(cx, done, 7 * 24 + 1)

  assert.equal(await giveUpAbandonedPackages(cx, never), 1)
  assert.deepEqual(await Promise.all([abandoned, busy, done].map((pkg) => stateOf(cx, pkg))), [
    'expired',
    'new',
    'finalized',
  ])
  assert.equal((await queuedJobs(cx)).length, 2)
  await assert.rejects(addFile(cx, abandoned.manager, abandoned.id, { ...folder, name: 'late' }), {
    code: 'package_expired',
  })
})

test('adding a file shows that a package is not abandoned', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  await leftAlone(cx, pkg, 7 * 24 + 1)
  await addFile(cx, pkg.manager, pkg.id, { ...folder, name: 'still here' })
  assert.equal(await giveUpAbandonedPackages(cx, never), 0)
})
