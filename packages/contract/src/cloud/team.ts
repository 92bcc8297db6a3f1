import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { Email, Id, Line, Time } from '#shapes'
import { Password, PolicyKey, SignedIn } from './account.ts'
import { TeamParams } from './packages.ts'

const Days = Type.Integer({ minimum: 1, maximum: 65_535, description: 'Days.' })
const RecipientCount = Type.Integer({ minimum: 1, maximum: 1_000 })

export const TeamSettings = Type.Object({
  custom_expiry_enabled: Type.Boolean({ description: 'Whether senders may choose an expiry of their own.' }),
  custom_expiry_default: Days,
  download_limit_enabled: Type.Boolean(),
  download_limit_default: Type.Integer({
    minimum: 0,
    maximum: 2_147_483_647,
    description: 'Accesses of a new link; 0 for no limit.',
  }),
  max_email_recipients: RecipientCount,
  unlimited_storage_allowed: Type.Boolean(),
})

export const readTeamSettings = endpoint({
  chapter: 'Team',
  summary: 'Read the settings of a Team',
  method: 'GET',
  path: '/v1/teams/:team_id/settings',
  credential: 'user',
  params: TeamParams,
  status: 200,
  reply: TeamSettings,
  refusals: ['team_not_found'],
})

export const updateTeamSettings = endpoint({
  chapter: 'Team',
  summary: 'Change the settings of a Team',
  description: 'What is left out stays. Packages that exist keep the expiry they have.',
  method: 'PUT',
  path: '/v1/teams/:team_id/settings',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: TeamParams,
  body: Type.Partial(TeamSettings),
  status: 200,
  reply: TeamSettings,
  refusals: ['team_not_found'],
})

export const Invitation = Type.Object({
  id: Id,
  team_id: Id,
  email: Type.String(),
  policy_key: PolicyKey,
  expiry: Time,
  created_at: Time,
})

export const inviteMember = endpoint({
  chapter: 'Team',
  summary: 'Invite a person to a Team',
  description:
    'Mails a link that is good for one use. Inviting the same address again replaces the earlier invitation. Only an Owner invites Owners.',
  method: 'POST',
  path: '/v1/teams/:team_id/invitations',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: TeamParams,
  body: Type.Object({ email: Email, policy_key: PolicyKey }),
  status: 201,
  reply: Invitation,
  idempotent: true,
  refusals: ['team_not_found', 'already_member'],
})

export const listInvitations = endpoint({
  chapter: 'Team',
  summary: 'List the invitations that nobody has accepted yet',
  description: 'Newest first. Those that are too old are left out.',
  method: 'GET',
  path: '/v1/teams/:team_id/invitations',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: TeamParams,
  status: 200,
  reply: Type.Array(Invitation),
  refusals: ['team_not_found'],
})

export const withdrawInvitation = endpoint({
  chapter: 'Team',
  summary: 'Withdraw an invitation',
  description: 'Its link is good for nothing from then on. Only an Owner withdraws the invitation of an Owner.',
  method: 'DELETE',
  path: '/v1/teams/:team_id/invitations/:invitation_id',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: Type.Object({ team_id: Id, invitation_id: Id }),
  status: 204,
  refusals: ['team_not_found', 'invitation_not_found'],
})

export const acceptInvitation = endpoint({
  chapter: 'Team',
  summary: 'Accept an invitation',
  description:
    'A person without an account gets one: then `name` is needed, and a password of at least 10 characters. A person with an account gives its password.',
  method: 'POST',
  path: '/v1/invitations/:token/accept',
  credential: 'none',
  params: Type.Object({ token: Type.String({ maxLength: 64 }) }),
  body: Type.Object({ name: Type.Optional(Line(200, { minLength: 1 })), password: Password }),
  status: 201,
  reply: SignedIn,
  refusals: ['invitation_not_found', 'login_failed', 'already_member'],
})

export const TeamMember = Type.Object({
  id: Type.String({ format: 'uuid', description: 'The membership, not the user.' }),
  user_id: Id,
  team_id: Id,
  name: Type.String(),
  email: Type.String(),
  policy_key: PolicyKey,
  approved: Type.Boolean(),
  invitation_accepted: Time,
  teamspaces: Type.Array(Type.Object({ id: Id, name: Type.String() })),
})

export const listMembers = endpoint({
  chapter: 'Team',
  summary: 'List the members of a Team',
  method: 'GET',
  path: '/v1/teams/:team_id/members',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: TeamParams,
  status: 200,
  reply: Type.Array(TeamMember),
  refusals: ['team_not_found'],
})

const MemberParams = Type.Object({ team_id: Id, membership_id: Id })

export const updateMember = endpoint({
  chapter: 'Team',
  summary: 'Change the role of a member',
  description: 'Only an Owner makes or changes Owners. Takes effect with the next call of the member.',
  method: 'PUT',
  path: '/v1/teams/:team_id/members/:membership_id',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: MemberParams,
  body: Type.Object({ policy_key: PolicyKey }),
  status: 200,
  reply: TeamMember,
  refusals: ['team_not_found', 'member_not_found', 'last_owner'],
})

export const removeMember = endpoint({
  chapter: 'Team',
  summary: 'Remove a member from a Team',
  description: 'Ends the access and the API keys of the member at once. Packages sent by the member stay.',
  method: 'DELETE',
  path: '/v1/teams/:team_id/members/:membership_id',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: MemberParams,
  status: 204,
  refusals: ['team_not_found', 'member_not_found', 'last_owner'],
})
