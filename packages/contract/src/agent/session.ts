import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { Count } from '#shapes'
import { Done } from './shapes.ts'

export const SessionTeam = Type.Object({
  id: Type.String(),
  name: Type.String(),
  subdomain: Type.String(),
  custom_expiry_default: Type.Integer({ description: 'Days that packages are kept.' }),
  custom_expiry_enabled: Type.Boolean(),
  download_limit_default: Count,
  download_limit_enabled: Type.Boolean(),
  max_email_recipients: Count,
})

export const Session = Type.Object({
  user: Type.Object({ id: Type.String(), name: Type.String() }),
  teams: Type.Array(SessionTeam),
})

const session = { chapter: 'Session', path: '/api/v1/login', status: 200 } as const

export const login = endpoint({
  ...session,
  summary: 'Sign in',
  description: 'The agent keeps the token of the session, not the password. It takes the place of an API key.',
  method: 'POST',
  credential: 'agent',
  body: Type.Object({
    email: Type.String({ maxLength: 254 }),
    password: Type.String({ minLength: 1, maxLength: 1024 }),
  }),
  reply: Session,
  refusals: ['session_is_nil', 'rate_limited', 'cloud_unreachable'],
})

export const readSession = endpoint({
  ...session,
  summary: 'Who is signed in',
  method: 'GET',
  credential: 'agent-session',
  reply: Session,
  refusals: ['cloud_unreachable'],
})

export const checkSession = endpoint({
  ...session,
  summary: 'Whether there is a valid session',
  description: 'Answers without a body.',
  method: 'HEAD',
  credential: 'agent-session',
  refusals: ['cloud_unreachable'],
})

export const logout = endpoint({
  ...session,
  summary: 'Sign out',
  description: 'Forgets who signed in. An agent that was started with an API key has the session of that key again.',
  method: 'DELETE',
  credential: 'agent',
  reply: Done,
  refusals: [],
})

export const listTeams = endpoint({
  chapter: 'Session',
  summary: 'Teams of the session',
  method: 'GET',
  path: '/api/v1/teams',
  credential: 'agent-session',
  status: 200,
  reply: Type.Array(SessionTeam),
  refusals: ['cloud_unreachable'],
})
