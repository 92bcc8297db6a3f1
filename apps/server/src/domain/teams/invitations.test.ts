import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword } from '#domain/accounts/passwords'
import { sql } from '#platform/db'
import { type TestCx, testCx } from '#test-kit/cx'
import { makeMember, makeTeam } from '#test-kit/make'
import { setPassword } from '#store/users'
import { invitationContext } from '#domain/notices/mail-invitation'
import { acceptInvitation, inviteMember } from './invitations.ts'
import { listMembers } from './members.ts'

/** The token that would be in the mail. */
async function mailedToken(cx: TestCx): Promise<string> {
  const order = await cx.db.row<{ data: { invitationId: string; tokenSealed: string } }>(sql`
    select data from queue.job where name = 'mail-invitation' order by created_on desc limit 1
  `)
  assert.ok(order !== undefined)
  return cx.box.open(invitationContext(order.data.invitationId), Buffer.from(order.data.tokenSealed, 'base64'))
}

const password = 'a good long password'

test('a new person gets an account and their role; the invitation works once', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  await inviteMember(cx, team.owner.caller, team.id, { email: 'New@Example.test', policy_key: 'admin' })
  const token = await mailedToken(cx)

  await assert.rejects(acceptInvitation(cx, token, { password }, '::1'), { code: 'validation_failed' })
  await assert.rejects(acceptInvitation(cx, token, { name: 'Nora', password: 'short' }, '::1'), {
    code: 'validation_failed',
  })
  const signedIn = await acceptInvitation(cx, token, { name: 'Nora', password }, '::1')

  assert.deepEqual(
    signedIn.teams.map(({ id }) => id),
    [team.id],
  )
  const nora = (await listMembers(cx, team.owner.caller, team.id)).find(({ name }) => name === 'Nora')
  assert.deepEqual([nora?.policy_key, nora?.email], ['admin', 'New@Example.test'])
  await assert.rejects(acceptInvitation(cx, token, { name: 'Nora', password }, '::1'), { code: 'invitation_not_found' })
})

test('a person with an account joins by its password only', async (t) => {
  const cx = await testCx(t)
  const [team, other] = [await makeTeam(cx), await makeTeam(cx)]
  const guest = other.owner
  const passwordHash = await hashPassword(password)
  await cx.db.transaction((tx) => setPassword(tx, guest.userId, passwordHash, null))
  await inviteMember(cx, team.owner.caller, team.id, { email: guest.email, policy_key: 'member' })
  const token = await mailedToken(cx)

  await assert.rejects(acceptInvitation(cx, token, { password: 'not the password' }, '::1'), { code: 'login_failed' })
  const signedIn = await acceptInvitation(cx, token, { password }, '::1')

  assert.equal(signedIn.user.id, guest.userId)
  assert.equal(signedIn.teams.length, 2)
  await assert.rejects(inviteMember(cx, team.owner.caller, team.id, { email: guest.email, policy_key: 'member' }), {
    code: 'already_member',
  })
})

test('inviting an address again ends the earlier invitation', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  await inviteMember(cx, team.owner.caller, team.id, { email: 'new@example.test', policy_key: 'member' })
  const earlier = await mailedToken(cx)
  await inviteMember(cx, team.owner.caller, team.id, { email: 'NEW@example.test', policy_key: 'member' })

  await assert.rejects(acceptInvitation(cx, earlier, { name: 'N', password }, '::1'), { code: 'invitation_not_found' })
  assert.equal((await acceptInvitation(cx, await mailedToken(cx), { name: 'N', password }, '::1')).teams.length, 1)
})

test('only an Owner invites Owners', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const admin = await makeMember(cx, team.id, 'admin')
  const owner = { email: 'new@example.test', policy_key: 'owner' as const }
  await assert.rejects(inviteMember(cx, admin.caller, team.id, owner), { code: 'insufficient_role' })
  assert.equal((await inviteMember(cx, team.owner.caller, team.id, owner)).policy_key, 'owner')
})
