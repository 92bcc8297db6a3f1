import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { Email, Id, Line, Word } from '#shapes'

export const Password = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'Any characters; new ones need at least 10.',
})
export const NewPassword = Type.String({ minLength: 10, maxLength: 1024, description: 'At least 10 characters.' })

export const TimeZone = Type.String({ maxLength: 64, description: 'IANA name, for example Europe/Paris.' })

export const User = Type.Object({
  id: Id,
  level: Type.String({ description: 'Always `user`; kept for older clients.' }),
  name: Type.String(),
  email: Type.String(),
  preferred_team_id: Type.String({ description: 'Empty when the user has none.' }),
  primary_team_id: Type.String({ description: 'Empty when the user has none.' }),
  time_zone: TimeZone,
})

export const roles = ['owner', 'admin', 'integration_manager', 'member'] as const
export const PolicyKey = Word(roles, { description: 'Role in the Team.' })

export const TeamOfUser = Type.Object({
  id: Id,
  name: Type.String(),
  subdomain: Type.String(),
  policy_key: PolicyKey,
})

export const SignedIn = Type.Object({
  teams: Type.Array(TeamOfUser),
  token: Type.String({ description: 'User token, valid 72 hours. Send it in X-User-Token.' }),
  user: User,
})

export const signIn = endpoint({
  chapter: 'Account',
  summary: 'Sign in',
  description: 'A wrong email and a wrong password answer alike, in the same time.',
  method: 'POST',
  path: '/v1/auth',
  credential: 'none',
  body: Type.Object({ email: Type.String({ maxLength: 254 }), password: Password }),
  status: 200,
  reply: SignedIn,
  refusals: ['login_failed'],
})

export const whoAmI = endpoint({
  chapter: 'Account',
  summary: 'The user behind the credential',
  method: 'GET',
  path: '/v1/users/me',
  credential: 'user',
  status: 200,
  reply: Type.Object({ user: User, teams: Type.Array(TeamOfUser) }),
  refusals: [],
})

const UserParams = Type.Object({ user_id: Id })

export const updateUser = endpoint({
  chapter: 'Account',
  summary: 'Change name, time zone or preferred Team',
  method: 'PUT',
  path: '/v1/users/:user_id',
  aliases: ['/users/:user_id'],
  credential: 'user-token',
  params: UserParams,
  body: Type.Object({
    name: Type.Optional(Line(200, { minLength: 1 })),
    time_zone: Type.Optional(TimeZone),
    preferred_team_id: Type.Optional(Id),
  }),
  status: 200,
  reply: User,
  refusals: ['user_not_found'],
})

export const changePassword = endpoint({
  chapter: 'Account',
  summary: 'Change the password',
  description: 'Ends every other token of the user.',
  method: 'POST',
  path: '/v1/users/:user_id/password',
  aliases: ['/users/:user_id/password'],
  credential: 'user-token',
  params: UserParams,
  body: Type.Object({ current_password: Password, password: NewPassword }),
  status: 204,
  refusals: ['user_not_found', 'password_wrong'],
})

export const changeEmail = endpoint({
  chapter: 'Account',
  summary: 'Change the email address',
  description: 'In force once the confirmation that is mailed to the new address is opened.',
  method: 'PUT',
  path: '/v1/users/:user_id/email',
  aliases: ['/users/:user_id/email'],
  credential: 'user-token',
  params: UserParams,
  body: Type.Object({ email: Email, password: Password }),
  status: 202,
  refusals: ['user_not_found', 'password_wrong', 'email_taken'],
})

export const confirmEmail = endpoint({
  chapter: 'Account',
  summary: 'Confirm a changed email address',
  method: 'POST',
  path: '/v1/email_confirmations/:token',
  credential: 'none',
  params: Type.Object({ token: Type.String({ maxLength: 64 }) }),
  status: 204,
  refusals: ['confirmation_not_found', 'email_taken'],
})

export const setUp = endpoint({
  chapter: 'Setup',
  summary: 'Create the first Team and its Owner',
  description: 'Takes the token of the one-time link that the server prints when it starts without a Team.',
  method: 'POST',
  path: '/v1/setup',
  credential: 'none',
  body: Type.Object({
    token: Type.String({ maxLength: 64 }),
    team_name: Line(100, { minLength: 1 }),
    subdomain: Type.Optional(Type.String({ pattern: '^[a-z0-9](?:[a-z0-9-]{1,51})[a-z0-9]$', maxLength: 53 })),
    name: Line(200, { minLength: 1 }),
    email: Email,
    password: NewPassword,
  }),
  status: 201,
  reply: SignedIn,
  refusals: ['setup_not_found'],
})
