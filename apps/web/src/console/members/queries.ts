import { listInvitations, listMembers } from '@longshore/contract/cloud/team'
import type { ReplyOf } from '@longshore/contract/endpoint'
import { queryOptions } from '@tanstack/react-query'
import { asUser } from '../session/api.ts'

export type Member = ReplyOf<typeof listMembers>[number]
export type Invitation = ReplyOf<typeof listInvitations>[number]

export const membersQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['members', teamId],
    queryFn: ({ signal }) => asUser(listMembers, { params: { team_id: teamId } }, signal),
  })

export const invitationsQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['invitations', teamId],
    queryFn: ({ signal }) => asUser(listInvitations, { params: { team_id: teamId } }, signal),
  })
