import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after } from 'node:test'
import {
  addFile,
  addFiles,
  chunkRequests,
  fileUrl,
  finalizeFile,
  finalizeFiles,
  listFiles,
} from '@longshore/contract/cloud/files'
import { packageMetadata } from '@longshore/contract/cloud/forms'
import { createLink, listLinks } from '@longshore/contract/cloud/links'
import * as wire from '@longshore/contract/cloud/packages'
import { updatePortal } from '@longshore/contract/cloud/portals'
import { createSpace } from '@longshore/contract/cloud/spaces'
import { ask, errorOf, refused, show, use } from '#calls'
import { ownAddress } from '#http'
import { claimsOf, now, packageToken } from '#mint'
import {
  answer,
  asOwner,
  inPortal,
  makeForm,
  makePortal,
  newPackage,
  newPortal,
  type Portal,
  type PortalFields,
  sender,
  sendTo,
} from '#portals'
import { test } from '#record'
import { startSecondServer } from '#second-server'
import { openUpload, store } from '#storage'
import { target } from '#target'
import {
  add,
  type AddedFile,
  finalize,
  inFile,
  inPackage,
  managing,
  newFile,
  type Package,
  someName,
  upload,
} from '#walk'

const cutOff = await startSecondServer({ LONGSHORE_S3_ENDPOINT: 'http://127.0.0.1:1' })
after(() => cutOff.stop())

const team = { team_id: target.team_id }
const send = (portal: { readonly id: string }, more: object = {}) => ({
  params: inPortal(portal),
  body: { ...newPackage(), ...more },
})
const manager = (pkg: Package) => ({ as: { packageToken: packageToken(pkg, 'manage', { usr: target.owner.id }) } })
const daysFromNow = (time: string) => Math.round((Date.parse(time) - Date.now()) / 86_400_000)

test('an outside sender gets a package that takes from its Portal what the sender does not see', async () => {
  const space = await use(createSpace, { params: team, body: { name: someName('Editors') } }, asOwner)
  const portal = await makePortal({
    access_code: 'sésame & co',
    recipients: ['a@example.test', 'b@example.test'],
    has_download_password: true,
    download_password: 'pässword of links',
    custom_expiry_days: 20,
    tag: { name: 'urgent' },
    teamspace_id: space.id,
  })
  const made = await show(wire.createPortalPackage, send(portal), sender('sésame & co'))
  assert.deepEqual(
    [made.portal_id, made.team_id, made.state, made.sender, made.size, made.total_files, made.custom_expiry],
    [portal.id, target.team_id, 'new', 'sender@example.test', 0, 0, true],
  )
  assert.deepEqual([made.tag?.name, made.teamspace], ['urgent', { id: space.id, name: space.name }])
  assert.equal(daysFromNow(made.expiry), 20)
  assert.deepEqual(['recipients' in made, 'password' in made], [false, false])
  const claims = claimsOf(made.access_token ?? '')
  assert.equal(claims['lvl'], 'write')
  assert.ok(Number(claims['exp']) - now() <= 30 * 86_400)

  const pkg = { ...made, access_token: made.access_token ?? '' }
  const managed = await use(wire.readPackage, { params: inPackage(pkg) }, manager(pkg))
  assert.deepEqual(managed.recipients, ['a@example.test', 'b@example.test'])
  assert.equal(managed.password, 'pässword of links')
  await upload(pkg, Buffer.from('Ahoy.'), { name: 'note.txt' })
  await finalize(pkg)
  const links = await use(listLinks, { params: inPackage(pkg) }, manager(pkg))
  assert.deepEqual(
    links.map(({ email, password }) => [email, password]),
    [
      ['a@example.test', '****'],
      ['b@example.test', '****'],
    ],
  )
})

test('days of a Portal: 0 as the Team has it, -1 without end', async () => {
  const asTeam = await sendTo(await makePortal())
  assert.deepEqual([daysFromNow(asTeam.expiry), asTeam.custom_expiry, asTeam.unlimited_storage], [10, false, false])
  const endless = await sendTo(await makePortal({ custom_expiry_days: -1 }))
  assert.deepEqual([endless.expiry, endless.unlimited_storage], ['0001-01-01T00:00:00.000Z', true])
})

test('a credential of the Team is not needed, not looked at, and no way around the code', async () => {
  const open = await makePortal()
  await show(wire.createPortalPackage, send(open), { from: ownAddress() })
  await show(wire.createPortalPackage, send(open), { from: ownAddress(), as: { apiKey: 'rubbish' } })
  const guarded = await makePortal({ access_code: 'sesame' })
  await refused(wire.createPortalPackage, send(guarded), asOwner, 'access_code_wrong')
})

test('no package without an open Portal and the right code', async () => {
  const guarded = await makePortal({ access_code: 'sesame' })
  for (const how of [{}, sender(), sender('wrong'), sender('x'.repeat(10_000))]) {
    await refused(wire.createPortalPackage, send(guarded), how, 'access_code_wrong')
  }
  await refused(wire.createPortalPackage, send({ id: randomUUID() }), sender(), 'portal_not_found')
  await refused(wire.createPortalPackage, send(await makePortal({ active: false })), sender(), 'portal_inactive')
  const past = new Date(Date.now() - 1_000).toISOString()
  const over = await makePortal({ expiry_enabled: true, expiry: past })
  await refused(wire.createPortalPackage, send(over), sender(), 'portal_expired')
})

test('fields of the wrong kind are refused with their names', async () => {
  const portal = await makePortal()
  for (const [field, more] of [
    ['name', { name: '' }],
    ['name', { name: 'a\r\nb' }],
    ['description', { description: 5 }],
    ['sender', { sender: 'a@b\r\nBcc: x@y' }],
    ['sender', { sender: 'a@b,c@d' }],
    ['sender', { sender: 'a@b (x) <c@d>' }],
    ['sender', { sender: '' }],
    ['form_data_id', { form_data_id: 'x' }],
    ['form_data_id', { form_data_id: randomUUID() }],
    ['chunk_size', { chunk_size: 5 }],
  ] as const) {
    const refusal = await refused(wire.createPortalPackage, send(portal, more), sender(), 'validation_failed')
    assert.equal(refusal.details?.[0]?.field, field, JSON.stringify(more))
  }
})

test('a form must be answered, at this Portal, once', async () => {
  const portal = await makePortal()
  const neighbour = await makePortal()
  for (const one of [portal, neighbour]) await makeForm(one)
  const missing = await refused(wire.createPortalPackage, send(portal), sender(), 'form_field_required')
  assert.equal(missing.details?.[0]?.field, 'form_data_id')
  const foreign = await answer(neighbour, { scene: { value: '1' } })
  const elsewhere = send(portal, { form_data_id: foreign.id })
  await refused(wire.createPortalPackage, elsewhere, sender(), 'validation_failed')
  const own = await answer(portal, { scene: { value: '1' } })
  const first = await show(wire.createPortalPackage, send(portal, { form_data_id: own.id }), sender())
  assert.equal(first.custom_metadata_id, own.id)
  await refused(wire.createPortalPackage, send(portal, { form_data_id: own.id }), sender(), 'form_response_used')

  const contested = await answer(portal, { scene: { value: '1' } })
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      ask(wire.createPortalPackage, send(portal, { form_data_id: contested.id }), { from: ownAddress() }),
    ),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(answers.filter(({ status }) => status === 409).length, 19)
})

test('the same key makes a package once', async () => {
  const portal = await makePortal()
  const how = { ...sender(), idempotencyKey: randomUUID() }
  const input = send(portal)
  const first = await show(wire.createPortalPackage, input, how)
  assert.deepEqual(await show(wire.createPortalPackage, input, how), first)
  await refused(wire.createPortalPackage, send(portal), how, 'idempotency_conflict')
})

test('the write token fills and finalizes its package, and nothing else', async () => {
  const portal = await makePortal({ recipients: ['secret@example.test'] })
  const pkg = await sendTo(portal)
  const other = await sendTo(portal)
  const params = inPackage(pkg)
  const added = await upload(pkg, Buffer.from('Ahoy.'), { name: 'note.txt' })
  const tooLittle = 'token_level_insufficient'
  await refused(createLink, { params, body: {} }, managing(pkg), tooLittle)
  await refused(listLinks, { params }, managing(pkg), tooLittle)
  await refused(wire.setPackageExpiry, { params, body: { unlimited_storage: true } }, managing(pkg), tooLittle)
  await refused(wire.deletePackage, { params }, managing(pkg), tooLittle)
  await refused(packageMetadata, { params }, managing(pkg), tooLittle)
  await refused(fileUrl, { params: inFile(added), query: {} }, managing(pkg), tooLittle)
  await refused(listFiles, { params }, managing(other), 'package_not_found')
  const read = await ask(wire.readPackage, { params }, managing(pkg))
  assert.equal(read.text.includes('secret@example.test'), false)
  // Nor does the Team put anything into what a sender sends.
  await refused(addFile, { params, body: newFile() }, manager(pkg), tooLittle)
  await use(wire.updatePackage, { params, body: { name: 'Renamed', recipients: ['x@example.test'] } }, managing(pkg))
  assert.deepEqual((await use(wire.readPackage, { params }, manager(pkg))).recipients, ['secret@example.test'])

  await finalize(pkg)
  await finalize(pkg)
  await refused(addFile, { params, body: newFile() }, managing(pkg), 'package_not_new')
  await refused(wire.updatePackage, { params, body: { name: 'Again' } }, managing(pkg), 'token_revoked')
})

const limited = (fields: Partial<PortalFields>) => makePortal({ package_size_restriction_enabled: true, ...fields })
const addTo = (pkg: Package, fields: Parameters<typeof newFile>[0]) => ({
  params: inPackage(pkg),
  body: newFile(fields),
})
const batchTo = (pkg: Package, ...files: Parameters<typeof newFile>[0][]) => ({
  params: inPackage(pkg),
  body: { files: files.map((fields) => newFile(fields)) },
})

test('files over the limits of the Portal are refused when they are added, one by one and in a batch', async () => {
  const pkg = await sendTo(await limited({ max_file_size: 100, max_package_size: 150, max_file_count: 3 }))
  const how = managing(pkg)
  await refused(addFile, addTo(pkg, { size: 101 }), how, 'file_too_large')
  await refused(addFiles, batchTo(pkg, { size: 1 }, { size: 101 }), how, 'file_too_large')
  await refused(addFiles, batchTo(pkg, { size: 100 }, { size: 51 }), how, 'package_too_large')
  await refused(addFiles, batchTo(pkg, {}, {}, {}, {}), how, 'package_too_large')
  const first = await use(addFile, addTo(pkg, { size: 100 }), how)
  await refused(addFile, addTo(pkg, { size: 51 }), how, 'package_too_large')
  await show(addFiles, batchTo(pkg, { size: 50 }, { size: 0 }, { kind: 'directory' }), how)
  await refused(addFile, addTo(pkg, { size: 0 }), how, 'package_too_large')
  assert.equal(first.file.size, 100)
  assert.equal((await use(listFiles, { params: inPackage(pkg) }, how)).filter(({ kind }) => kind === 'file').length, 3)
})

test('fifty files added at once are together never over the limit', async () => {
  const pkg = await sendTo(await limited({ max_package_size: 100 }))
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => ask(addFile, addTo(pkg, { size: 9 }), managing(pkg))),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 11)
  for (const reply of answers.filter(({ status }) => status !== 201)) {
    assert.equal(errorOf(reply).error, 'package_too_large')
  }
})

test('types that the Portal does not take are refused, however they are written', async () => {
  const pkg = await sendTo(await makePortal({ file_type_restriction_enabled: true, file_types: ['.MOV', 'jpg'] }))
  const how = managing(pkg)
  for (const name of ['a.php', 'a.PHP', 'a.jpg.php', 'a.php.', 'a.php ', 'a.php::$DATA', 'README', '.jpg', 'jpg']) {
    await refused(addFile, addTo(pkg, { name }), how, 'file_type_refused')
    await refused(addFiles, batchTo(pkg, { name: 'ok.mov' }, { name }), how, 'file_type_refused')
  }
  for (const name of ['a.mov', 'b.JPG', 'c.tar.jpg']) await use(addFile, addTo(pkg, { name }), how)
  assert.equal((await use(listFiles, { params: inPackage(pkg) }, how)).filter(({ kind }) => kind === 'file').length, 3)
})

/** Bytes in storage of a file whose size nobody announced, and the claim that finalizes it. */
async function sendUnannounced(pkg: Package, bytes: number) {
  const added: AddedFile = await add(pkg)
  const uploadId = await openUpload(added.create_blueprint)
  const wanted = { params: inFile(added), query: { start: 0, count: 1 }, body: { upload_id: uploadId } }
  const [blueprint] = await use(chunkRequests, wanted, managing(pkg))
  const etag = await store(blueprint, Buffer.alloc(bytes, 7))
  const body = { chunk_extras: [{ part_number: '1', etag }], file_extras: { upload_id: uploadId }, size: bytes }
  return { params: inFile(added), body }
}

test('files whose size was not announced are judged by their bytes when they are finalized', async () => {
  const pkg = await sendTo(await limited({ max_file_size: 50, max_package_size: 90 }))
  const how = managing(pkg)
  const [big, first, second] = [
    await sendUnannounced(pkg, 51),
    await sendUnannounced(pkg, 50),
    await sendUnannounced(pkg, 41),
  ]
  await refused(finalizeFile, big, how, 'file_too_large')
  await show(finalizeFile, first, how)
  await refused(finalizeFile, second, how, 'package_too_large')
  const many = [big, second].map(({ params, body }) => ({ file_id: params.file_id, ...body }))
  const { results } = await use(finalizeFiles, { params: inPackage(pkg), body: { files: many } }, how)
  assert.deepEqual(
    results.map(({ status, error }) => [status, error]),
    [
      [413, 'file_too_large'],
      [413, 'package_too_large'],
    ],
  )
  await refused(wire.finalizePackage, { params: inPackage(pkg) }, how, 'files_unfinished')
})

const change = (portal: Portal, fields: Partial<PortalFields>) =>
  use(updatePortal, { params: inPortal(portal), body: newPortal({ subdomain: portal.subdomain, ...fields }) }, asOwner)

test('a Portal that takes less by now does not get what it no longer takes', async () => {
  const portal = await makePortal()
  const pkg = await sendTo(portal)
  for (const size of [60, 50]) await upload(pkg, Buffer.alloc(size))
  const how = managing(pkg)
  await change(portal, { package_size_restriction_enabled: true, max_file_size: 59 })
  await refused(wire.finalizePackage, { params: inPackage(pkg) }, how, 'file_too_large')
  await change(portal, { package_size_restriction_enabled: true, max_package_size: 109 })
  await refused(wire.finalizePackage, { params: inPackage(pkg) }, how, 'package_too_large')
  await change(portal, {})
  await show(wire.finalizePackage, { params: inPackage(pkg) }, how)
})

test('while storage is away a package with a form is not finalized, and nothing has changed', async () => {
  const portal = await makePortal()
  await makeForm(portal)
  const response = await answer(portal, { scene: { value: '1' } })
  const pkg = await sendTo(portal, { form_data_id: response.id })
  await upload(pkg, Buffer.from('Ahoy.'), { name: 'note.txt' })
  const away = { ...managing(pkg), at: cutOff.url }
  await refused(wire.finalizePackage, { params: inPackage(pkg) }, away, 'storage_unavailable')
  assert.equal((await use(wire.readPackage, { params: inPackage(pkg) }, managing(pkg))).state, 'new')
  await finalize(pkg)
  const after = await use(wire.readPackage, { params: inPackage(pkg) }, managing(pkg))
  assert.deepEqual([after.state, after.total_files], ['finalized', 2])
})
