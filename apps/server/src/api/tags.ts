import * as wire from '@longshore/contract/cloud/tags'
import { createTag, deleteTag, listTags } from '#domain/tags/tags'
import { route } from './route.ts'

export const tagRoutes = [
  route(wire.createTag, (cx, { caller, params, body, once }) => createTag(cx, caller, params.team_id, body, once)),
  route(wire.listTags, (cx, { caller, params }) => listTags(cx, caller, params.team_id)),
  route(wire.deleteTag, (cx, { caller, params }) => deleteTag(cx, caller, params.tag_id)),
]
