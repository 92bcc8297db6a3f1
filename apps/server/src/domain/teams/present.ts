import { showTime } from '#domain/times'
import type { InvitationRow } from '#store/invitations'
import type { MemberRow } from '#store/members'
import type { TeamRow } from '#store/teams'

export const presentMember = (member: MemberRow) => ({
  id: member.id,
  user_id: member.user_id,
  team_id: member.team_id,
  name: member.name,
  email: member.email,
  policy_key: member.role,
  approved: member.approved,
  invitation_accepted: showTime(member.invitation_accepted),
  teamspaces: member.teamspaces.map(({ id, name }) => ({ id, name })),
})

export const presentInvitation = (invitation: InvitationRow) => ({
  id: invitation.id,
  team_id: invitation.team_id,
  email: invitation.email,
  policy_key: invitation.role,
  expiry: showTime(invitation.expires_at),
  created_at: showTime(invitation.created_at),
})

export const presentSettings = (team: TeamRow) => ({
  custom_expiry_enabled: team.custom_expiry_enabled,
  custom_expiry_default: team.custom_expiry_default,
  download_limit_enabled: team.download_limit_enabled,
  download_limit_default: team.download_limit_default,
  max_email_recipients: team.max_email_recipients,
  unlimited_storage_allowed: team.unlimited_storage_allowed,
})
