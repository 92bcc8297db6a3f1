import assert from 'node:assert/strict'
import { whoAmI } from '@longshore/contract/cloud/account'
import { createApiKey } from '@longshore/contract/cloud/api-keys'
import { createTeamPackage } from '@longshore/contract/cloud/packages'
import { fileUrl } from '@longshore/contract/cloud/files'
import * as wire from '@longshore/contract/cloud/team'
import { teamUsage } from '@longshore/contract/cloud/usage'
import { refused, show, use } from '#calls'
import { mailsTo } from '#mail'
import { joinTeam, makeMember, makeTeam, type Member } from '#members'
import { test } from '#record'
import { target } from '#target'
import { finalize, inFile, makeLink, makePackage, readTokenOf, someName, upload } from '#walk'

const by = (member: Member) => ({ as: { userToken: member.token } })
const password = 'a good long password'

/** A Team of its own, so that its settings and Owners disturb nobody. */
async function ownTeam() {
  const teamId = await makeTeam(someName('Team'))
  return { teamId, team: { team_id: teamId }, owner: await makeMember('owner', teamId) }
}

async function invite(email: string, policy_key: 'admin' | 'member' = 'member') {
  const { teamId, team, owner } = await ownTeam()
  const invitation = await show(wire.inviteMember, { params: team, body: { email, policy_key } }, by(owner))
  return { teamId, team, owner, invitation, token: await mailedToken(email) }
}

async function mailedToken(email: string, count = 1): Promise<string> {
  const mail = (await mailsTo(email, count)).at(-1)
  const token = /\/invitation#([\w-]+)/.exec(mail?.text ?? '')?.[1]
  assert.ok(token !== undefined, mail?.text)
  return token
}

const someAddress = () => `${someName('guest').replaceAll(/[^a-z0-9]/gi, '')}@example.test`

test('settings are read, changed in part, and in force for the next package', async () => {
  const { teamId, team, owner } = await ownTeam()
  const before = await show(wire.readTeamSettings, { params: team }, by(owner))
  assert.deepEqual([before.custom_expiry_default, before.download_limit_enabled], [10, false])

  const body = {
    custom_expiry_default: 3,
    download_limit_enabled: true,
    download_limit_default: 5,
    max_email_recipients: 1,
  }
  const after = await show(wire.updateTeamSettings, { params: team, body }, by(owner))
  assert.deepEqual(after, { ...before, ...body })

  const pkg = await makePackage({}, { userToken: owner.token }, teamId)
  assert.equal(pkg.access_limit, 5)
  assert.ok(Math.abs(Date.parse(pkg.expiry) - Date.now() - 3 * 86_400_000) < 60_000)
  const tooMany = { name: 'x', description: '', recipients: ['a@example.test', 'b@example.test'] }
  await refused(createTeamPackage, { params: team, body: tooMany }, by(owner), 'validation_failed')
})

test('an invited person joins from the mail, once, with an account of their own', async () => {
  const email = someAddress()
  const { teamId, team, owner, invitation, token } = await invite(email, 'admin')
  assert.deepEqual([invitation.email, invitation.policy_key], [email, 'admin'])

  const body = { name: 'Nora', password }
  const signedIn = await show(wire.acceptInvitation, { params: { token }, body })
  assert.deepEqual(
    signedIn.teams.map(({ id }) => id),
    [teamId],
  )
  assert.equal((await use(whoAmI, {}, { as: { userToken: signedIn.token } })).user.email, email)
  const nora = (await show(wire.listMembers, { params: team }, by(owner))).find((member) => member.email === email)
  assert.deepEqual([nora?.policy_key, nora?.approved, nora?.teamspaces], ['admin', true, []])

  await refused(wire.acceptInvitation, { params: { token }, body }, {}, 'invitation_not_found')
  await refused(wire.inviteMember, { params: team, body: { email, policy_key: 'member' } }, by(owner), 'already_member')
})

test('invitations that wait are listed, and one that is withdrawn is good for nothing', async () => {
  const email = someAddress()
  const { teamId, team, owner, invitation, token } = await invite(email)
  assert.deepEqual(await show(wire.listInvitations, { params: team }, by(owner)), [invitation])

  const params = { ...team, invitation_id: invitation.id }
  await show(wire.withdrawInvitation, { params }, by(owner))
  assert.deepEqual(await use(wire.listInvitations, { params: team }, by(owner)), [])
  const body = { name: 'Nora', password }
  await refused(wire.acceptInvitation, { params: { token }, body }, {}, 'invitation_not_found')
  await refused(wire.withdrawInvitation, { params }, by(owner), 'invitation_not_found')

  const admin = await makeMember('admin', teamId)
  const ofOwner = { email: someAddress(), policy_key: 'owner' as const }
  const { id } = await use(wire.inviteMember, { params: team, body: ofOwner }, by(owner))
  const other = { params: { ...team, invitation_id: id } }
  await refused(wire.withdrawInvitation, other, by(admin), 'insufficient_role')
  const elsewhere = await ownTeam()
  await refused(wire.withdrawInvitation, other, by(elsewhere.owner), 'team_not_found')
  const wrongTeam = { params: { ...elsewhere.team, invitation_id: id } }
  await refused(wire.withdrawInvitation, wrongTeam, by(elsewhere.owner), 'invitation_not_found')
})

test('usage tells each day what was sent, received and fetched', async () => {
  const { teamId, team, owner } = await ownTeam()
  const as = { userToken: owner.token }
  const pkg = await makePackage({}, as, teamId)
  const file = await upload(pkg, Buffer.from('Ahoy.'), { name: 'note.txt' })
  await finalize(pkg)
  const packageToken = await readTokenOf(await makeLink(pkg))
  await use(fileUrl, { params: inFile(file) }, { as: { packageToken } })

  const { days } = await show(teamUsage, { params: team, query: { days: 3 } }, by(owner))
  assert.equal(days.length, 3)
  assert.deepEqual(days.at(-1), {
    day: new Date().toISOString().slice(0, 10),
    sent_packages: 1,
    sent_bytes: 5,
    received_packages: 0,
    received_bytes: 0,
    downloads: 1,
  })
  assert.deepEqual(
    days.slice(0, 2).map(({ sent_packages, downloads }) => sent_packages + downloads),
    [0, 0],
  )
  assert.equal((await use(teamUsage, { params: team }, by(owner))).days.length, 30)
  const member = await makeMember('member', teamId)
  await refused(teamUsage, { params: team }, by(member), 'insufficient_role')
  await refused(teamUsage, { params: team, query: { days: 0 } }, by(owner), 'validation_failed')
  await refused(teamUsage, { params: team, query: { days: 367 } }, by(owner), 'validation_failed')
})

test('a person with an account joins by its password, and not with another', async () => {
  const guest = await makeMember('member')
  const { token } = await invite(guest.email)
  const wrong = { params: { token }, body: { password: 'not the password' } }
  await refused(wire.acceptInvitation, wrong, {}, 'login_failed')
  const signedIn = await show(wire.acceptInvitation, { params: { token }, body: { password: guest.password } })
  assert.equal(signedIn.teams.length, 2)
})

test('who became a member meanwhile is told so', async () => {
  const guest = await makeMember('member')
  const { teamId, token } = await invite(guest.email)
  await joinTeam(guest, teamId, 'member')
  const body = { password: guest.password }
  await refused(wire.acceptInvitation, { params: { token }, body }, {}, 'already_member')
})

test('a new account needs a name and a password of ten characters', async () => {
  const { token } = await invite(someAddress())
  for (const body of [{ password }, { name: 'N', password: 'short' }]) {
    await refused(wire.acceptInvitation, { params: { token }, body }, {}, 'validation_failed')
  }
})

test('roles change at once; only Owners touch Owners, and the last one stays', async () => {
  const { teamId, team, owner } = await ownTeam()
  const admin = await makeMember('admin', teamId)
  const member = await makeMember('member', teamId)
  const place = (who: Member) => ({ ...team, membership_id: who.membership_id })
  const changed = await show(
    wire.updateMember,
    { params: place(member), body: { policy_key: 'integration_manager' } },
    by(admin),
  )
  assert.equal(changed.policy_key, 'integration_manager')
  await use(createApiKey, { params: team, body: { state: 'active' } }, by(member))

  const toOwner = { policy_key: 'owner' as const }
  const toMember = { policy_key: 'member' as const }
  await refused(wire.updateMember, { params: place(member), body: toOwner }, by(admin), 'insufficient_role')
  await refused(wire.updateMember, { params: place(owner), body: toMember }, by(admin), 'insufficient_role')
  await refused(wire.removeMember, { params: place(owner) }, by(admin), 'insufficient_role')
  await refused(wire.updateMember, { params: place(owner), body: toMember }, by(owner), 'last_owner')
  await refused(wire.removeMember, { params: place(owner) }, by(owner), 'last_owner')
})

test('a removed member is out at once, with keys and tokens', async () => {
  const { teamId, team, owner } = await ownTeam()
  const admin = await makeMember('admin', teamId)
  const key = await use(createApiKey, { params: team, body: { state: 'active' } }, by(admin))
  await show(wire.removeMember, { params: { ...team, membership_id: admin.membership_id } }, by(owner))

  await refused(whoAmI, {}, { as: { apiKey: key.key } }, 'credential_invalid')
  await refused(wire.listMembers, { params: team }, by(admin), 'team_not_found')
  const again = { params: { ...team, membership_id: admin.membership_id } }
  await refused(wire.removeMember, again, by(owner), 'member_not_found')
  const body = { policy_key: 'member' as const }
  await refused(wire.updateMember, { ...again, body }, by(owner), 'member_not_found')
})

test('a member of another Team is not found, and neither is their Team', async () => {
  const { team, owner } = await ownTeam()
  const stranger = await makeMember('member')
  const params = { ...team, membership_id: stranger.membership_id }
  await refused(wire.removeMember, { params }, by(owner), 'member_not_found')
  await refused(
    wire.removeMember,
    { params: { team_id: target.team_id, membership_id: stranger.membership_id } },
    by(owner),
    'team_not_found',
  )
})
