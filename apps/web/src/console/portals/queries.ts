import { listPortals, readPortal } from '@longshore/contract/cloud/portals'
import type { InputOf, ReplyOf } from '@longshore/contract/endpoint'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { asUser } from '../session/api.ts'

export type Portal = ReplyOf<typeof readPortal>

export const portalsQuery = (teamId: string, query: InputOf<typeof listPortals>['query']) =>
  queryOptions({
    queryKey: ['portals', teamId, query],
    queryFn: ({ signal }) => asUser(listPortals, { params: { team_id: teamId }, query }, signal),
    placeholderData: keepPreviousData,
  })

export const portalQuery = (portalId: string) =>
  queryOptions({
    queryKey: ['portals', 'one', portalId],
    queryFn: ({ signal }) => asUser(readPortal, { params: { portal_id: portalId } }, signal),
  })
