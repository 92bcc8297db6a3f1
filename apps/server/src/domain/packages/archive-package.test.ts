import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testCx } from '#test-kit/cx'
import { eventsOf, packageRow, queuedJobs } from '#test-kit/look'
import { callerFor, letExpire, makePackage } from '#test-kit/make'
import { race } from '#test-kit/race'
import { archivePackage, unarchivePackage } from './archive-package.ts'
import { deletePackage } from './delete-package.ts'
import { expireDuePackages } from './expire-packages.ts'

test('an ended package goes into the archive and out again, as often as one likes', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  await deletePackage(cx, pkg.manager, pkg.id)
  const orders = await queuedJobs(cx)
  for (const [move, state] of [
    [archivePackage, 'archived'],
    [archivePackage, 'archived'],
    [unarchivePackage, 'expired'],
    [unarchivePackage, 'expired'],
    [archivePackage, 'archived'],
  ] as const) {
    await move(cx, pkg.manager, pkg.id)
    assert.equal((await packageRow(cx, pkg.id))?.state, state)
  }
  assert.deepEqual(await queuedJobs(cx), orders)
})

test('what has not ended is neither archived nor unarchived', async (t) => {
  const cx = await testCx(t)
  const open = await makePackage(cx)
  const sent = await makePackage(cx, { files: [{}], finalized: true })
  for (const pkg of [open, sent]) {
    for (const move of [archivePackage, unarchivePackage]) {
      await assert.rejects(move(cx, pkg.manager, pkg.id), { code: 'package_not_expired' })
    }
  }
  assert.deepEqual(
    [(await packageRow(cx, open.id))?.state, (await packageRow(cx, sent.id))?.state],
    ['new', 'finalized'],
  )
})

test('a package whose time is over is ended properly before it is archived, once', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{}], finalized: true })
  await letExpire(cx, pkg)
  await unarchivePackage(cx, pkg.manager, pkg.id)
  assert.equal((await packageRow(cx, pkg.id))?.state, 'finalized')
  await archivePackage(cx, pkg.manager, pkg.id)
  await archivePackage(cx, pkg.manager, pkg.id)
  assert.equal((await packageRow(cx, pkg.id))?.state, 'archived')
  const ends = (await eventsOf(cx, pkg.id)).filter(({ type }) => type === 'package.expired')
  assert.deepEqual(
    ends.map(({ object }) => object['state']),
    ['expired'],
  )
  assert.deepEqual(
    (await queuedJobs(cx)).map(({ payload }) => payload),
    [false, true].map((last) => ({ teamId: pkg.teamId, packageId: pkg.id, last })),
  )
  assert.equal(await expireDuePackages(cx, new AbortController().signal), 0)
})

test('archive ∥ delete: the archive waits for the end and then takes the package', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const { first, second } = await race(
    cx,
    (cx) => deletePackage(cx, pkg.manager, pkg.id),
    (cx) => archivePackage(cx, pkg.manager, pkg.id),
  )
  await Promise.all([first, second])
  assert.equal((await packageRow(cx, pkg.id))?.state, 'archived')
  assert.equal((await queuedJobs(cx)).length, 2)
})

test('archiving is for managers of the package', async (t) => {
  const cx = await testCx(t)
  const [pkg, other] = [await makePackage(cx), await makePackage(cx)]
  const writer = await callerFor(cx, pkg, 'write')
  await deletePackage(cx, pkg.manager, pkg.id)
  for (const move of [archivePackage, unarchivePackage]) {
    await assert.rejects(move(cx, writer, pkg.id), { code: 'token_level_insufficient' })
    await assert.rejects(move(cx, other.manager, pkg.id), { code: 'package_not_found' })
  }
  assert.equal((await packageRow(cx, pkg.id))?.state, 'expired')
})
