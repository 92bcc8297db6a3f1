import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { Count, Id, Line } from '#shapes'
import { TeamParams } from './packages.ts'
import { TeamMember } from './team.ts'

export const Teamspace = Type.Object({ id: Id, name: Type.String(), members: Type.Array(TeamMember) })

const SpaceName = Line(100, { minLength: 1 })
const MembershipIds = Type.Array(Id, { maxItems: 1_000, uniqueItems: true })
const SpaceParams = Type.Object({ space_id: Id })

export const listSpaces = endpoint({
  chapter: 'Teamspaces',
  summary: 'List the Teamspaces of a Team',
  method: 'GET',
  path: '/v1.1/teams/:team_id/spaces',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: TeamParams,
  query: Type.Object({
    page: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: 'The first page is 0.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Records on a page; 50 if left out.' })),
  }),
  status: 200,
  reply: Type.Object({
    metadata: Type.Object({ per_page: Count, total: Count }),
    records: Type.Array(Type.Object({ id: Id, name: Type.String() })),
  }),
  refusals: ['team_not_found'],
})

export const createSpace = endpoint({
  chapter: 'Teamspaces',
  summary: 'Create a Teamspace',
  method: 'POST',
  path: '/v1/teams/:team_id/spaces',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: TeamParams,
  body: Type.Object({ name: SpaceName, membership_ids: Type.Optional(MembershipIds) }),
  status: 201,
  reply: Teamspace,
  idempotent: true,
  refusals: ['team_not_found'],
})

export const readSpace = endpoint({
  chapter: 'Teamspaces',
  summary: 'Read a Teamspace',
  method: 'GET',
  path: '/v1/spaces/:space_id',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: SpaceParams,
  status: 200,
  reply: Teamspace,
  refusals: ['teamspace_not_found'],
})

export const updateSpace = endpoint({
  chapter: 'Teamspaces',
  summary: 'Change a Teamspace',
  description: '`membership_ids` is the complete list; left out, the members stay.',
  method: 'PUT',
  path: '/v1/spaces/:space_id',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: SpaceParams,
  body: Type.Object({ name: SpaceName, membership_ids: Type.Optional(MembershipIds) }),
  status: 200,
  reply: Teamspace,
  refusals: ['teamspace_not_found'],
})

export const deleteSpace = endpoint({
  chapter: 'Teamspaces',
  summary: 'Delete a Teamspace',
  description: 'Its packages and Portals stay, and do not become visible to anyone who did not see them before.',
  method: 'DELETE',
  path: '/v1/spaces/:space_id',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: SpaceParams,
  status: 204,
  refusals: ['teamspace_not_found'],
})

export const addSpaceMembers = endpoint({
  chapter: 'Teamspaces',
  summary: 'Add members to a Teamspace',
  description: 'All are added, or none. Who is in already stays in.',
  method: 'POST',
  path: '/v1/spaces/:space_id/members',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: SpaceParams,
  body: Type.Object({ membership_ids: MembershipIds }),
  status: 200,
  reply: Type.Array(TeamMember),
  refusals: ['teamspace_not_found'],
})

export const removeSpaceMember = endpoint({
  chapter: 'Teamspaces',
  summary: 'Take a member out of a Teamspace',
  method: 'DELETE',
  path: '/v1/spaces/:space_id/members/:membership_id',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: Type.Object({ space_id: Id, membership_id: Id }),
  status: 204,
  refusals: ['teamspace_not_found', 'member_not_found'],
})
