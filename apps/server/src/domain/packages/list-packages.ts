import { authorizeInTeam, type Member } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { portalOfTeam } from '#domain/portals/enter-portal'
import { type PackageOrder, pageOfPackages } from '#store/package-pages'
import { totalsOf } from '#store/package-totals'
import { presentManagedPackage } from './present.ts'
import { type PackageQuery, type Scope, wantedPackages } from './wanted-packages.ts'

const pageSize = 50

type Needs = Pick<Cx, 'db' | 'box' | 'tokens'>

export interface PackageListQuery extends PackageQuery {
  readonly page?: number
  readonly limit?: number
  readonly sort?: string
}

/** The packages that a Team sent, as far as the caller sees them; the first page is 1. */
export async function listTeamPackages(cx: Needs, caller: Caller, teamId: string, query: PackageListQuery) {
  const member = await authorizeInTeam(cx, caller, 'package.see', teamId)
  return list(cx, member, { received: false }, query)
}

/** The packages that a Team received through its Portals, or through one of them. */
export async function listInbox(
  cx: Needs,
  caller: Caller,
  teamId: string,
  query: PackageListQuery & { readonly portal?: string },
) {
  const member = await authorizeInTeam(cx, caller, 'package.see', teamId)
  return list(cx, member, { received: true, portalId: query.portal }, query)
}

/** The packages of one Portal, for those who see it. */
export async function listPortalPackages(cx: Needs, caller: Caller, portalId: string, query: PackageListQuery) {
  const { member } = await portalOfTeam(cx, caller, 'portal.see', portalId)
  return list(cx, member, { received: true, portalId }, query)
}

async function list(cx: Needs, member: Member, scope: Scope, query: PackageListQuery) {
  const filter = await wantedPackages(cx, member, scope, query)
  if (filter === undefined) return { metadata: { total: 0 }, records: [] }
  const { page = 1, limit = pageSize, sort = '-created_at' } = query
  const totals = await totalsOf(cx.db, filter)
  const packages = await pageOfPackages(cx.db, filter, totals, {
    // The contract lets no other words through.
    order: sort.replace('-', '') as PackageOrder,
    descending: sort.startsWith('-'),
    limit,
    offset: (page - 1) * limit,
  })
  return {
    metadata: { total: totals.total },
    records: await Promise.all(packages.map((pkg) => presentManagedPackage(cx, pkg, member.userId))),
  }
}
