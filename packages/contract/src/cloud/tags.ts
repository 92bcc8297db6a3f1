import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { Id, Line, Time } from '#shapes'
import { TeamParams } from './packages.ts'

export const Tag = Type.Object({
  id: Id,
  name: Type.String(),
  team_id: Id,
  active: Type.Boolean(),
  created_at: Time,
  updated_at: Time,
})

export const createTag = endpoint({
  chapter: 'Tags',
  summary: 'Create a tag',
  description: 'A name that the Team has already answers the tag it has.',
  method: 'POST',
  path: '/v1/teams/:team_id/tags',
  credential: 'user',
  params: TeamParams,
  body: Type.Object({ name: Line(100, { minLength: 1 }) }),
  status: 201,
  reply: Tag,
  idempotent: true,
  refusals: ['team_not_found'],
})

export const listTags = endpoint({
  chapter: 'Tags',
  summary: 'List the tags of a Team',
  method: 'GET',
  path: '/v1/teams/:team_id/tags',
  credential: 'user',
  params: TeamParams,
  status: 200,
  reply: Type.Array(Tag),
  refusals: ['team_not_found'],
})

export const deleteTag = endpoint({
  chapter: 'Tags',
  summary: 'Delete a tag',
  description: 'Packages and Portals that had it go on without a tag.',
  method: 'DELETE',
  path: '/v1/tags/:tag_id',
  credential: 'user',
  roles: ['owner', 'admin', 'integration_manager'],
  params: Type.Object({ tag_id: Id }),
  status: 204,
  refusals: ['tag_not_found'],
})
