/**
 * The numbered security cases about Teams, Portals, forms and tokens (B1, B2, B3, B7, B10). Those about webhooks (B6) and
 * mail (176–178) stand with their tests; the matrix has every route with every credential besides.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { whoAmI } from '@longshore/contract/cloud/account'
import { createApiKey, listApiKeys, updateApiKey } from '@longshore/contract/cloud/api-keys'
import { addFile, chunkRequests, fileUrl, finalizeFile, listFiles } from '@longshore/contract/cloud/files'
import { answerForm, createForm, packageMetadata, updateForm } from '@longshore/contract/cloud/forms'
import { createLink, deleteLink, lookUpLink } from '@longshore/contract/cloud/links'
import {
  createPortalPackage,
  createTeamPackage,
  deletePackage,
  finalizePackage,
  readPackage,
  setPackageExpiry,
  updatePackage,
} from '@longshore/contract/cloud/packages'
import {
  createPortal,
  deletePortal,
  listPortals,
  lookUpPortal,
  readPortal,
  updatePortal,
} from '@longshore/contract/cloud/portals'
import { addSpaceMembers, createSpace, readSpace } from '@longshore/contract/cloud/spaces'
import { createTag, deleteTag } from '@longshore/contract/cloud/tags'
import { removeMember as removeMembership } from '@longshore/contract/cloud/team'
import { ask, errorOf, refused, use } from '#calls'
import { makeMember, type Member } from '#members'
import { packageToken, userToken } from '#mint'
import { answer, inPortal, makeForm, makePortal, newForm, newPackage, newPortal, sender, sendTo } from '#portals'
import { test } from '#record'
import { makeSceneApart, makeScene } from '#scene'
import { target } from '#target'
import {
  add,
  finalize,
  inFile,
  inPackage,
  makeLink,
  makePackage,
  makeSent,
  managing,
  readTokenOf,
  someName,
  upload,
} from '#walk'

const [a, b] = [await makeScene(), await makeSceneApart()]
const byOwner = { as: { userToken: a.owner.token } }
const byKey = { as: { apiKey: a.key.key } }
// For the Portals of the target Team.
const byTarget = { as: { apiKey: target.api_key } }
const by = (member: Member) => ({ as: { userToken: member.token } })
const inA = { team_id: a.teamId }
const inB = { team_id: b.teamId }
const fields = { name: 'x', description: '', recipients: [] }

test("cases 2, 3, 5: another Team's packages, keys, tags and Portals do not exist", async () => {
  await refused(createTeamPackage, { params: inB, body: fields }, byKey, 'team_not_found')
  const change = { params: { api_key_id: b.key.id }, body: { state: 'inactive' } }
  await refused(updateApiKey, change, byOwner, 'api_key_not_found')
  await refused(deleteTag, { params: { tag_id: b.tag.id } }, byKey, 'tag_not_found')
  await refused(listPortals, { params: inB, query: {} }, byKey, 'team_not_found')
  assert.equal(
    (await use(listApiKeys, { params: inB }, by(b.owner))).find(({ id }) => id === b.key.id)?.state,
    'active',
  )
})

test('case 4: an Admin does not edit a key that the Owner created', async () => {
  const admin = await makeMember('admin', a.teamId)
  const change = { params: { api_key_id: a.key.id }, body: { state: 'inactive' } }
  await refused(updateApiKey, change, by(admin), 'insufficient_role')
})

test("case 6: another Team's tag id attaches nothing and says nothing", async () => {
  const pkg = await use(createTeamPackage, { params: inA, body: { ...fields, tag: { id: b.tag.id } } }, byKey)
  assert.equal(pkg.tag, undefined)
})

test('cases 7, 9, 10: a Portal and a form take no Teamspace, webhook or template of another Team', async () => {
  const make = (more: object) => ({ params: inA, body: { ...newPortal(), ...more } })
  await refused(createPortal, make({ teamspace_id: b.space.id }), byOwner, 'validation_failed')
  await refused(createPortal, make({ custom_webhooks: [{ id: b.hook.id }] }), byOwner, 'validation_failed')
  await refused(createPortal, make({ access_list: [b.mate.membership_id] }), byOwner, 'validation_failed')
  const put = { ...newPortal({ subdomain: a.portal.subdomain }), custom_webhooks: [{ id: b.hook.id }] }
  await refused(updatePortal, { params: { portal_id: a.portal.id }, body: put }, byOwner, 'validation_failed')
  const read = await use(readPortal, { params: { portal_id: a.portal.id } }, byOwner)
  assert.deepEqual(read.custom_webhooks, [])
  const form = { params: { portal_id: a.portal.id }, body: { ...newForm(), form_template_id: b.template.id } }
  await refused(createForm, form, byOwner, 'validation_failed')
})

test("case 8: another Team's members are not added, and nobody with them", async () => {
  const space = await use(createSpace, { params: inA, body: { name: 'Edit' } }, byOwner)
  const body = { membership_ids: [a.mate.membership_id, b.mate.membership_id] }
  await refused(addSpaceMembers, { params: { space_id: space.id }, body }, byOwner, 'validation_failed')
  assert.deepEqual((await use(readSpace, { params: { space_id: space.id } }, byOwner)).members, [])
})

test('cases 11, 12: an answer is good for its own Portal, once', async () => {
  const [portal, elsewhere] = [await makePortal(), await makePortal()]
  await makeForm(portal)
  await makeForm(elsewhere)
  const response = await answer(portal, { scene: { value: '1' } })
  const sending = (to: { id: string }) => ({ params: inPortal(to), body: newPackage({ form_data_id: response.id }) })
  await refused(createPortalPackage, sending(elsewhere), sender(), 'validation_failed')
  await use(createPortalPackage, sending(portal), sender())
  await refused(createPortalPackage, sending(portal), sender(), 'form_response_used')
})

test('cases 13, 14, 33: a token opens its own package and files, and no other', async () => {
  const tokenOfA = managing(a.open.pkg)
  await refused(listFiles, { params: inPackage(b.open.pkg) }, tokenOfA, 'package_not_found')
  const mixed = { package_id: a.sent.pkg.id, file_id: b.sent.added.file.id }
  await refused(fileUrl, { params: mixed, query: {} }, { as: { packageToken: a.sent.readToken } }, 'file_not_found')
})

test('case 15: the upload of another file finalizes nothing', async () => {
  const pkg = await makePackage()
  const [one, two] = [await add(pkg, { size: 1 }), await add(pkg, { size: 1 })]
  const window = { query: { start: 0, count: 1 } }
  await use(chunkRequests, { params: inFile(one), ...window, body: { upload_id: 'upload-one' } }, managing(pkg))
  await use(chunkRequests, { params: inFile(two), ...window, body: { upload_id: 'upload-two' } }, managing(pkg))
  const etag = 'd41d8cd98f00b204e9800998ecf8427e'
  const body = { chunk_extras: [{ part_number: 1, etag }], file_extras: { upload_id: 'upload-two' }, size: 1 }
  await refused(finalizeFile, { params: inFile(one), body }, managing(pkg), 'upload_mismatch')
})

test('case 16: the secret of another link is a wrong secret', async () => {
  const query = { secret: b.sent.link.secret }
  const foreign = await ask(lookUpLink, { params: { link_id: a.sent.link.id }, query })
  const wrong = await ask(lookUpLink, { params: { link_id: a.sent.link.id }, query: { secret: 'wrong' } })
  const unknown = await ask(lookUpLink, { params: { link_id: randomUUID() }, query })
  const told = [foreign, wrong, unknown].map((one) => [one.status, errorOf(one).error, errorOf(one).message])
  assert.deepEqual(told[1], told[0])
  assert.deepEqual(told[2], told[0])
})

test('case 17: a private Portal is in no list and no total of who is not on its access list', async () => {
  const member = await makeMember('member', a.teamId)
  const name = someName('hidden')
  const space = await use(createSpace, { params: inA, body: { name: 'Closed' } }, byOwner)
  const secret = { access_level: 'private', access_code: 'code' } as const
  for (const more of [{}, { teamspace_id: space.id }]) await makePortal({ name, ...secret, ...more }, byOwner, a.teamId)
  const look = (who: object) => use(listPortals, { params: inA, query: { name } }, who)
  assert.equal((await look(byOwner)).metadata.total, 2)
  assert.deepEqual(await look(by(member)), { metadata: { total: 0 }, records: [] })
  const bySpace = { params: inA, query: { teamspaces: [space.id] } }
  assert.deepEqual(await use(listPortals, bySpace, by(member)), { metadata: { total: 0 }, records: [] })
})

test('case 20: a removed user is out with keys and tokens at once', async () => {
  const admin = await makeMember('admin', a.teamId)
  const key = await use(createApiKey, { params: inA, body: { state: 'active' } }, by(admin))
  const pkg = await makePackage({}, { apiKey: key.key }, a.teamId)
  await use(removeMembership, { params: { ...inA, membership_id: admin.membership_id } }, byOwner)
  await refused(whoAmI, {}, { as: { apiKey: key.key } }, 'credential_invalid')
  await refused(createTag, { params: inA, body: { name: 'x' } }, by(admin), 'team_not_found')
  await refused(readPackage, { params: inPackage(pkg) }, managing(pkg), 'token_revoked')
})

test('cases 21-24: one kind of credential is never taken for another', async () => {
  const pkg = a.open.pkg
  const at = { params: inPackage(pkg) }
  await refused(readPackage, at, { as: { packageToken: a.owner.token } }, 'credential_invalid')
  await refused(whoAmI, {}, { as: { userToken: pkg.access_token } }, 'credential_invalid')
  await refused(listApiKeys, { params: inA }, byKey, 'credential_missing')
  await refused(listApiKeys, { params: inA }, { as: { userToken: a.key.key } }, 'credential_invalid')
})

test('cases 25-27: a write token fills its package and does nothing else', async () => {
  const portal = await makePortal()
  const pkg = await sendTo(portal)
  const at = { params: inPackage(pkg) }
  const token = managing(pkg)
  await refused(createLink, { ...at, body: {} }, token, 'token_level_insufficient')
  await refused(setPackageExpiry, { ...at, body: { unlimited_storage: true } }, token, 'token_level_insufficient')
  await refused(deletePackage, at, token, 'token_level_insufficient')
  await refused(packageMetadata, at, token, 'token_level_insufficient')
  const added = await upload(pkg, Buffer.from('x'))
  await refused(fileUrl, { params: inFile(added), query: {} }, token, 'token_level_insufficient')
  await finalize(pkg)
  const more = { kind: 'directory', name: 'late', path: '', last_modified: '2026-01-01T00:00:00Z' }
  await refused(addFile, { ...at, body: more }, token, 'package_not_new')
})

test('cases 28, 29: a read token reads, and a management token downloads nothing', async () => {
  const { pkg, added, readToken } = await makeSent()
  const reading = { as: { packageToken: readToken } }
  const at = { params: inPackage(pkg) }
  await refused(finalizePackage, at, reading, 'token_level_insufficient')
  await refused(updatePackage, { ...at, body: { name: 'x' } }, reading, 'token_level_insufficient')
  await refused(deletePackage, at, reading, 'token_level_insufficient')
  await refused(fileUrl, { params: inFile(added), query: {} }, managing(pkg), 'token_level_insufficient')
})

test('cases 30, 31: a read token ends with its link, also one that is used up, and with its package', async () => {
  const { pkg, added, link, readToken } = await makeSent()
  const reading = { as: { packageToken: readToken } }
  await use(deleteLink, { params: { package_id: pkg.id, link_id: link.id } }, managing(pkg))
  await refused(readPackage, { params: inPackage(pkg) }, reading, 'token_revoked')
  const full = await makeLink(pkg, { access_limit: 1 })
  const [first, late] = [await readTokenOf(full), await readTokenOf(full)]
  await use(fileUrl, { params: inFile(added), query: {} }, { as: { packageToken: first } })
  await refused(readPackage, { params: inPackage(pkg) }, { as: { packageToken: late } }, 'token_revoked')
  const other = await makeSent()
  await use(deletePackage, { params: inPackage(other.pkg) }, managing(other.pkg))
  const ended = { as: { packageToken: other.readToken } }
  await refused(readPackage, { params: inPackage(other.pkg) }, ended, 'package_expired')
})

test('case 38: a token in the query is no credential', async () => {
  const reply = await fetch(
    `${target.cloud_url}/v1/packages/${a.open.pkg.id}?X-Package-Token=${a.open.pkg.access_token}`,
  )
  assert.equal(reply.status, 401)
})

test('cases 39, 40: the code of one Portal opens no other, and neither does an empty or an endless one', async () => {
  const [portal, other] = [await makePortal({ access_code: 'one' }), await makePortal({ access_code: 'two' })]
  const at = { params: inPortal(portal), body: newPackage() }
  await use(createPortalPackage, { params: inPortal(other), body: newPackage() }, sender('two'))
  for (const code of ['two', '', 'x'.repeat(10_000), '%00']) {
    await refused(createPortalPackage, at, sender(code), 'access_code_wrong')
  }
  await use(createPortalPackage, at, sender('one'))
})

test('case 41: a password for a link that has none does nothing', async () => {
  const { link } = await makeSent()
  assert.ok(await readTokenOf(link, 'not needed'))
})

test('case 42: of 50 first downloads at once on a link for one, one succeeds', async () => {
  const { pkg, added } = await makeSent()
  const link = await makeLink(pkg, { access_limit: 1 })
  const tokens = await Promise.all(Array.from({ length: 50 }, () => readTokenOf(link)))
  const answers = await Promise.all(
    tokens.map((packageToken) => ask(fileUrl, { params: inFile(added), query: {} }, { as: { packageToken } })),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  assert.equal(answers.filter((one) => one.status === 410 && errorOf(one).error === 'link_locked').length, 49)
})

test('cases 43, 44: fields that only we set are not honoured', async () => {
  const pkg = await makePackage()
  const body = {
    name: pkg.name,
    state: 'finalized',
    size: 9,
    team_id: b.teamId,
    contains_virus: true,
    unlimited_storage: true,
    sender: 'other@example.test',
    id: randomUUID(),
  }
  const updated = await use(updatePackage, { params: inPackage(pkg), body }, managing(pkg))
  const { access_token: _, updated_at: __, ...rest } = updated
  const { access_token: ___, updated_at: ____, ...before } = pkg
  assert.deepEqual(rest, before)
  await refused(createApiKey, { params: inA, body: { state: 'suspended' } }, byOwner, 'validation_failed')
})

test('cases 45, 46: who knows a code changes nothing and sees no secret', async () => {
  const secrets = { access_code: 'the code', has_download_password: true, download_password: 'the password' }
  const portal = await makePortal({ ...secrets, recipients: ['rita@example.test'] })
  await refused(updatePortal, { params: inPortal(portal), body: newPortal() }, sender('the code'), 'credential_missing')
  const seen = JSON.stringify(await use(readPortal, { params: inPortal(portal) }, sender('the code')))
  for (const word of ['the code', 'the password', 'rita@', 'custom_webhooks', 'cloud_connections', 'access_list']) {
    assert.equal(seen.includes(word), false, word)
  }
})

test('cases 47, 58: names of prototypes do nothing, and NUL is refused', async () => {
  const body = JSON.parse(
    '{"name":"x","description":"","recipients":[],"__proto__":{"state":"finalized"},"constructor":{"prototype":{"a":1}}}',
  ) as typeof fields
  const pkg = await use(createTeamPackage, { params: inA, body }, byKey)
  assert.equal(pkg.state, 'new')
  const nul = { params: inA, body: { ...fields, name: 'a\u0000b' } }
  await refused(createTeamPackage, nul, byKey, 'malformed_request')
})

test('case 57: what a filter looks for is meant literally', async () => {
  const name = someName('100%_\\')
  await makePortal({ name }, byOwner, a.teamId)
  await makePortal({ name: someName('100 per cent') }, byOwner, a.teamId)
  const found = await use(listPortals, { params: inA, query: { name: '100%_\\' } }, byOwner)
  assert.deepEqual(
    found.records.map((portal) => portal.name),
    [name],
  )
})

test('case 145: a subdomain whose Portal was deleted answers like one that never was', async () => {
  const portal = await makePortal()
  await use(lookUpPortal, { params: { subdomain: portal.subdomain } })
  await use(deletePortal, { params: inPortal(portal) }, byTarget)
  const told = async (subdomain: string) => {
    const { error, message } = errorOf(await ask(lookUpPortal, { params: { subdomain } }))
    return [error, message.replace(subdomain, '…')]
  }
  const unknown = await told('nobody-has-this')
  assert.equal(unknown[0], 'portal_not_found')
  assert.deepEqual(await told(portal.subdomain), unknown)
})

test('cases 180-182: required answers, twice the same special field, and fields that cannot be changed', async () => {
  const portal = await makePortal()
  const special = { label: 'S', type: 'sender_email', visibility: 'optional' } as const
  const twice = {
    ...newForm(),
    fields: [
      { name: 'a', ...special },
      { name: 'b', ...special },
    ],
  }
  await refused(createForm, { params: inPortal(portal), body: twice }, byTarget, 'validation_failed')
  const form = await makeForm(portal, {
    fields: [
      { name: 'scene', label: 'Scene', type: 'short_text', visibility: 'required' },
      { name: 'fixed', label: 'Fixed', type: 'short_text', visibility: 'readonly', default_value: 'kept' },
      { name: 'secret', label: 'Secret', type: 'short_text', visibility: 'hidden', default_value: 'kept too' },
    ],
  })
  const at = { params: inPortal(portal) }
  for (const body of [{}, { scene: { value: '' } }, { scene: { value: '   ' } }]) {
    await refused(answerForm, { ...at, body }, sender(), 'form_field_required')
  }
  await refused(answerForm, { ...at, body: { scene: { value: null } } }, sender(), 'validation_failed')
  const given = {
    scene: { value: '1' },
    fixed: { value: 'changed' },
    secret: { value: 'changed' },
    unknown: { value: 'x' },
  }
  const response = await use(answerForm, { ...at, body: given }, sender())
  assert.deepEqual(
    response.fields.map(({ name, value }) => [name, value]),
    [
      ['scene', '1'],
      ['fixed', 'kept'],
      ['secret', 'kept too'],
    ],
  )
  const empty = { params: { form_id: form.id }, body: { name: 'x', delivery_formats: ['json'], fields: twice.fields } }
  await refused(updateForm, empty, byTarget, 'validation_failed')
})

test('a token that was minted for a Team that it does not belong to opens nothing', async () => {
  const forged = packageToken({ id: b.open.pkg.id, team_id: a.teamId }, 'manage')
  await refused(readPackage, { params: inPackage(b.open.pkg) }, { as: { packageToken: forged } }, 'package_not_found')
  await refused(whoAmI, {}, { as: { userToken: userToken(randomUUID()) } }, 'credential_invalid')
})
