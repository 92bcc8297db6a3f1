import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '@longshore/kit/ids'
import { createSpace, deleteSpace } from '#domain/spaces/spaces'
import { sql } from '#platform/db'
import { portalById } from '#store/portals'
import { testCx, type TestCx } from '#test-kit/cx'
import { makeMember, makeTeam } from '#test-kit/make'
import { makePortal, makePortalPackage, makeWebhook, someSubdomain } from '#test-kit/make-portals'
import { race } from '#test-kit/race'
import { createPortal, deletePortal, updatePortal } from './manage-portals.ts'
import { readPortal } from './read-portal.ts'

const visit = { accessCode: undefined, address: '10.0.0.1' }

const countPortals = async (cx: TestCx) =>
  (await cx.db.row<{ n: number }>(sql`select count(*)::integer as n from portals`))?.n

test('a Portal by its name and subdomain alone has the defaults of the spec', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const made = await createPortal(cx, team.owner.caller, team.id, { name: 'Dailies', subdomain: 'dailies' })
  const { id, created_at, updated_at, ...rest } = made
  assert.deepEqual(rest, {
    name: 'Dailies',
    subdomain: 'dailies',
    url: 'http://dailies.longshore.test',
    message: '',
    active: false,
    has_access_code: false,
    terms_of_service_enabled: false,
    terms_of_service: {},
    package_size_restriction_enabled: false,
    max_package_size: 0,
    max_file_size: 0,
    max_file_count: 0,
    file_type_restriction_enabled: false,
    file_types: [],
    expiry_enabled: false,
    expiry: '0001-01-01T00:00:00.000Z',
    primary_color: '',
    logo_url: '',
    background_url: '',
    team_id: team.id,
    recipients: [],
    cc_recipients: [],
    disable_upload_receipt: false,
    has_download_password: false,
    custom_expiry_days: 0,
    cloud_connections: [],
    custom_webhooks: [],
    access_level: 'regular',
    access_list: [],
    teamspace_id: '',
    access_code: '',
    download_password: '',
  })
  assert.equal(created_at, updated_at)
  assert.deepEqual(await readPortal(cx, team.owner.caller, id, visit), made)
})

test('a Portal that is read and sent back whole stays as it is', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const member = await makeMember(cx, team.id, 'member')
  const webhook = await makeWebhook(cx, team.id)
  const space = await createSpace(cx, team.owner.caller, team.id, { name: 'Editors' })
  const made = await createPortal(cx, team.owner.caller, team.id, {
    name: 'Dailies',
    subdomain: someSubdomain(),
    message: 'Hello\nthere',
    active: true,
    has_access_code: true,
    access_code: 'sésame 1',
    recipients: ['a@example.test'],
    cc_recipients: ['b@example.test'],
    disable_upload_receipt: true,
    has_download_password: true,
    download_password: 'pässword',
    custom_expiry_days: 30,
    custom_webhooks: [{ id: webhook }],
    tag: { name: 'urgent' },
    access_level: 'private',
    access_list: [member.membershipId],
    teamspace_id: space.id,
    terms_of_service_enabled: true,
    terms_of_service: { title: 'Terms', text: 'Be kind.' },
    package_size_restriction_enabled: true,
    max_package_size: 2 ** 45,
    max_file_size: 10,
    max_file_count: 3,
    file_type_restriction_enabled: true,
    file_types: ['.JPG', 'png'],
    expiry_enabled: true,
    expiry: '2031-02-03T04:05:06.789+01:00',
    primary_color: '#A0b1C2',
    logo_url: 'https://example.test/logo.png',
    background_url: 'https://example.test/back.png',
  })
  assert.equal(made.expiry, '2031-02-03T03:05:06.789Z')
  assert.equal(made.tag?.name, 'urgent')
  const { updated_at, ...sent } = made
  const { updated_at: later, ...kept } = await updatePortal(cx, team.owner.caller, made.id, sent)
  assert.deepEqual(kept, sent)
  assert.ok(later >= updated_at)
})

test("what is left out of an update: the spec's fields get their defaults, ours stay", async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const member = await makeMember(cx, team.id, 'member')
  const webhook = await makeWebhook(cx, team.id)
  const { id, subdomain } = await makePortal(cx, {
    team,
    message: 'Hello',
    access_code: 'sesame',
    recipients: ['a@example.test'],
    cc_recipients: ['b@example.test'],
    disable_upload_receipt: true,
    has_download_password: true,
    download_password: 'secret',
    custom_expiry_days: 3,
    custom_webhooks: [{ id: webhook }],
    tag: { name: 'urgent' },
    access_list: [member.membershipId],
    max_file_count: 3,
    primary_color: '#123456',
    logo_url: 'https://example.test/logo.png',
    background_url: 'https://example.test/back.png',
  })
  const after = await updatePortal(cx, team.owner.caller, id, { name: 'Other', subdomain })
  assert.equal(after.active, false)
  assert.equal(after.message, '')
  assert.deepEqual(after.recipients, [])
  assert.equal(after.has_access_code, false)
  assert.equal(after.access_code, '')
  assert.equal(after.has_download_password, false)
  assert.equal(after.download_password, '')
  assert.equal(after.custom_expiry_days, 0)
  assert.equal(after.max_file_count, 0)
  assert.equal('tag' in after, false)
  assert.deepEqual(after.custom_webhooks, [{ id: webhook }])
  assert.deepEqual(after.access_list, [member.membershipId])
  assert.deepEqual(after.cc_recipients, ['b@example.test'])
  assert.equal(after.disable_upload_receipt, true)
  assert.equal(after.primary_color, '#123456')
  assert.equal(after.logo_url, 'https://example.test/logo.png')
  assert.equal(after.background_url, 'https://example.test/back.png')

  const emptied = { name: 'Other', subdomain, custom_webhooks: [], access_list: [], cc_recipients: [] }
  const bare = await updatePortal(cx, team.owner.caller, id, emptied)
  assert.deepEqual([bare.custom_webhooks, bare.access_list, bare.cc_recipients], [[], [], []])
})

test('a subdomain that another Portal has is refused, also when both come at once', async (t) => {
  const cx = await testCx(t)
  const [ours, theirs] = [await makeTeam(cx), await makeTeam(cx)]
  const fields = { name: 'Dailies', subdomain: 'dailies' }
  const { first, second } = await race(
    cx,
    (cx) => createPortal(cx, ours.owner.caller, ours.id, fields),
    (cx) => createPortal(cx, theirs.owner.caller, theirs.id, fields),
  )
  await first
  await assert.rejects(second, { code: 'subdomain_taken' })
  const other = await makePortal(cx, { team: theirs })
  await assert.rejects(updatePortal(cx, theirs.owner.caller, other.id, fields), { code: 'subdomain_taken' })
  assert.equal(await countPortals(cx), 2)
})

test('the subdomain of a deleted Portal is free again, and the Portal is gone for everybody', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx)
  const { caller } = portal.team.owner
  const pkg = await makePortalPackage(cx, portal)
  await deletePortal(cx, caller, portal.id)
  await assert.rejects(deletePortal(cx, caller, portal.id), { code: 'portal_not_found' })
  await assert.rejects(readPortal(cx, caller, portal.id, visit), { code: 'portal_not_found' })
  await assert.rejects(readPortal(cx, { kind: 'anonymous' }, portal.id, visit), { code: 'portal_not_found' })
  await makePortal(cx, { subdomain: portal.subdomain })
  const kept = await cx.db.row<{ state: string }>(sql`select state from packages where id = ${pkg.id}`)
  assert.equal(kept?.state, 'new')
})

test('reserved and disguised subdomains are refused', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  for (const subdomain of [
    'www',
    'api',
    'admin',
    'app',
    'mail',
    'static',
    'assets',
    'cdn',
    'xn--80ak6aa92e',
    'ab--cd',
  ]) {
    await assert.rejects(
      createPortal(cx, team.owner.caller, team.id, { name: 'x', subdomain }),
      { code: 'validation_failed' },
      subdomain,
    )
  }
  await createPortal(cx, team.owner.caller, team.id, { name: 'x', subdomain: 'my-api--x' })
})

test('what does not go together is refused, and nothing is made', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  await cx.db.transaction((tx) =>
    tx.run(sql`update teams set unlimited_storage_allowed = false, max_email_recipients = 1`),
  )
  const wrong = {
    'a private Portal without code': { access_level: 'private' },
    'a private Portal with its code switched off': {
      access_level: 'private',
      has_access_code: false,
      access_code: 'x',
    },
    'a code that is not there': { has_access_code: true },
    'an empty code': { has_access_code: true, access_code: '' },
    'a password that is not there': { has_download_password: true },
    'storage without end': { custom_expiry_days: -1 },
    'a closing time that is not there': { expiry_enabled: true },
    'a closing time of zero': { expiry_enabled: true, expiry: '0001-01-01T00:00:00.000Z' },
    'no type at all': { file_type_restriction_enabled: true },
    'a type that is a dot': { file_types: ['.'] },
    'too many recipients': { recipients: ['a@example.test', 'b@example.test'] },
    'too many further recipients': { cc_recipients: ['a@example.test', 'b@example.test'] },
    'a connection': { cloud_connections: [{ id: newId() }] },
  } as const
  for (const [what, fields] of Object.entries(wrong)) {
    const given = { name: 'x', subdomain: someSubdomain(), ...fields }
    await assert.rejects(createPortal(cx, team.owner.caller, team.id, given), { code: 'validation_failed' }, what)
  }
  assert.equal(await countPortals(cx), 0)
})

test('what belongs to another Team is refused, and nothing of it is attached', async (t) => {
  const cx = await testCx(t)
  const [ours, theirs] = [await makeTeam(cx), await makeTeam(cx)]
  const own = await makeWebhook(cx, ours.id)
  const portal = await makePortal(cx, { team: ours, custom_webhooks: [{ id: own }], access_list: [] })
  const space = await createSpace(cx, theirs.owner.caller, theirs.id, { name: 'Theirs' })
  const foreign = [
    { teamspace_id: space.id },
    { custom_webhooks: [{ id: await makeWebhook(cx, theirs.id) }] },
    { custom_webhooks: [{ id: own }, { id: newId() }] },
    { access_list: [ours.owner.membershipId, theirs.owner.membershipId] },
  ]
  for (const fields of foreign) {
    const given = { name: 'Taken over', subdomain: portal.subdomain, ...fields }
    await assert.rejects(updatePortal(cx, ours.owner.caller, portal.id, given), { code: 'validation_failed' })
    const fresh = { ...given, subdomain: someSubdomain() }
    await assert.rejects(createPortal(cx, ours.owner.caller, ours.id, fresh), { code: 'validation_failed' })
  }
  const row = await portalById(cx.db, portal.id)
  assert.equal(row?.name, 'Dailies')
  assert.deepEqual([row?.webhook_ids, row?.access_list, row?.teamspace_id], [[own], [], null])
  assert.equal(await countPortals(cx), 1)
})

test('a tag of another Team is not attached and not hinted at', async (t) => {
  const cx = await testCx(t)
  const theirs = await makePortal(cx, { tag: { name: 'urgent' } })
  const tag = (await portalById(cx.db, theirs.id))?.tag_id ?? ''
  const team = await makeTeam(cx)
  const made = await createPortal(cx, team.owner.caller, team.id, {
    name: 'x',
    subdomain: someSubdomain(),
    tag: { id: tag },
  })
  assert.equal('tag' in made, false)
})

test('a Portal keeps a Teamspace that was deleted, and cannot be given one', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const { caller } = team.owner
  const space = await createSpace(cx, caller, team.id, { name: 'Editors' })
  const portal = await makePortal(cx, { team, teamspace_id: space.id })
  const other = await makePortal(cx, { team })
  await deleteSpace(cx, caller, space.id)
  const given = { name: 'Still here', teamspace_id: space.id }
  const kept = await updatePortal(cx, caller, portal.id, { ...given, subdomain: portal.subdomain })
  assert.equal(kept.teamspace_id, space.id)
  await assert.rejects(updatePortal(cx, caller, other.id, { ...given, subdomain: other.subdomain }), {
    code: 'validation_failed',
  })
})

test('only Owners and Admins make, change and delete Portals; another Team finds none', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx)
  const fields = { name: 'x', subdomain: portal.subdomain }
  for (const role of ['integration_manager', 'member'] as const) {
    const { caller } = await makeMember(cx, portal.teamId, role)
    const fresh = { name: 'x', subdomain: someSubdomain() }
    await assert.rejects(createPortal(cx, caller, portal.teamId, fresh), { code: 'insufficient_role' })
    await assert.rejects(updatePortal(cx, caller, portal.id, fields), { code: 'insufficient_role' })
    await assert.rejects(deletePortal(cx, caller, portal.id), { code: 'insufficient_role' })
  }
  const stranger = (await makeTeam(cx)).owner.caller
  await assert.rejects(createPortal(cx, stranger, portal.teamId, fields), { code: 'team_not_found' })
  await assert.rejects(updatePortal(cx, stranger, portal.id, fields), { code: 'portal_not_found' })
  await assert.rejects(deletePortal(cx, stranger, portal.id), { code: 'portal_not_found' })
  await assert.rejects(updatePortal(cx, { kind: 'anonymous' }, portal.id, fields), { code: 'credential_missing' })
  const admin = await makeMember(cx, portal.teamId, 'admin')
  await updatePortal(cx, admin.caller, portal.id, fields)
})

test('neither code nor password stand in the table as they are', async (t) => {
  const cx = await testCx(t)
  const { id } = await makePortal(cx, {
    access_code: 'sesame-opens',
    has_download_password: true,
    download_password: 'sesame-loads',
  })
  const [row] = await cx.db.rows<{ all: string }>(sql`select o::text as all from portals o where id = ${id}`)
  for (const secret of ['sesame-opens', 'sesame-loads']) {
    assert.equal(row?.all.includes(secret), false)
    assert.equal(row?.all.includes(Buffer.from(secret).toString('hex')), false)
  }
})

test('two updates at once: the second keeps what the first wrote and it left out', async (t) => {
  const cx = await testCx(t)
  const { id, subdomain, team } = await makePortal(cx)
  const { first, second } = await race(
    cx,
    (cx) => updatePortal(cx, team.owner.caller, id, { name: 'First', subdomain, primary_color: '#111111' }),
    (cx) => updatePortal(cx, team.owner.caller, id, { name: 'Second', subdomain }),
  )
  await first
  const after = await second
  assert.deepEqual([after.name, after.primary_color], ['Second', '#111111'])
})
