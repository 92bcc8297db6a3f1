import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '@longshore/kit/ids'
import { identifyByPackageToken } from '#domain/access/identify'
import { fileUrl } from '#domain/downloads/file-url'
import { createLink } from '#domain/links/manage-links'
import { updatePortal } from '#domain/portals/manage-portals'
import { createSpace } from '#domain/spaces/spaces'
import { addFile } from '#domain/uploads/add-files'
import { sql } from '#platform/db'
import { packageById } from '#store/packages'
import { testCx, type TestCx } from '#test-kit/cx'
import { eventsOf } from '#test-kit/look'
import { callerFor, makeFile, makeTeam } from '#test-kit/make'
import { answer, makePortal, makePortalPackage, packageFields, visitTo } from '#test-kit/make-portals'
import { race } from '#test-kit/race'
import { createPortalPackage } from './create-portal-package.ts'
import { deletePackage } from './delete-package.ts'
import { finalizePackage } from './finalize-package.ts'
import { packagePasswordContext } from './present.ts'
import { readPackage } from './read-package.ts'
import { setPackageExpiry } from './set-package-expiry.ts'
import { updatePackage } from './update-package.ts'

const countPackages = async (cx: TestCx) =>
  (await cx.db.row<{ n: number }>(sql`select count(*)::integer as n from packages`))?.n

const daysFromNow = (time: string) => Math.round((Date.parse(time) - Date.now()) / 86_400_000)

test('a package takes tag, Teamspace, recipients, password and days from its Portal', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const space = await createSpace(cx, team.owner.caller, team.id, { name: 'Editors' })
  const portal = await makePortal(cx, {
    team,
    access_code: 'sesame',
    recipients: ['a@example.test', 'b@example.test'],
    has_download_password: true,
    download_password: 'pässword',
    custom_expiry_days: 30,
    tag: { name: 'urgent' },
    teamspace_id: space.id,
  })
  const made = await createPortalPackage(cx, portal.id, visitTo(portal), packageFields)
  assert.equal(made.portal_id, portal.id)
  assert.equal(made.team_id, team.id)
  assert.equal(made.tag?.name, 'urgent')
  assert.deepEqual(made.teamspace, { id: space.id, name: 'Editors' })
  assert.equal(made.sender, 'sender@example.test')
  assert.equal(daysFromNow(made.expiry), 30)
  assert.deepEqual([made.custom_expiry, made.unlimited_storage, made.state], [true, false, 'new'])
  assert.equal('recipients' in made, false)
  assert.equal('password' in made, false)
  assert.equal(JSON.stringify(made).includes('pässword'), false)
  const row = await packageById(cx.db, team.id, made.id)
  assert.deepEqual(row?.recipients, ['a@example.test', 'b@example.test'])
  assert.equal(cx.box.open(packagePasswordContext(made.id), row?.password_sealed ?? Buffer.alloc(0)), 'pässword')
  const [event, ...more] = await eventsOf(cx, made.id)
  assert.deepEqual(more, [])
  assert.equal(event?.type, 'package.created')
  assert.deepEqual([event?.object['portal_id'], event?.object['sender']], [portal.id, 'sender@example.test'])
})

test('a password that is switched off is not taken over', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx, { has_download_password: false, download_password: 'pässword' })
  const { id } = await makePortalPackage(cx, portal)
  assert.equal((await packageById(cx.db, portal.teamId, id))?.password_sealed, null)
})

test('days: 0 as the Team has it, -1 without end for as long as the Team allows', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const create = (portal: { id: string }) => createPortalPackage(cx, portal.id, visitTo(), packageFields)
  const asTeam = await create(await makePortal(cx, { team }))
  assert.deepEqual([daysFromNow(asTeam.expiry), asTeam.custom_expiry, asTeam.unlimited_storage], [10, false, false])
  const endless = await makePortal(cx, { team, custom_expiry_days: -1 })
  const first = await create(endless)
  assert.deepEqual([first.expiry, first.unlimited_storage], ['0001-01-01T00:00:00.000Z', true])
  await cx.db.transaction((tx) => tx.run(sql`update teams set unlimited_storage_allowed = false`))
  const second = await create(endless)
  assert.deepEqual([daysFromNow(second.expiry), second.unlimited_storage], [10, false])
})

test('no package without an open Portal and the right code', async (t) => {
  const cx = await testCx(t)
  const guarded = await makePortal(cx, { access_code: 'sesame' })
  const refused = (id: string, accessCode: string | undefined, code: string) =>
    assert.rejects(createPortalPackage(cx, id, visitTo({ accessCode }), packageFields), { code })
  await refused(newId(), undefined, 'portal_not_found')
  await refused(guarded.id, undefined, 'access_code_wrong')
  await refused(guarded.id, 'wrong', 'access_code_wrong')
  await refused((await makePortal(cx, { active: false })).id, undefined, 'portal_inactive')
  const over = await makePortal(cx, { expiry_enabled: true, expiry: '2020-01-01T00:00:00Z' })
  await refused(over.id, undefined, 'portal_expired')
  const small = { ...packageFields, chunk_size: 1 }
  await assert.rejects(createPortalPackage(cx, guarded.id, visitTo(guarded), small), { code: 'validation_failed' })
  assert.equal(await countPackages(cx), 0)
})

test('a Portal with a form wants its answers: of this Portal, and once', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx, { form: {} })
  const neighbour = await makePortal(cx, { team: portal.team, form: {} })
  await assert.rejects(makePortalPackage(cx, portal), {
    code: 'form_field_required',
    details: [{ field: 'form_data_id', reason: 'is required, because this Portal has a form' }],
  })
  const foreign = await answer(cx, neighbour, {})
  for (const form_data_id of [foreign.id, newId()]) {
    await assert.rejects(makePortalPackage(cx, portal, { form_data_id }), { code: 'validation_failed' })
  }
  const own = await answer(cx, portal, {})
  const made = await createPortalPackage(cx, portal.id, visitTo(), { ...packageFields, form_data_id: own.id })
  assert.equal(made.custom_metadata_id, own.id)
  await assert.rejects(makePortalPackage(cx, portal, { form_data_id: own.id }), { code: 'form_response_used' })
  assert.equal(await countPackages(cx), 1)
  await makePortalPackage(cx, neighbour, { form_data_id: foreign.id })
})

test('a disabled form wants none', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx, { form: {} })
  const response = await answer(cx, portal, {})
  await cx.db.transaction((tx) => tx.run(sql`update forms set disabled = true`))
  await makePortalPackage(cx, portal)
  await makePortalPackage(cx, portal, { form_data_id: response.id })
})

test('of two packages that take the same answers at once, one gets them', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx, { form: {} })
  const { id } = await answer(cx, portal, {})
  const take = (cx: TestCx) => makePortalPackage(cx, portal, { form_data_id: id })
  const { first, second } = await race(cx, take, take)
  await first
  await assert.rejects(second, { code: 'form_response_used' })
  assert.equal(await countPackages(cx), 1)
})

test('answers whose first package failed are taken by the second', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx, { form: {} })
  const { id } = await answer(cx, portal, {})
  const take = (cx: TestCx) => makePortalPackage(cx, portal, { form_data_id: id })
  const { first, second } = await race(cx, take, take, { failing: true })
  await assert.rejects(first)
  await second
  assert.equal(await countPackages(cx), 1)
})

test('a call that is repeated with its key answers the same package, also with a form', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx, { access_code: 'sesame', form: {} })
  const { id: form_data_id } = await answer(cx, portal, {})
  const once = { credential: 'address:10.0.0.1', key: 'k', request: 'r' }
  const given = { ...packageFields, form_data_id }
  const first = await createPortalPackage(cx, portal.id, visitTo(portal), given, once)
  assert.deepEqual(await createPortalPackage(cx, portal.id, visitTo(portal), given, once), first)
  const wrong = visitTo({ accessCode: 'wrong' })
  await assert.rejects(createPortalPackage(cx, portal.id, wrong, given, once), { code: 'access_code_wrong' })
})

test('the write token fills and finalizes, and does nothing that is for managers', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx, { recipients: ['secret@example.test'] })
  const made = await createPortalPackage(cx, portal.id, visitTo(), packageFields)
  const writer = await identifyByPackageToken(cx, made.access_token)
  assert.equal(writer.level, 'write')
  const pkg = { id: made.id, teamId: portal.teamId, manager: writer }
  const refused = { code: 'token_level_insufficient' }
  const file = await makeFile(cx, pkg)
  await assert.rejects(createLink(cx, writer, pkg.id, {}), refused)
  await assert.rejects(setPackageExpiry(cx, writer, pkg.id, { unlimited_storage: true }), refused)
  await assert.rejects(deletePackage(cx, writer, pkg.id), refused)
  await assert.rejects(fileUrl(cx, writer, pkg.id, file.id, {}), refused)
  assert.equal(JSON.stringify(await readPackage(cx, writer, pkg.id)).includes('secret@'), false)
  const renamed = await updatePackage(cx, writer, pkg.id, { name: 'Day 2', recipients: ['x@example.test'] })
  assert.equal(renamed.name, 'Day 2')
  assert.deepEqual((await packageById(cx.db, pkg.teamId, pkg.id))?.recipients, ['secret@example.test'])

  await finalizePackage(cx, writer, pkg.id)
  await finalizePackage(cx, writer, pkg.id)
  const late = { kind: 'directory', name: 'd', path: '', last_modified: '2026-01-01T00:00:00Z' } as const
  await assert.rejects(addFile(cx, writer, pkg.id, late), { code: 'package_not_new' })
  await assert.rejects(updatePackage(cx, writer, pkg.id, { name: 'Day 3' }), { code: 'token_revoked' })
})

test("files of a Portal package are its sender's affair: a manager adds none", async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx)
  const pkg = await makePortalPackage(cx, portal)
  const manager = await callerFor(cx, pkg, 'manage', { userId: portal.team.owner.userId })
  const directory = { kind: 'directory', name: 'd', path: '', last_modified: '2026-01-01T00:00:00Z' } as const
  await assert.rejects(addFile(cx, manager, pkg.id, directory), { code: 'token_level_insufficient' })
  await assert.rejects(finalizePackage(cx, manager, pkg.id), { code: 'token_level_insufficient' })
})

test('a package that is open stays as it was made when its Portal changes', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx, { recipients: ['a@example.test'] })
  const pkg = await makePortalPackage(cx, portal)
  await updatePortal(cx, portal.team.owner.caller, portal.id, { name: 'x', subdomain: portal.subdomain })
  await makeFile(cx, pkg)
  await finalizePackage(cx, pkg.manager, pkg.id)
  const links = await cx.db.rows<{ email: string }>(sql`select email from links where package_id = ${pkg.id}`)
  assert.deepEqual(links, [{ email: 'a@example.test' }])
})
