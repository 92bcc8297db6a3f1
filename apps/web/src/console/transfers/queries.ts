import { listTransfers } from '@longshore/contract/cloud/connections'
import type { ReplyOf } from '@longshore/contract/endpoint'
import { queryOptions } from '@tanstack/react-query'
import type { Package } from '../packages/queries.ts'
import { withPackageToken } from '../session/api.ts'

export type Transfer = ReplyOf<typeof listTransfers>[number]

export const isUnderWay = ({ state }: Transfer): boolean => state === 'pending' || state === 'started'

/** Where a package was sent to, and how far each is. Asked for every second while one is under way. */
export const transfersQuery = (pkg: Package) =>
  queryOptions({
    queryKey: ['packages', pkg.team_id, 'transfers', pkg.id],
    queryFn: () => withPackageToken(pkg.access_token ?? '', listTransfers, { params: { package_id: pkg.id } }),
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) === true ? 1_000 : false),
  })
