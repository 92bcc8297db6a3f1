import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { CallInput } from '@longshore/client/client'
import { whoAmI } from '@longshore/contract/cloud/account'
import * as wire from '@longshore/contract/cloud/api-keys'
import { zeroTime } from '@longshore/contract/limits'
import { type AnyInput, refused, show, use } from '#calls'
import { changeRole, makeMember, type Member, removeMember } from '#members'
import { suspendKey } from '#operator'
import { test } from '#record'
import { target } from '#target'
import { makePackage } from '#walk'

const owner = { as: { userToken: target.user_token } }
const team = { team_id: target.team_id }
const byMember = (member: Member) => ({ as: { userToken: member.token } })
type Fields = Partial<CallInput<typeof wire.createApiKey>['body']>

const make = (fields: Fields = {}, how = owner) =>
  use(wire.createApiKey, { params: team, body: { state: 'active', ...fields } }, how)
const of = (key: { readonly id: string }) => ({ api_key_id: key.id })
const listed = async (id: string, how = owner) =>
  (await use(wire.listApiKeys, { params: team }, how)).find((key) => key.id === id)

test('a new key shows its secret once, works at once, and notes when it was used', async () => {
  const body = { name: 'render farm', description: 'two\nlines', state: 'active' as const }
  const { key, ...rest } = await show(wire.createApiKey, { params: team, body }, owner)
  assert.match(key, /^lsk_[\w-]{43}$/)
  const { id: _, created_at: __, updated_at: ___, ...fields } = rest
  assert.deepEqual(fields, { ...body, expiry: zeroTime, last_request_at: zeroTime })
  assert.deepEqual(await listed(rest.id), rest)

  await makePackage({}, { apiKey: key })
  const used = await listed(rest.id)
  assert.ok(Math.abs(Date.parse(used?.last_request_at ?? '') - Date.now()) < 60_000)
  assert.deepEqual({ ...used, last_request_at: zeroTime }, rest)
})

test('no reply but that of creation ever holds the secret', async () => {
  const key = await make()
  const changed = await show(wire.updateApiKey, { params: of(key), body: { state: 'active', name: 'n' } }, owner)
  const all = await show(wire.listApiKeys, { params: team }, owner)
  assert.ok(all.some(({ id }) => id === key.id))
  for (const text of [JSON.stringify(changed), JSON.stringify(all)]) {
    assert.equal(text.includes(key.key), false)
    assert.equal(text.includes('"key"'), false)
  }
})

test('an update changes what it names and keeps the rest', async () => {
  const key = await make({ name: 'before', description: 'kept', expiry: '2040-01-01T00:00:00.000Z' })
  const changed = await show(wire.updateApiKey, { params: of(key), body: { name: 'after', state: 'inactive' } }, owner)
  const { key: _, ...before } = key
  assert.deepEqual({ ...changed, updated_at: '' }, { ...before, name: 'after', state: 'inactive', updated_at: '' })
})

test('an expiry is kept to the millisecond in UTC, and the zero time means none', async () => {
  const key = await make({ expiry: '2031-05-06T07:08:09.123+02:00' })
  assert.equal(key.expiry, '2031-05-06T05:08:09.123Z')
  await use(whoAmI, {}, { as: { apiKey: key.key } })
  const body = { state: 'active' as const, expiry: zeroTime }
  const forever = await show(wire.updateApiKey, { params: of(key), body }, owner)
  assert.equal(forever.expiry, zeroTime)
  await use(whoAmI, {}, { as: { apiKey: key.key } })
})

test('a key that expired a second ago is refused as expired', async () => {
  const key = await make({ expiry: new Date(Date.now() - 1_000).toISOString() })
  await refused(whoAmI, {}, { as: { apiKey: key.key } }, 'token_expired')
  await use(wire.updateApiKey, { params: of(key), body: { state: 'active', expiry: zeroTime } }, owner)
  await use(whoAmI, {}, { as: { apiKey: key.key } })
})

test('an expiry that is no date-time with a zone is refused', async () => {
  for (const expiry of [
    '2031-05-06T07:08:09',
    '2031-05-06',
    '0000-01-01T00:00:00Z',
    '275760-09-13T00:00:00Z',
    '2031-02-30T00:00:00Z',
    '2031-05-06T07:08:09Z'.padEnd(1_000, '0'),
    'tomorrow',
    1_900_000_000,
    null,
  ]) {
    await refused(wire.createApiKey, { params: team, body: { state: 'active', expiry } }, owner, 'validation_failed')
  }
})

test('a key is switched off and on by the action calls', async () => {
  const key = await make()
  const as = { as: { apiKey: key.key } }
  await show(wire.switchApiKey, { params: { ...of(key), action: 'inactive' } }, owner)
  await refused(whoAmI, {}, as, 'api_key_inactive')
  assert.equal((await listed(key.id))?.state, 'inactive')
  await show(wire.switchApiKey, { params: { ...of(key), action: 'active' } }, owner)
  await use(whoAmI, {}, as)
})

test('nobody suspends a key by these calls, and a suspended one stays as it is', async () => {
  const key = await make()
  const suspended = { state: 'suspended' }
  await refused(wire.createApiKey, { params: team, body: suspended }, owner, 'validation_failed')
  await refused(wire.updateApiKey, { params: of(key), body: suspended }, owner, 'validation_failed')
  const action = { params: { ...of(key), action: 'suspended' } }
  await refused(wire.switchApiKey, action, owner, 'validation_failed')

  await suspendKey(key.id)
  await refused(whoAmI, {}, { as: { apiKey: key.key } }, 'api_key_inactive')
  const activate = { params: { ...of(key), action: 'active' } }
  await refused(wire.switchApiKey, activate, owner, 'api_key_suspended')
  const body = { state: 'active', name: 'renamed' }
  await refused(wire.updateApiKey, { params: of(key), body }, owner, 'api_key_suspended')
  const after = await listed(key.id)
  assert.deepEqual([after?.state, after?.name], ['suspended', ''])
})

test('a deleted key is refused from then on', async () => {
  const key = await make()
  await show(wire.deleteApiKey, { params: of(key) }, owner)
  await refused(whoAmI, {}, { as: { apiKey: key.key } }, 'credential_invalid')
  await refused(wire.deleteApiKey, { params: of(key) }, owner, 'api_key_not_found')
  assert.equal(await listed(key.id), undefined)
})

test('what the server decides is not taken from the caller', async () => {
  const body = { state: 'active', id: randomUUID(), key: 'lsk_chosen', created_at: zeroTime, team_id: randomUUID() }
  const key = await use(wire.createApiKey, { params: team, body } as never, owner)
  assert.notEqual(key.id, body.id)
  assert.notEqual(key.key, body.key)
  assert.ok(await listed(key.id))
  await refused(whoAmI, {}, { as: { apiKey: 'lsk_chosen' } }, 'credential_invalid')
})

test('fields of the wrong type or length are refused with their names', async () => {
  const wrong: readonly [AnyInput['body'], string][] = [
    [{}, 'state'],
    [{ state: 'ACTIVE' }, 'state'],
    [{ state: 'active', name: 'x'.repeat(201) }, 'name'],
    [{ state: 'active', name: 5 }, 'name'],
    [{ state: 'active', name: 'a\u001b[31m' }, 'name'],
    [{ state: 'active', description: 'x'.repeat(2_001) }, 'description'],
  ]
  for (const [body, field] of wrong) {
    const { details } = await refused(wire.createApiKey, { params: team, body }, owner, 'validation_failed')
    assert.equal(details?.[0]?.field, field)
  }
})

test('an Owner sees and changes all keys, Admins and Integration Managers their own', async () => {
  const ofOwner = await make({ name: 'of the owner' })
  for (const role of ['admin', 'integration_manager'] as const) {
    const member = await makeMember(role)
    const own = await make({ name: 'own' }, byMember(member))
    const seen = await show(wire.listApiKeys, { params: team }, byMember(member))
    assert.deepEqual(
      seen.map(({ id }) => id),
      [own.id],
    )
    await show(wire.updateApiKey, { params: of(own), body: { state: 'active', name: 'mine' } }, byMember(member))
    const foreign = { params: of(ofOwner), body: { state: 'inactive', name: 'theirs' } }
    await refused(wire.updateApiKey, foreign, byMember(member), 'insufficient_role')
    const off = { params: { ...of(ofOwner), action: 'inactive' } }
    await refused(wire.switchApiKey, off, byMember(member), 'insufficient_role')
    await refused(wire.deleteApiKey, { params: of(ofOwner) }, byMember(member), 'insufficient_role')
    assert.ok(await listed(own.id))
    await show(wire.deleteApiKey, { params: of(own) }, owner)
  }
  assert.deepEqual([(await listed(ofOwner.id))?.name, (await listed(ofOwner.id))?.state], ['of the owner', 'active'])
})

test('a plain member has nothing to do with keys', async () => {
  const member = byMember(await makeMember('member'))
  const key = await make()
  await refused(wire.createApiKey, { params: team, body: { state: 'active' } }, member, 'insufficient_role')
  await refused(wire.listApiKeys, { params: team }, member, 'insufficient_role')
  await refused(wire.deleteApiKey, { params: of(key) }, member, 'insufficient_role')
  assert.ok(await listed(key.id))
})

test('a key acts with the role its creator has at the time, and ends when they leave', async () => {
  const member = await makeMember('admin')
  const key = await make({}, byMember(member))
  await changeRole(member, 'member')
  await makePackage({}, { apiKey: key.key })
  await removeMember(member)
  await refused(whoAmI, {}, { as: { apiKey: key.key } }, 'credential_invalid')
  await refused(wire.listApiKeys, { params: team }, byMember(member), 'team_not_found')
})
