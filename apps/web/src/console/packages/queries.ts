import type { listLinks } from '@longshore/contract/cloud/links'
import { listInbox, listTeamPackages, readTeamPackage } from '@longshore/contract/cloud/packages'
import type { ReplyOf } from '@longshore/contract/endpoint'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { asUser } from '../session/api.ts'
import { type PackageSearch, queryOf } from './search.ts'

export type Package = ReplyOf<typeof readTeamPackage>
export type Link = ReplyOf<typeof listLinks>[number]
export type Side = 'sent' | 'received'

export const packagesQuery = (teamId: string, side: Side, search: PackageSearch, timeZone: string) =>
  queryOptions({
    queryKey: ['packages', teamId, side, search, timeZone],
    queryFn: ({ signal }) =>
      side === 'sent'
        ? asUser(listTeamPackages, { params: { team_id: teamId }, query: queryOf(search, timeZone) }, signal)
        : asUser(listInbox, { params: { team_id: teamId }, query: queryOf(search, timeZone) }, signal),
    placeholderData: keepPreviousData,
  })

export const packageQuery = (teamId: string, packageId: string) =>
  queryOptions({
    queryKey: ['packages', teamId, 'one', packageId],
    queryFn: ({ signal }) => asUser(readTeamPackage, { params: { team_id: teamId, package_id: packageId } }, signal),
  })
