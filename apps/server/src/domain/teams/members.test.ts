import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiKey } from '#domain/api-keys/create-api-key'
import { identifyByKey } from '#domain/access/identify'
import { readPackage } from '#domain/packages/read-package'
import { sql } from '#platform/db'
import { testCx } from '#test-kit/cx'
import { callerFor, makeMember, makePackage, makeTeam } from '#test-kit/make'
import { race } from '#test-kit/race'
import { listMembers, removeMember, updateMember } from './members.ts'

const membershipOf = async (cx: Awaited<ReturnType<typeof testCx>>, teamId: string, userId: string) =>
  (await cx.db.row<{ id: string }>(sql`select id from memberships where team_id = ${teamId} and user_id = ${userId}`))
    ?.id ?? ''

test('an Owner changes roles, an Admin does not touch Owners', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const admin = await makeMember(cx, team.id, 'admin')
  const member = await makeMember(cx, team.id, 'member')
  const owners = await membershipOf(cx, team.id, team.owner.userId)
  const members = await membershipOf(cx, team.id, member.userId)

  assert.equal(
    (await updateMember(cx, team.owner.caller, team.id, members, 'integration_manager')).policy_key,
    'integration_manager',
  )
  await assert.rejects(updateMember(cx, admin.caller, team.id, owners, 'member'), { code: 'insufficient_role' })
  await assert.rejects(updateMember(cx, admin.caller, team.id, members, 'owner'), { code: 'insufficient_role' })
  await assert.rejects(listMembers(cx, member.caller, team.id), { code: 'insufficient_role' })
})

test('the last Owner stays, whether demoted or removed', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const only = await membershipOf(cx, team.id, team.owner.userId)

  await assert.rejects(updateMember(cx, team.owner.caller, team.id, only, 'admin'), { code: 'last_owner' })
  await assert.rejects(removeMember(cx, team.owner.caller, team.id, only), { code: 'last_owner' })
  assert.equal((await listMembers(cx, team.owner.caller, team.id)).length, 1)
})

test('of two Owners who step down at once, the second is told that they are the last', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const other = await makeMember(cx, team.id, 'owner')
  const [first, second] = [
    await membershipOf(cx, team.id, team.owner.userId),
    await membershipOf(cx, team.id, other.userId),
  ]

  const calls = await race(
    cx,
    (held) => updateMember(held, team.owner.caller, team.id, first, 'member'),
    (free) => updateMember(free, other.caller, team.id, second, 'member'),
  )

  assert.equal((await calls.first).policy_key, 'member')
  await assert.rejects(calls.second, { code: 'last_owner' })
})

test('a removed member loses keys and tokens at once', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const admin = await makeMember(cx, team.id, 'admin')
  const { key } = await createApiKey(cx, admin.caller, team.id, { state: 'active' })
  const pkg = await makePackage(cx, { team })
  const manage = await callerFor(cx, pkg, 'manage', { userId: admin.userId })
  assert.equal((await readPackage(cx, manage, pkg.id)).id, pkg.id)

  await removeMember(cx, team.owner.caller, team.id, await membershipOf(cx, team.id, admin.userId))

  await assert.rejects(identifyByKey(cx, key), { code: 'credential_invalid' })
  await assert.rejects(readPackage(cx, manage, pkg.id), { code: 'token_revoked' })
  await assert.rejects(listMembers(cx, admin.caller, team.id), { code: 'team_not_found' })
})

test('a member of another Team is not found', async (t) => {
  const cx = await testCx(t)
  const [team, other] = [await makeTeam(cx), await makeTeam(cx)]
  const foreign = await membershipOf(cx, other.id, other.owner.userId)

  await assert.rejects(removeMember(cx, team.owner.caller, team.id, foreign), { code: 'member_not_found' })
  await assert.rejects(removeMember(cx, team.owner.caller, other.id, foreign), { code: 'team_not_found' })
  assert.equal((await listMembers(cx, other.owner.caller, other.id)).length, 1)
})
