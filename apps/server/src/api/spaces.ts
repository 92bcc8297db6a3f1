import * as wire from '@longshore/contract/cloud/spaces'
import {
  addSpaceMembers,
  createSpace,
  deleteSpace,
  listSpaces,
  readSpace,
  removeSpaceMember,
  updateSpace,
} from '#domain/spaces/spaces'
import { route } from './route.ts'

export const spaceRoutes = [
  route(wire.listSpaces, (cx, { caller, params, query }) => listSpaces(cx, caller, params.team_id, query)),
  route(wire.createSpace, (cx, { caller, params, body, once }) => createSpace(cx, caller, params.team_id, body, once)),
  route(wire.readSpace, (cx, { caller, params }) => readSpace(cx, caller, params.space_id)),
  route(wire.updateSpace, (cx, { caller, params, body }) => updateSpace(cx, caller, params.space_id, body)),
  route(wire.deleteSpace, (cx, { caller, params }) => deleteSpace(cx, caller, params.space_id)),
  route(wire.addSpaceMembers, (cx, { caller, params, body }) =>
    addSpaceMembers(cx, caller, params.space_id, body.membership_ids),
  ),
  route(wire.removeSpaceMember, (cx, { caller, params }) =>
    removeSpaceMember(cx, caller, params.space_id, params.membership_id),
  ),
]
