import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { changeEmail, confirmEmail, mailConfirmation } from '#domain/accounts/change-email'
import { hashPassword } from '#domain/accounts/passwords'
import { acceptInvitation, inviteMember } from '#domain/teams/invitations'
import { sql } from '#platform/db'
import { userById } from '#store/users'
import { type TestCx, testCx } from '#test-kit/cx'
import { queuedJobs } from '#test-kit/look'
import { headerOf, mailsTo } from '#test-kit/mails'
import { makeTeam } from '#test-kit/make'
import { mailInvitation } from './mail-invitation.ts'

const someone = () => `ines-${randomBytes(6).toString('hex')}@example.test`

async function orders<Payload>(cx: TestCx, name: string): Promise<Payload[]> {
  return (await queuedJobs(cx)).filter(({ order }) => order === name).map(({ payload }) => payload as Payload)
}

const tokenIn = (text: string, page: string): string =>
  new RegExp(`http://longshore\\.test/${page}#(\\S+)`).exec(text)?.[1] ?? ''

test('an invitation is mailed once, names who invites, and is accepted with what the mail carries', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const ines = someone()
  await inviteMember(cx, team.owner.caller, team.id, { email: ines, policy_key: 'member' })
  const [order] = await orders<Parameters<typeof mailInvitation>[1]>(cx, 'mail-invitation')
  assert.ok(order !== undefined)
  await mailInvitation(cx, order)
  await mailInvitation(cx, order)
  const mails = await mailsTo(ines)
  assert.equal(mails.length, 1)
  const [mail] = mails
  assert.ok(mail !== undefined)
  assert.equal(mail.subject, 'Join Harbour Films on Longshore')
  assert.equal(headerOf(mail, 'reply-to'), team.owner.email)
  assert.ok(mail.text.includes(`owner (${team.owner.email}) invites you to Harbour Films`))
  const token = tokenIn(mail.text, 'invitation')
  assert.ok(!JSON.stringify(await queuedJobs(cx)).includes(token), 'the queue does not hold the token')
  const given = { name: 'Ines', password: 'long enough for anyone' }
  const joined = await acceptInvitation(cx, token, given, '127.0.0.1')
  assert.equal(joined.user.email, ines)
})

test('an invitation that was replaced before it was mailed is not mailed', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const ines = someone()
  for (const role of ['member', 'admin'] as const) {
    await inviteMember(cx, team.owner.caller, team.id, { email: ines, policy_key: role })
  }
  for (const order of await orders<Parameters<typeof mailInvitation>[1]>(cx, 'mail-invitation')) {
    await mailInvitation(cx, order)
  }
  assert.equal((await mailsTo(ines)).length, 1)
})

test('the confirmation of a new address goes to that address, once, and what it carries confirms it', async (t) => {
  const cx = await testCx(t)
  const { owner } = await makeTeam(cx)
  const passwordHash = await hashPassword('long enough for anyone')
  await cx.db.transaction((tx) =>
    tx.run(sql`update users set password_hash = ${passwordHash} where id = ${owner.userId}`),
  )
  const email = someone()
  const given = { email, password: 'long enough for anyone' }
  await changeEmail(cx, owner.caller, owner.userId, given, '127.0.0.1')
  const [order] = await orders<Parameters<typeof mailConfirmation>[1]>(cx, 'mail-email-confirmation')
  assert.ok(order !== undefined)
  await mailConfirmation(cx, order)
  await mailConfirmation(cx, order)
  const mails = await mailsTo(email)
  assert.equal(mails.length, 1)
  assert.deepEqual(await mailsTo(owner.email), [])
  await confirmEmail(cx, tokenIn(mails[0]?.text ?? '', 'confirm-email'))
  assert.equal((await userById(cx.db, owner.userId))?.email, email)
})
