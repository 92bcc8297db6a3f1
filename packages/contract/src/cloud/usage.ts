import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { Bytes, Count } from '#shapes'
import { TeamParams } from './packages.ts'

/** What happened on one day. A package counts on the day on which it was finalized. */
export const UsageDay = Type.Object({
  day: Type.String({ format: 'date', description: 'In UTC.' }),
  sent_packages: Count,
  sent_bytes: Bytes,
  received_packages: Count,
  received_bytes: Bytes,
  downloads: Count,
})

export const teamUsage = endpoint({
  chapter: 'Team',
  summary: 'What a Team moved, day by day',
  description: 'Packages of all members; so it is not for those who may see only some of them.',
  method: 'GET',
  path: '/v1/teams/:team_id/usage',
  credential: 'user',
  roles: ['owner', 'admin', 'integration_manager'],
  params: TeamParams,
  query: Type.Object({
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 366, description: 'How many, up to today; 30 if left out.' }),
    ),
  }),
  status: 200,
  reply: Type.Object({ days: Type.Array(UsageDay, { description: 'Oldest first, none left out.' }) }),
  refusals: ['team_not_found'],
})
