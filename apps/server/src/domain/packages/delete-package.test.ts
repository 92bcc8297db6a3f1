import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testCx } from '#test-kit/cx'
import { packageRow, queuedJobs } from '#test-kit/look'
import { callerFor, makePackage } from '#test-kit/make'
import { race } from '#test-kit/race'
import { deletePackage } from './delete-package.ts'

const purges = ({ id, teamId }: { id: string; teamId: string }) =>
  [
    { last: false, afterSeconds: 0 },
    // The upload addresses of the test world live for 60 s; a slow body may come an hour later.
    { last: true, afterSeconds: 3660 },
  ].map(({ last, afterSeconds }) => ({
    order: 'purge-package',
    payload: { teamId, packageId: id, last },
    afterSeconds,
  }))

test('deleting ends a package and orders the removal of its objects, now and once more later', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{}], finalized: true })
  await deletePackage(cx, pkg.manager, pkg.id)
  assert.equal((await packageRow(cx, pkg.id))?.state, 'expired')
  assert.deepEqual(await queuedJobs(cx), purges(pkg))
})

test('a repeat changes nothing and orders nothing', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  await deletePackage(cx, pkg.manager, pkg.id)
  await deletePackage(cx, pkg.manager, pkg.id)
  assert.deepEqual(await queuedJobs(cx), purges(pkg))
})

test('delete ∥ delete: both are told yes, and the removal is ordered once', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const { first, second } = await race(
    cx,
    (cx) => deletePackage(cx, pkg.manager, pkg.id),
    (cx) => deletePackage(cx, pkg.manager, pkg.id),
  )
  await Promise.all([first, second])
  assert.deepEqual(await queuedJobs(cx), purges(pkg))
})

test('delete ∥ delete: when the first is lost, the second does it', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const { first, second } = await race(
    cx,
    (cx) => deletePackage(cx, pkg.manager, pkg.id),
    (cx) => deletePackage(cx, pkg.manager, pkg.id),
    { failing: true },
  )
  await assert.rejects(first)
  await second
  assert.equal((await packageRow(cx, pkg.id))?.state, 'expired')
  assert.deepEqual(await queuedJobs(cx), purges(pkg))
})

test('who may only write or read deletes nothing, and one package’s manager not another package', async (t) => {
  const cx = await testCx(t)
  const [pkg, other] = [await makePackage(cx), await makePackage(cx)]
  for (const level of ['write', 'read'] as const) {
    const caller = await callerFor(cx, pkg, level)
    await assert.rejects(deletePackage(cx, caller, pkg.id), { code: 'token_level_insufficient' })
  }
  await assert.rejects(deletePackage(cx, other.manager, pkg.id), { code: 'package_not_found' })
  assert.equal((await packageRow(cx, pkg.id))?.state, 'new')
  assert.deepEqual(await queuedJobs(cx), [])
})
