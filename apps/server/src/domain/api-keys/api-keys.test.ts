import assert from 'node:assert/strict'
import { test } from 'node:test'
import { identifyByKey } from '#domain/access/identify'
import { sql } from '#platform/db'
import { setSuspended } from '#store/api-keys'
import { testCx, type TestCx } from '#test-kit/cx'
import { type MadeMember, makeMember, makeTeam } from '#test-kit/make'
import { race } from '#test-kit/race'
import { switchApiKey, updateApiKey } from './change-api-key.ts'
import { createApiKey } from './create-api-key.ts'
import { deleteApiKey } from './delete-api-key.ts'
import { listApiKeys } from './list-api-keys.ts'

const makeKey = (cx: TestCx, member: MadeMember, state: 'active' | 'inactive' = 'active') =>
  createApiKey(cx, member.caller, member.teamId, { name: 'k', state })

const suspend = (cx: TestCx, id: string, suspended = true) => cx.db.transaction((tx) => setSuspended(tx, id, suspended))

test('a key acts for its creator, in its Team alone, and is stored as a hash only', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const admin = await makeMember(cx, team.id, 'admin')
  const { key, id } = await makeKey(cx, admin)
  assert.match(key, /^lsk_[\w-]{43}$/)
  const { keyId, teamId, userId, role, email } = await identifyByKey(cx, key)
  assert.deepEqual([keyId, teamId, userId, role, email], [id, team.id, admin.userId, 'admin', admin.email])
  const [row] = await cx.db.rows<{ text: string }>(sql`select k::text as text from api_keys k`)
  assert.ok(row !== undefined && !row.text.includes(key) && !row.text.includes(Buffer.from(key).toString('hex')))
  const other = await makeTeam(cx)
  await assert.rejects(listApiKeys(cx, await identifyByKey(cx, key), other.id), { code: 'team_not_found' })
})

test('a key follows its creator’s role, and ends when they leave the Team', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const admin = await makeMember(cx, team.id, 'admin')
  const { key } = await makeKey(cx, admin)
  await cx.db.transaction((tx) => tx.run(sql`update memberships set role = 'member' where user_id = ${admin.userId}`))
  await assert.rejects(listApiKeys(cx, await identifyByKey(cx, key), team.id), { code: 'insufficient_role' })
  await cx.db.transaction((tx) => tx.run(sql`delete from memberships where user_id = ${admin.userId}`))
  await assert.rejects(identifyByKey(cx, key), { code: 'credential_invalid' })
})

test('an inactive, suspended, expired, deleted or unknown key lets nobody in', async (t) => {
  const cx = await testCx(t)
  const { owner } = await makeTeam(cx)
  const { key, id } = await makeKey(cx, owner, 'inactive')
  await assert.rejects(identifyByKey(cx, key), { code: 'api_key_inactive' })
  await switchApiKey(cx, owner.caller, id, 'active')
  await identifyByKey(cx, key)
  await suspend(cx, id)
  await assert.rejects(identifyByKey(cx, key), { code: 'api_key_inactive' })
  await suspend(cx, id, false)
  await cx.db.transaction((tx) => tx.run(sql`update api_keys set expiry = now()`))
  await assert.rejects(identifyByKey(cx, key), { code: 'token_expired' })
  await deleteApiKey(cx, owner.caller, id)
  await assert.rejects(identifyByKey(cx, key), { code: 'credential_invalid' })
  await assert.rejects(identifyByKey(cx, `${key}x`), { code: 'credential_invalid' })
})

test('members make no keys; the other roles do', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  for (const role of ['owner', 'admin', 'integration_manager'] as const) {
    await makeKey(cx, await makeMember(cx, team.id, role))
  }
  await assert.rejects(makeKey(cx, await makeMember(cx, team.id, 'member')), { code: 'insufficient_role' })
})

test('an Owner sees and changes every key of the Team, others their own', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const [admin, manager] = [
    await makeMember(cx, team.id, 'admin'),
    await makeMember(cx, team.id, 'integration_manager'),
  ]
  const [owners, admins] = [await makeKey(cx, team.owner), await makeKey(cx, admin)]
  const seen = async (member: MadeMember) =>
    (await listApiKeys(cx, member.caller, team.id)).map(({ id }) => id).toSorted()
  assert.deepEqual(await seen(team.owner), [owners.id, admins.id].toSorted())
  assert.deepEqual(await seen(admin), [admins.id])
  assert.deepEqual(await seen(manager), [])
  await updateApiKey(cx, team.owner.caller, admins.id, { name: 'renamed', state: 'active' })
  for (const attempt of [
    () => updateApiKey(cx, manager.caller, admins.id, { state: 'inactive' }),
    () => deleteApiKey(cx, admin.caller, owners.id),
  ]) {
    await assert.rejects(attempt(), { code: 'insufficient_role' })
  }
  const stranger = await makeTeam(cx)
  await assert.rejects(deleteApiKey(cx, stranger.owner.caller, admins.id), { code: 'api_key_not_found' })
  assert.deepEqual(
    new Map((await listApiKeys(cx, team.owner.caller, team.id)).map(({ id, name, state }) => [id, [name, state]])),
    new Map([
      [owners.id, ['k', 'active']],
      [admins.id, ['renamed', 'active']],
    ]),
  )
})

test('a suspended key is changed by nobody but the operator', async (t) => {
  const cx = await testCx(t)
  const { owner } = await makeTeam(cx)
  const { id } = await makeKey(cx, owner)
  await suspend(cx, id)
  await assert.rejects(switchApiKey(cx, owner.caller, id, 'active'), { code: 'api_key_suspended' })
  await assert.rejects(updateApiKey(cx, owner.caller, id, { name: 'x', state: 'active' }), {
    code: 'api_key_suspended',
  })
  assert.deepEqual(
    (await listApiKeys(cx, owner.caller, owner.teamId)).map(({ name, state }) => [name, state]),
    [['k', 'suspended']],
  )
})

test('suspend ∥ activate: the key stays suspended', async (t) => {
  const cx = await testCx(t)
  const { owner } = await makeTeam(cx)
  const { id } = await makeKey(cx, owner)
  const { first, second } = await race(
    cx,
    (cx) => suspend(cx, id),
    (cx) => switchApiKey(cx, owner.caller, id, 'active'),
  )
  await first
  await assert.rejects(second, { code: 'api_key_suspended' })
  assert.equal((await listApiKeys(cx, owner.caller, owner.teamId))[0]?.state, 'suspended')
})

test('the use of a key is noted, at most once a minute', async (t) => {
  const cx = await testCx(t)
  const { owner } = await makeTeam(cx)
  const { key, last_request_at } = await makeKey(cx, owner)
  assert.equal(last_request_at, '0001-01-01T00:00:00.000Z')
  const noted = async () => (await listApiKeys(cx, owner.caller, owner.teamId))[0]?.last_request_at
  await identifyByKey(cx, key)
  const first = await noted()
  assert.notEqual(first, last_request_at)
  await identifyByKey(cx, key)
  assert.equal(await noted(), first)
})

test('the same idempotency key answers the same secret again, and makes one key', async (t) => {
  const cx = await testCx(t)
  const { owner, id } = await makeTeam(cx)
  const once = { credential: 'user:1', key: 'k', request: 'r' }
  const create = () => createApiKey(cx, owner.caller, id, { state: 'active' }, once)
  assert.deepEqual(await create(), await create())
  assert.equal((await listApiKeys(cx, owner.caller, id)).length, 1)
})
