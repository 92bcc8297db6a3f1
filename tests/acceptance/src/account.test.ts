import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as wire from '@longshore/contract/cloud/account'
import { createApiKey } from '@longshore/contract/cloud/api-keys'
import { ask, errorOf, refused, show, use } from '#calls'
import { ownAddress, send } from '#http'
import { type Mail, mailsTo, mailTo } from '#mail'
import { joinTeam, makeMember, makeTeam, type Member } from '#members'
import { claimsOf, now } from '#mint'
import { test } from '#record'
import { target } from '#target'
import { makePackage, someName } from '#walk'

// Guesses are counted by address; what is under test here is something else.
const away = () => ({ from: ownAddress() })
const as = (member: Member) => ({ as: { userToken: member.token }, ...away() })
const self = (member: Member) => ({ user_id: member.id })
const signIn = (email: string, password: string) => use(wire.signIn, { body: { email, password } }, away())
const confirmationIn = (mail: Mail) => /confirm-email#([\w-]+)/.exec(mail.text)?.[1] ?? ''
const newAddress = () => `${someName('moved').replace(' ', '-')}@example.test`

test('the Owner signs in and gets a token of 72 hours, the user and the Teams', async () => {
  const { owner } = target
  const body = { email: owner.email.toUpperCase(), password: owner.password }
  const signedIn = await show(wire.signIn, { body }, away())
  assert.equal(signedIn.user.id, owner.id)
  assert.equal(signedIn.user.email, owner.email)
  assert.deepEqual(
    signedIn.teams.map(({ id }) => id),
    [target.team_id],
  )
  const lifetime = Number(claimsOf(signedIn.token)['exp']) - now()
  assert.ok(lifetime > 72 * 3600 - 60 && lifetime <= 72 * 3600, `${lifetime} s`)

  const me = await show(wire.whoAmI, {}, { as: { userToken: signedIn.token } })
  assert.deepEqual(me, { user: signedIn.user, teams: signedIn.teams })
})

test('a wrong password and an unknown email are answered alike', async () => {
  const wrong = [
    { email: target.owner.email, password: 'not the password' },
    { email: `${randomUUID()}@example.test`, password: 'not the password' },
    { email: 'no address at all', password: 'not the password' },
  ]
  const answers = []
  for (const body of wrong) {
    const { answer: _, request_id: __, ...error } = await refused(wire.signIn, { body }, away(), 'login_failed')
    answers.push(error)
  }
  assert.deepEqual(answers[0], answers[1])
  assert.deepEqual(answers[0], answers[2])
})

test('a user token speaks for all Teams of the user, an API key for its own alone', async () => {
  const member = await makeMember('admin')
  const second = await makeTeam('Second Team')
  await joinTeam(member, second, 'admin')
  const { key } = await use(
    createApiKey,
    { params: { team_id: second }, body: { state: 'active' } },
    { as: { userToken: member.token } },
  )
  const byToken = await show(wire.whoAmI, {}, as(member))
  assert.deepEqual(byToken.teams.map(({ id }) => id).toSorted(), [target.team_id, second].toSorted())
  const byKey = await show(wire.whoAmI, {}, { as: { apiKey: key } })
  assert.deepEqual(
    byKey.teams.map(({ id }) => id),
    [second],
  )
  assert.deepEqual(byKey.user, byToken.user)
})

test('a user changes name, time zone and preferred Team, each by itself', async () => {
  const member = await makeMember('member')
  const { user: before } = await use(wire.whoAmI, {}, as(member))
  const renamed = await show(wire.updateUser, { params: self(member), body: { name: 'Мария 🦑' } }, as(member))
  assert.deepEqual(renamed, { ...before, name: 'Мария 🦑' })

  const second = await makeTeam('Another Team')
  await joinTeam(member, second, 'member')
  const body = { time_zone: 'Europe/Paris', preferred_team_id: second }
  const moved = await show(wire.updateUser, { params: self(member), body }, as(member))
  assert.deepEqual(moved, { ...renamed, ...body })
})

test('read-only fields of a user are ignored on write', async () => {
  const member = await makeMember('member')
  const { user: before } = await use(wire.whoAmI, {}, as(member))
  const body = {
    ...before,
    id: randomUUID(),
    email: 'other@example.test',
    level: 'root',
    primary_team_id: randomUUID(),
  }
  const after = await show(wire.updateUser, { params: self(member), body }, as(member))
  assert.deepEqual(after, before)
})

test('a user cannot move to an unknown time zone or to a Team of others', async () => {
  const member = await makeMember('member')
  const elsewhere = await makeTeam('Not theirs')
  for (const body of [
    { time_zone: 'Atlantis/Harbour' },
    { time_zone: '' },
    { preferred_team_id: elsewhere },
    { preferred_team_id: randomUUID() },
    { name: '' },
    { name: 'two\nlines' },
  ]) {
    const { details } = await refused(wire.updateUser, { params: self(member), body }, as(member), 'validation_failed')
    assert.equal(details?.[0]?.field, Object.keys(body)[0])
  }
  const { user } = await use(wire.whoAmI, {}, as(member))
  assert.deepEqual([user.time_zone, user.preferred_team_id, user.name], ['UTC', target.team_id, 'A member'])
})

test('nobody changes the account of somebody else, not even an Owner', async () => {
  const member = await makeMember('member')
  const owner = { as: { userToken: target.user_token }, ...away() }
  const { password } = target.owner
  const newPassword = { current_password: password, password: 'a stolen password' }
  await refused(wire.updateUser, { params: self(member), body: { name: 'X' } }, owner, 'user_not_found')
  await refused(wire.changePassword, { params: self(member), body: newPassword }, owner, 'user_not_found')
  const newEmail = { email: newAddress(), password }
  await refused(wire.changeEmail, { params: self(member), body: newEmail }, owner, 'user_not_found')
  const { user } = await use(wire.whoAmI, {}, as(member))
  assert.deepEqual([user.name, user.email], ['A member', member.email])
})

test('the account calls answer the same without their version', async () => {
  const member = await makeMember('member')
  const headers = [
    ['x-user-token', member.token],
    ['content-type', 'application/json'],
  ] as const
  const url = `${target.cloud_url}/users/${member.id}`
  const renamed = await send({ method: 'PUT', url, headers, body: '{"name":"Old client"}' })
  assert.equal(renamed.status, 200)
  assert.equal((JSON.parse(renamed.text) as { name: string }).name, 'Old client')
  const wrong = '{"current_password":"wrong","password":"long enough"}'
  const password = await send({ method: 'POST', url: `${url}/password`, headers, body: wrong, ...away() })
  assert.equal(errorOf(password).error, 'password_wrong')
  const email = await send({ method: 'PUT', url: `${url}/email`, headers, body: '{}', ...away() })
  assert.equal(errorOf(email).error, 'validation_failed')
})

test('a new password takes the place of the old one and ends the other tokens of the user', async () => {
  const member = await makeMember('integration_manager')
  const { key } = await use(
    createApiKey,
    { params: { team_id: target.team_id }, body: { state: 'active' } },
    as(member),
  )
  const before = await signIn(member.email, member.password)
  const body = { current_password: member.password, password: 'Äffin und Maus 26' }
  await show(wire.changePassword, { params: self(member), body }, as(member))

  await use(wire.whoAmI, {}, as(member))
  await refused(wire.whoAmI, {}, { as: { userToken: before.token } }, 'credential_invalid')
  const old = { email: member.email, password: member.password }
  await refused(wire.signIn, { body: old }, away(), 'login_failed')
  // Typed on another keyboard: the same characters in other code points.
  const after = await signIn(member.email, body.password.normalize('NFD'))
  await use(wire.whoAmI, {}, { as: { userToken: after.token } })
  // A key is no token: it stands for itself and is switched off by itself.
  await use(wire.whoAmI, {}, { as: { apiKey: key } })
})

test('a password changes only with the right one before it, and not into a short one', async () => {
  const member = await makeMember('member')
  const change = (current_password: string, password: string) => ({
    params: self(member),
    body: { current_password, password },
  })
  await refused(wire.changePassword, change('not the password', 'long enough now'), as(member), 'password_wrong')
  await refused(wire.changePassword, change(member.password, 'too short'), as(member), 'validation_failed')
  await refused(wire.changePassword, change(member.password, 'x'.repeat(1025)), as(member), 'validation_failed')
  await signIn(member.email, member.password)
})

test('a new email address is in force once its mail is confirmed, and not before', async () => {
  const member = await makeMember('member')
  const email = newAddress()
  await show(wire.changeEmail, { params: self(member), body: { email, password: member.password } }, as(member))
  assert.equal((await use(wire.whoAmI, {}, as(member))).user.email, member.email)

  const [mail] = await mailsTo(email, 1)
  assert.ok(mail)
  assert.deepEqual(mail.to, [email])
  assert.ok(mail.html.includes('<a href='))
  const token = confirmationIn(mail)
  await show(wire.confirmEmail, { params: { token } })
  assert.equal((await use(wire.whoAmI, {}, as(member))).user.email, email)
  await signIn(email, member.password)
  await refused(wire.signIn, { body: { email: member.email, password: member.password } }, away(), 'login_failed')
  // Good for one use.
  await refused(wire.confirmEmail, { params: { token } }, {}, 'confirmation_not_found')
  assert.deepEqual(await mailTo(member.email), [])
})

test('the sender of a new package is the address that is in force', async () => {
  const member = await makeMember('member')
  const pkg = await makePackage({}, { userToken: member.token })
  assert.equal(pkg.sender, member.email)
})

test('an address that another account has cannot be taken, neither at once nor by being second', async () => {
  const [first, second] = [await makeMember('member'), await makeMember('member')]
  const taken = { email: first.email.toUpperCase(), password: second.password }
  await refused(wire.changeEmail, { params: self(second), body: taken }, as(second), 'email_taken')
  await refused(
    wire.changeEmail,
    { params: self(second), body: { email: newAddress(), password: 'not the password' } },
    as(second),
    'password_wrong',
  )

  const email = newAddress()
  for (const member of [first, second]) {
    await use(wire.changeEmail, { params: self(member), body: { email, password: member.password } }, as(member))
  }
  const tokens = (await mailsTo(email, 2)).map(confirmationIn)
  await use(wire.confirmEmail, { params: { token: tokens[0] ?? '' } })
  await refused(wire.confirmEmail, { params: { token: tokens[1] ?? '' } }, {}, 'email_taken')
  const emails = await Promise.all([first, second].map(async (m) => (await use(wire.whoAmI, {}, as(m))).user.email))
  assert.deepEqual(emails.filter((one) => one === email).length, 1)
})

test('an address with anything beside one plain address is refused', async () => {
  const member = await makeMember('member')
  for (const email of [
    'a@b\r\nBcc: x@y',
    '"a b"@example.test',
    'a@example.test,c@example.test',
    'a@example.test (x) <c@example.test>',
    '(a(b)c) x@example.test',
    'Olga <o@example.test>',
    '-oQ/tmp@example.test',
    `${'a'.repeat(250)}@example.test`,
    'ä@example.test',
    'no-at-sign',
  ]) {
    const body = { email, password: member.password }
    await refused(wire.changeEmail, { params: self(member), body }, as(member), 'validation_failed')
  }
})

test('a password of a megabyte is refused before it is looked at', async () => {
  const body = { email: target.owner.email, password: 'x'.repeat(1_000_000) }
  const answer = await ask(wire.signIn, { body }, away())
  assert.equal(answer.status, 413)
})
