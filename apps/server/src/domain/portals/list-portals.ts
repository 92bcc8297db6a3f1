import { authorizeInTeam, type Member } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import { viewerOf } from '#domain/access/visible'
import type { Cx } from '#domain/cx'
import {
  countPortals,
  type PortalOrder,
  type PortalQuery,
  type PortalRow,
  portalsAfter,
  portalsOfTeam,
} from '#store/portals'
import { presentPortal } from './present.ts'

const pageSize = 50
const batch = 200

type Needs = Pick<Cx, 'db' | 'box' | 'settings'>

export interface PortalListQuery extends PortalQuery {
  readonly page?: number
  readonly limit?: number
  readonly sort?: string
}

/** The Portals of a Team that the caller may see; the first page is 1. */
export async function listPortals(cx: Needs, caller: Caller, teamId: string, query: PortalListQuery) {
  const member = await authorizeInTeam(cx, caller, 'portal.see', teamId)
  const viewer = viewerOf(member)
  const { page = 1, limit = pageSize } = query
  // The contract lets no other words through.
  const order = (query.sort ?? '-created_at') as PortalOrder
  const [total, portals] = await Promise.all([
    countPortals(cx.db, teamId, viewer, query),
    portalsOfTeam(cx.db, teamId, viewer, query, { order, limit, offset: (page - 1) * limit }),
  ])
  return { metadata: { total }, records: portals.map((portal) => presentPortal(cx, portal, member.role)) }
}

/** The same without pages, as JSON text in pieces. */
export async function listAllPortals(cx: Needs, caller: Caller, teamId: string): Promise<AsyncIterable<string>> {
  return pieces(cx, await authorizeInTeam(cx, caller, 'portal.see', teamId))
}

async function* pieces(cx: Needs, member: Member): AsyncGenerator<string> {
  let after: PortalRow | undefined
  let before = '['
  while (true) {
    const portals = await portalsAfter(cx.db, member.teamId, viewerOf(member), after, batch)
    if (portals.length > 0) {
      yield before + portals.map((portal) => JSON.stringify(presentPortal(cx, portal, member.role))).join(',')
      before = ','
    }
    if (portals.length < batch) break
    after = portals.at(-1)
  }
  yield before === '[' ? '[]' : ']'
}
