import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testCx } from '#test-kit/cx'
import { eventsOf, packageRow, queuedJobs } from '#test-kit/look'
import { makePackage } from '#test-kit/make'
import { finalizePackage } from './finalize-package.ts'

test('a package', async (t) => {
  const a = performance.now()
  const cx = await testCx(t)
  const b = performance.now()
  const pkg = await makePackage(cx, { files: [{}] })
  const c = performance.now()
  await finalizePackage(cx, pkg.manager, pkg.id)
  console.log(
    b - a,
    c - b,
    performance.now() - c,
    await eventsOf(cx, pkg.id),
    await packageRow(cx, pkg.id),
    await queuedJobs(cx),
  )
  assert.ok(true)
})
test('a package', async (t) => {
  const a = performance.now()
  const cx = await testCx(t)
  const b = performance.now()
  const pkg = await makePackage(cx, { files: [{}] })
  const c = performance.now()
  await finalizePackage(cx, pkg.manager, pkg.id)
  console.log(b - a, c - b, performance.now() - c)
})
