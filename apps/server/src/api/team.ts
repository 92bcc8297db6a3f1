import * as wire from '@longshore/contract/cloud/team'
import { teamUsage as usageWire } from '@longshore/contract/cloud/usage'
import { acceptInvitation, inviteMember, listInvitations, withdrawInvitation } from '#domain/teams/invitations'
import { listMembers, removeMember, updateMember } from '#domain/teams/members'
import { readTeamSettings, updateTeamSettings } from '#domain/teams/settings'
import { teamUsage } from '#domain/usage/team-usage'
import { route } from './route.ts'

export const teamRoutes = [
  route(wire.readTeamSettings, (cx, { caller, params }) => readTeamSettings(cx, caller, params.team_id)),
  route(wire.updateTeamSettings, (cx, { caller, params, body }) =>
    updateTeamSettings(cx, caller, params.team_id, body),
  ),
  route(wire.inviteMember, (cx, { caller, params, body, once }) =>
    inviteMember(cx, caller, params.team_id, body, once),
  ),
  route(wire.listInvitations, (cx, { caller, params }) => listInvitations(cx, caller, params.team_id)),
  route(wire.withdrawInvitation, (cx, { caller, params }) =>
    withdrawInvitation(cx, caller, params.team_id, params.invitation_id),
  ),
  route(wire.acceptInvitation, (cx, { params, body, address }) => acceptInvitation(cx, params.token, body, address)),
  route(usageWire, (cx, { caller, params, query }) => teamUsage(cx, caller, params.team_id, query)),
  route(wire.listMembers, (cx, { caller, params }) => listMembers(cx, caller, params.team_id)),
  route(wire.updateMember, (cx, { caller, params, body }) =>
    updateMember(cx, caller, params.team_id, params.membership_id, body.policy_key),
  ),
  route(wire.removeMember, (cx, { caller, params }) => removeMember(cx, caller, params.team_id, params.membership_id)),
]
