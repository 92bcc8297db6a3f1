import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createTag, deleteTag } from '@longshore/contract/cloud/tags'
import { createSpace } from '@longshore/contract/cloud/spaces'
import * as wire from '@longshore/contract/cloud/portals'
import { readPackage } from '@longshore/contract/cloud/packages'
import { updateTeamSettings } from '@longshore/contract/cloud/team'
import { type AnyInput, ask, refused, replyOf, show, use } from '#calls'
import { ownAddress } from '#http'
import { makeMember, makeTeam } from '#members'
import {
  asOwner,
  inPortal,
  makeForm,
  makePortal,
  newPortal,
  type Portal,
  type PortalFields,
  sender,
  sendTo,
  someSubdomain,
} from '#portals'
import { test } from '#record'
import { setting, target } from '#target'
import { inPackage, managing, someName } from '#walk'

const team = { team_id: target.team_id }
const create = (body: unknown): AnyInput => ({ params: team, body })
const later = () => new Date(Date.now() + 3_600_000).toISOString()

const whole: Partial<PortalFields> = {
  message: 'Welcome.\nBe quick.',
  has_access_code: true,
  access_code: 'sésame & co',
  recipients: ['a@example.test', 'b@example.test'],
  cc_recipients: ['c@example.test'],
  disable_upload_receipt: true,
  has_download_password: true,
  download_password: 'pässword of links',
  custom_expiry_days: 20,
  tag: { name: 'urgent' },
  access_level: 'private',
  terms_of_service_enabled: true,
  terms_of_service: { title: 'Terms', text: 'Be kind.' },
  package_size_restriction_enabled: true,
  max_package_size: 1_000_000,
  max_file_size: 1_000,
  max_file_count: 10,
  file_type_restriction_enabled: true,
  file_types: ['.MOV', 'jpg'],
  expiry_enabled: true,
  primary_color: '#A0b1c2',
  logo_url: 'https://example.test/logo.png',
  background_url: 'https://example.test/back.png',
}

test('a Portal is made as it was described, read again, and sent back without a change', async () => {
  const fields = newPortal({ ...whole, expiry: later() })
  const made = await show(wire.createPortal, { params: team, body: fields }, asOwner)
  const { tag, ...rest } = fields
  for (const [name, value] of Object.entries(rest)) assert.deepEqual(made[name as keyof Portal], value, name)
  assert.equal(made.tag?.name, tag?.name)
  assert.ok(made.url.includes(made.subdomain))
  assert.deepEqual(await show(wire.readPortal, { params: inPortal(made) }, asOwner), made)
  const same = await show(wire.updatePortal, { params: inPortal(made), body: made }, asOwner)
  assert.deepEqual({ ...same, updated_at: '' }, { ...made, updated_at: '' })
})

test('what is left out gets its default at creation, and at an update what is ours stays', async () => {
  const bare = await show(
    wire.createPortal,
    { params: team, body: { name: 'Bare', subdomain: someSubdomain() } },
    asOwner,
  )
  assert.deepEqual(
    [bare.active, bare.has_access_code, bare.access_level, bare.recipients],
    [false, false, 'regular', []],
  )
  const made = await makePortal({ ...whole, expiry: later() })
  const body = { name: 'Changed', subdomain: made.subdomain }
  const after = await show(wire.updatePortal, { params: inPortal(made), body }, asOwner)
  assert.deepEqual(after, {
    ...bare,
    id: made.id,
    name: 'Changed',
    subdomain: made.subdomain,
    url: made.url,
    cc_recipients: made.cc_recipients,
    disable_upload_receipt: true,
    primary_color: made.primary_color,
    logo_url: made.logo_url,
    background_url: made.background_url,
    created_at: made.created_at,
    updated_at: after.updated_at,
  })
})

const wrong: readonly (readonly [string, Record<string, unknown>])[] = [
  ['name', { name: '' }],
  ['name', { name: 'a\nb' }],
  ['name', { name: 'x'.repeat(201) }],
  ...['ab', 'Upper', 'under_score', '-first', 'last-', 'dots.dots', 'ümlaut', 'x'.repeat(54), ''].map(
    (subdomain) => ['subdomain', { subdomain }] as const,
  ),
  ...['www', 'api', 'admin', 'app', 'mail', 'static', 'assets', 'cdn', 'xn--80ak6aa92e'].map(
    (subdomain) => ['subdomain', { subdomain }] as const,
  ),
  ['access_code', { access_level: 'private' }],
  ['access_code', { has_access_code: true }],
  ['access_code', { access_code: 'x'.repeat(73) }],
  ['download_password', { has_download_password: true }],
  ['access_level', { access_level: 'secret' }],
  ['recipients/0', { recipients: ['a@example.test\r\nBcc: b@example.test'] }],
  ['recipients', { recipients: ['a@example.test', 'a@example.test'] }],
  ['custom_expiry_days', { custom_expiry_days: -2 }],
  ['custom_expiry_days', { custom_expiry_days: 65_536 }],
  ['max_file_size', { max_file_size: -1 }],
  ['max_file_count', { max_file_count: '3' }],
  ['file_types', { file_type_restriction_enabled: true }],
  ['file_types/0', { file_types: ['.'] }],
  ['expiry', { expiry_enabled: true }],
  ['expiry', { expiry: '2030-01-01' }],
  ['primary_color', { primary_color: 'red;background:url(//e)' }],
  ['logo_url', { logo_url: 'javascript:alert(1)' }],
  ['teamspace_id', { teamspace_id: randomUUID() }],
  ['custom_webhooks', { custom_webhooks: [{ id: randomUUID() }] }],
  ['cloud_connections', { cloud_connections: [{ id: randomUUID() }] }],
  ['access_list', { access_list: [randomUUID()] }],
]

test('fields that cannot be are refused with their names, and change nothing', async () => {
  const portal = await makePortal()
  for (const [field, fields] of wrong) {
    const made = await refused(wire.createPortal, create({ ...newPortal(), ...fields }), asOwner, 'validation_failed')
    assert.equal(made.details?.[0]?.field, field, JSON.stringify(fields))
    const changed = { params: inPortal(portal), body: { ...newPortal({ subdomain: portal.subdomain }), ...fields } }
    await refused(wire.updatePortal, changed, asOwner, 'validation_failed')
  }
  assert.deepEqual(await use(wire.readPortal, { params: inPortal(portal) }, asOwner), portal)
})

test('a subdomain belongs to one Portal of all Teams', async () => {
  const portal = await makePortal()
  const other = await makeMember('owner', await makeTeam(someName('Rivals')))
  const how = { as: { userToken: other.token } }
  const taken = newPortal({ subdomain: portal.subdomain })
  const theirs = { params: { team_id: other.team_id }, body: taken }
  await refused(wire.createPortal, theirs, how, 'subdomain_taken')
  const second = await makePortal({}, how, other.team_id)
  await refused(wire.updatePortal, { params: inPortal(second), body: taken }, how, 'subdomain_taken')
  await use(wire.deletePortal, { params: inPortal(portal) }, asOwner)
  await show(wire.createPortal, theirs as never, how)
})

test("another Team's things cannot be attached", async () => {
  const other = await makeMember('owner', await makeTeam(someName('Rivals')))
  const space = await use(
    createSpace,
    { params: { team_id: other.team_id }, body: { name: 'Theirs' } },
    { as: { userToken: other.token } },
  )
  for (const fields of [{ teamspace_id: space.id }, { access_list: [other.membership_id] }]) {
    await refused(wire.createPortal, create({ ...newPortal(), ...fields }), asOwner, 'validation_failed')
  }
})

test('the same key makes a Portal once', async () => {
  const body = newPortal()
  const how = { ...asOwner, idempotencyKey: randomUUID() }
  const first = await show(wire.createPortal, { params: team, body }, how)
  assert.deepEqual(await show(wire.createPortal, { params: team, body }, how), first)
  await refused(wire.createPortal, create(newPortal()), how, 'idempotency_conflict')
})

const hidden = [
  'access_code',
  'download_password',
  'recipients',
  'cc_recipients',
  'custom_webhooks',
  'cloud_connections',
  'access_list',
  'team_id',
  'teamspace_id',
  'tag',
]

test('by access code and by subdomain one sees what is public and nothing else', async () => {
  const portal = await makePortal({ ...whole, expiry: later() })
  await makeForm(portal)
  const byCode = await ask(wire.readPortal, { params: inPortal(portal) }, sender('sésame & co'))
  const bySubdomain = await ask(wire.lookUpPortal, { params: { subdomain: portal.subdomain.toUpperCase() } })
  for (const { text, status } of [byCode, bySubdomain]) {
    assert.equal(status, 200, text)
    const seen = JSON.parse(text) as Record<string, unknown>
    for (const name of hidden) assert.equal(name in seen, false, name)
    for (const secret of ['sésame', 'pässword', 'example.test"', target.team_id]) {
      assert.equal(text.includes(secret), false, secret)
    }
    assert.deepEqual([seen['id'], seen['name'], seen['max_file_count']], [portal.id, portal.name, 10])
  }
  // What the form asks is for those who know the code.
  assert.equal(replyOf(wire.readPortal, byCode).custom_metadata?.[0]?.name, 'scene')
  assert.equal('custom_metadata' in replyOf(wire.lookUpPortal, bySubdomain), false)
  const open = await makePortal()
  await makeForm(open)
  assert.equal((await show(wire.lookUpPortal, { params: { subdomain: open.subdomain } })).custom_metadata?.length, 2)
  await show(wire.readPortal, { params: inPortal(open) }, sender('any code'))
})

test('a wrong, empty or missing code opens nothing, and another Portal has another', async () => {
  const portal = await makePortal({ access_code: 'sesame' })
  const other = await makePortal({ access_code: 'other' })
  const params = inPortal(portal)
  for (const code of ['wrong', '', 'other', 'SESAME', 'sesame\u0000', 'x'.repeat(10_000)]) {
    await refused(wire.readPortal, { params }, sender(code), 'access_code_wrong')
  }
  await refused(wire.readPortal, { params }, {}, 'credential_missing')
  await refused(wire.updatePortal, { params, body: newPortal() }, sender('sesame'), 'credential_missing')
  // Taken as it is where it is no valid encoding.
  const percent = await makePortal({ access_code: '100%' })
  const raw = { from: ownAddress(), headers: [['x-access-code', '100%']] as const }
  assert.equal((await ask(wire.readPortal, { params: inPortal(percent) }, raw)).status, 200)
  await use(wire.readPortal, { params: inPortal(other) }, sender('other'))
})

test('codes are tried ten times a minute, by Portal and by address', async () => {
  const portal = await makePortal({ access_code: 'sesame' })
  const params = inPortal(portal)
  for (let time = 0; time < 10; time += 1) {
    await refused(wire.readPortal, { params }, sender('wrong'), 'access_code_wrong')
  }
  await refused(wire.readPortal, { params }, sender('sesame'), 'rate_limited')

  const from = ownAddress()
  for (let time = 0; time < 10; time += 1) {
    const { id } = await makePortal({ access_code: 'sesame' })
    await refused(wire.readPortal, { params: { portal_id: id } }, { ...sender('wrong'), from }, 'access_code_wrong')
  }
  const fresh = inPortal(await makePortal({ access_code: 'sesame' }))
  await refused(wire.readPortal, { params: fresh }, { ...sender('sesame'), from }, 'rate_limited')
  await use(wire.readPortal, { params: fresh }, sender('sesame'))
})

test('a Portal that is closed is closed to those outside alone', async () => {
  const inactive = await makePortal({ active: false })
  const over = await makePortal({ expiry_enabled: true, expiry: new Date(Date.now() - 1_000).toISOString() })
  for (const [portal, name] of [
    [inactive, 'portal_inactive'],
    [over, 'portal_expired'],
  ] as const) {
    await refused(wire.readPortal, { params: inPortal(portal) }, sender(), name)
    await refused(wire.lookUpPortal, { params: { subdomain: portal.subdomain } }, {}, name)
    await use(wire.readPortal, { params: inPortal(portal) }, asOwner)
  }
})

test('what is not there is not found', async () => {
  const params = { portal_id: randomUUID() }
  await refused(wire.readPortal, { params }, asOwner, 'portal_not_found')
  await refused(wire.readPortal, { params }, sender(), 'portal_not_found')
  await refused(wire.updatePortal, { params, body: newPortal() }, asOwner, 'portal_not_found')
  await refused(wire.deletePortal, { params }, asOwner, 'portal_not_found')
  for (const subdomain of [someSubdomain(), '%00', '\u0000', "x'--", 'a.b']) {
    const answer = await ask(wire.lookUpPortal, { params: { subdomain } })
    assert.equal(answer.status, 404, answer.text)
  }
  await refused(wire.lookUpPortal, { params: { subdomain: someSubdomain() } }, {}, 'portal_not_found')
  await refused(wire.lookUpPortal, { params: { subdomain: 'x'.repeat(64) } }, {}, 'validation_failed')
})

test('a deleted Portal is gone, and its packages stay', async () => {
  const portal = await makePortal()
  const pkg = await sendTo(portal)
  await show(wire.deletePortal, { params: inPortal(portal) }, asOwner)
  await refused(wire.readPortal, { params: inPortal(portal) }, asOwner, 'portal_not_found')
  await refused(wire.lookUpPortal, { params: { subdomain: portal.subdomain } }, {}, 'portal_not_found')
  assert.equal((await use(readPackage, { params: inPackage(pkg) }, managing(pkg))).state, 'new')
})

test('codes and passwords are shown to owners and admins only', async () => {
  const portal = await makePortal({ ...whole, access_level: 'regular', expiry: later() })
  for (const [role, shown] of [
    ['owner', true],
    ['admin', true],
    ['integration_manager', false],
    ['member', false],
  ] as const) {
    const how = { as: { userToken: (await makeMember(role)).token } }
    const query = { subdomain: portal.subdomain }
    const seen = [
      await use(wire.readPortal, { params: inPortal(portal) }, how),
      (await use(wire.listPortals, { params: team, query }, how)).records[0],
    ]
    for (const one of seen) {
      assert.equal(one?.access_code, shown ? portal.access_code : undefined, role)
      assert.equal(one?.download_password, shown ? portal.download_password : undefined, role)
    }
  }
})

/** A Team with nothing in it, so that lists and totals are known. */
async function newTeam() {
  const owner = await makeMember('owner', await makeTeam(someName('Listed')))
  return { teamId: owner.team_id, how: { as: { userToken: owner.token } } }
}

test('the list has pages, sorts, filters and an exact total', async () => {
  const { teamId, how } = await newTeam()
  const params = { team_id: teamId }
  const tag = await use(createTag, { params, body: { name: 'urgent' } }, how)
  const space = await use(createSpace, { params, body: { name: 'Editors' } }, how)
  await makePortal({ name: 'beta 100%' }, how, teamId)
  await makePortal({ name: 'Alpha', active: false, tag: { id: tag.id } }, how, teamId)
  await makePortal({ name: 'gamma_x', teamspace_id: space.id }, how, teamId)
  const names = async (query: object) => {
    const { metadata, records } = await show(wire.listPortals, { params, query }, how)
    return [metadata.total, ...records.map((portal) => portal.name)]
  }
  assert.deepEqual(await names({}), [3, 'gamma_x', 'Alpha', 'beta 100%'])
  assert.deepEqual(await names({ sort: 'created_at' }), [3, 'beta 100%', 'Alpha', 'gamma_x'])
  assert.deepEqual(await names({ sort: 'name' }), [3, 'Alpha', 'beta 100%', 'gamma_x'])
  assert.deepEqual(await names({ sort: '-name', limit: 2 }), [3, 'gamma_x', 'beta 100%'])
  assert.deepEqual(await names({ sort: '-name', limit: 2, page: 2 }), [3, 'Alpha'])
  assert.deepEqual((await names({ sort: 'active', limit: 1 })).slice(1), ['Alpha'])
  assert.deepEqual(await names({ name: '%' }), [1, 'beta 100%'])
  assert.deepEqual(await names({ name: '_' }), [1, 'gamma_x'])
  assert.deepEqual(await names({ name: 'ALPH' }), [1, 'Alpha'])
  assert.deepEqual(await names({ name: '\\' }), [0])
  assert.deepEqual(await names({ tags: [tag.id, randomUUID()] }), [1, 'Alpha'])
  assert.deepEqual(await names({ teamspaces: [space.id] }), [1, 'gamma_x'])
  assert.deepEqual(await names({ page: 1_000_000 }), [3])
  await use(deleteTag, { params: { tag_id: tag.id } }, how)
  assert.deepEqual(await names({ tags: [tag.id] }), [0])
  const legacy = await show(wire.listPortalsLegacy, { params }, how)
  assert.deepEqual(
    legacy.map((portal) => portal.name),
    ['gamma_x', 'Alpha', 'beta 100%'],
  )
})

test('a list that cannot be is refused', async () => {
  for (const query of [
    { limit: 0 },
    { limit: 51 },
    { limit: 'x' },
    { page: 0 },
    { page: -1 },
    { page: 1e18 },
    { sort: 'subdomain' },
    { sort: '-created_at;drop' },
    { sort: '__proto__' },
    { name: 'x'.repeat(201) },
    { name: 'a\u0000b' },
    { tags: ['x'] },
  ]) {
    await refused(wire.listPortals, { params: team, query }, asOwner, 'validation_failed')
  }
  const params = { team_id: randomUUID() }
  await refused(wire.listPortals, { params }, asOwner, 'team_not_found')
  await refused(wire.listPortalsLegacy, { params }, asOwner, 'team_not_found')
  await refused(wire.createPortal, { params, body: newPortal() }, asOwner, 'team_not_found')
})

test('what a member may not see is in no list and no total, and cannot be read', async () => {
  const { teamId, how } = await newTeam()
  const params = { team_id: teamId }
  const member = await makeMember('member', teamId)
  const as = { as: { userToken: member.token } }
  const space = await use(createSpace, { params, body: { name: 'Editors' } }, how)
  const secret = { access_level: 'private', access_code: 'sesame' } as const
  await makePortal({ name: 'listed', ...secret, access_list: [member.membership_id] }, how, teamId)
  const regular = await makePortal({ name: 'regular', teamspace_id: space.id }, how, teamId)
  const closed = await makePortal({ name: 'private', ...secret }, how, teamId)
  const seen = async () => {
    const { metadata, records } = await use(wire.listPortals, { params, query: { sort: 'name' } }, as)
    const legacy = await use(wire.listPortalsLegacy, { params }, as)
    assert.deepEqual([metadata.total, legacy.length], [records.length, records.length])
    return records.map((portal) => portal.name)
  }
  assert.deepEqual(await seen(), ['listed', 'regular'])
  await refused(wire.readPortal, { params: inPortal(closed) }, as, 'portal_not_found')
  // A Teamspace neither hides a Portal nor opens one.
  await use(wire.readPortal, { params: inPortal(regular) }, as)
})

test('storage without end is for Teams that have it', async () => {
  const { teamId, how } = await newTeam()
  const params = { team_id: teamId }
  await makePortal({ custom_expiry_days: -1 }, how, teamId)
  await use(updateTeamSettings, { params, body: { unlimited_storage_allowed: false } }, how)
  const endless = { params, body: newPortal({ custom_expiry_days: -1 }) }
  await refused(wire.createPortal, endless, how, 'validation_failed')
})

test('the address of a Portal is where the operator said', async () => {
  const portal = await makePortal()
  assert.equal(portal.url, `${setting('LONGSHORE_PUBLIC_URL')}/p/${portal.subdomain}`)
})
