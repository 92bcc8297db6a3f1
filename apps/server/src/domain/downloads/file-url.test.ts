import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PackageCaller } from '#domain/access/caller'
import { createLink, deleteLink } from '#domain/links/manage-links'
import { sql } from '#platform/db'
import { linkById } from '#store/links'
import { testCx, type TestCx } from '#test-kit/cx'
import { packageRow } from '#test-kit/look'
import { callerFor, letExpire, type MadePackage, makePackage } from '#test-kit/make'
import { race } from '#test-kit/race'
import { fileUrl } from './file-url.ts'

const urlFor = (cx: TestCx, pkg: MadePackage, caller: PackageCaller, expiry?: string) =>
  fileUrl(cx, caller, pkg.id, pkg.files[0]?.id ?? '', expiry === undefined ? {} : { expiry })

async function sharedPackage(cx: TestCx, access_limit = 0) {
  const pkg = await makePackage(cx, { files: [{ name: 'Ü "1".txt' }], finalized: true })
  const { id: linkId } = await createLink(cx, pkg.manager, pkg.id, { access_limit })
  return { pkg, linkId, reader: () => callerFor(cx, pkg, 'read', { linkId }) }
}

const counts = async (cx: TestCx, linkId: string, pkg: MadePackage) => ({
  link: (await linkById(cx.db, linkId))?.access_count,
  package: (await packageRow(cx, pkg.id))?.downloads,
})

test('the address gives the very bytes, under the file’s name, and to nobody who changes it', async (t) => {
  const cx = await testCx(t)
  const { pkg, reader } = await sharedPackage(cx)
  const { url } = await urlFor(cx, pkg, await reader())
  const reply = await fetch(url)
  assert.ok(Buffer.from(await reply.arrayBuffer()).equals(pkg.files[0]?.bytes ?? Buffer.alloc(0)))
  assert.match(reply.headers.get('content-disposition') ?? '', /^attachment.*filename\*=UTF-8''%C3%9C%20%221%22\.txt/)
  const forged = await fetch(url.replace(/X-Amz-Expires=\d+/, 'X-Amz-Expires=600000'))
  assert.equal(forged.status, 403)
})

test('one token counts once, however many addresses it asks for', async (t) => {
  const cx = await testCx(t)
  const { pkg, linkId, reader } = await sharedPackage(cx, 1)
  const caller = await reader()
  for (let call = 0; call < 3; call++) await urlFor(cx, pkg, caller)
  await Promise.all(Array.from({ length: 20 }, () => urlFor(cx, pkg, caller)))
  assert.deepEqual(await counts(cx, linkId, pkg), { link: 1, package: 1 })
})

test('of 50 first downloads at once on a link for one, exactly one gets through', async (t) => {
  const cx = await testCx(t)
  const { pkg, linkId, reader } = await sharedPackage(cx, 1)
  const callers = await Promise.all(Array.from({ length: 50 }, reader))
  const outcomes = await Promise.allSettled(callers.map((caller) => urlFor(cx, pkg, caller)))
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') assert.equal((outcome.reason as { code: string }).code, 'link_locked')
  }
  assert.deepEqual(await counts(cx, linkId, pkg), { link: 1, package: 1 })
  const noted = await cx.db.rows(sql`select 1 from link_accesses where link_id = ${linkId}`)
  assert.equal(noted.length, 1, 'who was refused is not noted as having had access')
})

test('first download ∥ first download on a link for one: the second waits and is refused', async (t) => {
  const cx = await testCx(t)
  const { pkg, linkId, reader } = await sharedPackage(cx, 1)
  const [one, other] = [await reader(), await reader()]
  const { first, second } = await race(
    cx,
    (cx) => urlFor(cx, pkg, one),
    (cx) => urlFor(cx, pkg, other),
  )
  await first
  await assert.rejects(second, { code: 'link_locked' })
  assert.deepEqual(await counts(cx, linkId, pkg), { link: 1, package: 1 })
})

test('first download ∥ first download: when the first is lost, its access is the second’s', async (t) => {
  const cx = await testCx(t)
  const { pkg, linkId, reader } = await sharedPackage(cx, 1)
  const [one, other] = [await reader(), await reader()]
  const { first, second } = await race(
    cx,
    (cx) => urlFor(cx, pkg, one),
    (cx) => urlFor(cx, pkg, other),
    { failing: true },
  )
  await assert.rejects(first)
  await second
  assert.deepEqual(await counts(cx, linkId, pkg), { link: 1, package: 1 })
})

test('a token of a link that was switched off gives nothing, and counts nothing', async (t) => {
  const cx = await testCx(t)
  const { pkg, linkId, reader } = await sharedPackage(cx)
  const caller = await reader()
  await deleteLink(cx, pkg.manager, pkg.id, linkId)
  await assert.rejects(urlFor(cx, pkg, caller), { code: 'token_revoked' })
  assert.deepEqual(await counts(cx, linkId, pkg), { link: 0, package: 0 })
})

test('a package whose time is over gives no address from that second on', async (t) => {
  const cx = await testCx(t)
  const { pkg, reader } = await sharedPackage(cx)
  const caller = await reader()
  await letExpire(cx, pkg, 0)
  await assert.rejects(urlFor(cx, pkg, caller), { code: 'package_expired' })
})

test('an address never outlives link, package, or a week', async (t) => {
  const cx = await testCx(t)
  const { pkg, reader } = await sharedPackage(cx)
  const caller = await reader()
  const seconds = async (expiry?: string) =>
    Number(new URL((await urlFor(cx, pkg, caller, expiry)).url).searchParams.get('X-Amz-Expires'))
  const inSeconds = (count: number) => new Date(Date.now() + count * 1000).toISOString()
  assert.equal(await seconds(), 30)
  assert.ok(Math.abs((await seconds(inSeconds(100))) - 100) <= 1)
  assert.equal(await seconds(inSeconds(9 * 24 * 3600)), 7 * 24 * 3600)
  await letExpire(cx, pkg, -20)
  assert.ok((await seconds(inSeconds(100))) <= 20)
  await assert.rejects(seconds(inSeconds(-5)), { code: 'validation_failed' })
})

test('managers and writers get no address, and an open package has none', async (t) => {
  const cx = await testCx(t)
  const { pkg } = await sharedPackage(cx)
  await assert.rejects(urlFor(cx, pkg, pkg.manager), { code: 'token_level_insufficient' })
  const open = await makePackage(cx, { files: [{}] })
  await assert.rejects(urlFor(cx, open, await callerFor(cx, open, 'read')), { code: 'package_not_finalized' })
})
