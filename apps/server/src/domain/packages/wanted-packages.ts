import type { Member } from '#domain/access/authorize'
import { viewerOf } from '#domain/access/visible'
import type { Cx } from '#domain/cx'
import { readTime } from '#domain/times'
import type { PackageFilter, Span } from '#store/package-filter'
import type { PackageState } from '#store/packages'
import { tagsAmong } from '#store/tags'
import { teamById } from '#store/teams'
import { sightOf } from '#store/visibility'

/** What a list can be narrowed by, as the wire has it. */
export interface PackageQuery {
  readonly status?: readonly PackageState[]
  readonly name?: string
  readonly sender?: string
  readonly tags?: readonly string[]
  readonly teamspaces?: readonly string[]
  readonly created_at_start?: string
  readonly created_at_end?: string
  readonly finalized_at_start?: string
  readonly finalized_at_end?: string
  readonly expiry_start?: string
  readonly expiry_end?: string
  readonly extra_storage?: boolean
}

export type Scope = Pick<PackageFilter, 'received' | 'portalId'>

const shownByDefault: readonly PackageState[] = ['finalized', 'expired']

/** The packages that a list is to show: those asked for, of those that the member sees. Undefined where that is none. */
export async function wantedPackages(
  cx: Pick<Cx, 'db'>,
  member: Member,
  scope: Scope,
  query: PackageQuery,
): Promise<PackageFilter | undefined> {
  const { teamId } = member
  const tags = given(query.tags) && (await tagsAmong(cx.db, teamId, given(query.tags) ?? []))
  const viewer = viewerOf(member)
  const sight = viewer.seesAll ? undefined : await sightOf(cx.db, teamId, viewer)
  const spaces = spacesFor(given(query.teamspaces), scope.received ? undefined : sight?.spaces)
  if (tags?.length === 0 || (spaces?.none === false && spaces.ids.length === 0)) return undefined
  return {
    ...scope,
    teamId,
    hiddenPortals: scope.received ? (sight?.hiddenPortals ?? []) : [],
    states: given(query.status && [...new Set(query.status)]) ?? shownByDefault,
    name: query.name || undefined,
    sender: query.sender || undefined,
    tags,
    spaces,
    created: span('created_at', query.created_at_start, query.created_at_end),
    finalized: span('finalized_at', query.finalized_at_start, query.finalized_at_end),
    expiry: span('expiry', query.expiry_start, query.expiry_end),
    kept: query.extra_storage === undefined ? undefined : await keptFor(cx, teamId, query.extra_storage),
  }
}

/** An empty list in a query asks for nothing in particular. */
const given = <Item>(list: readonly Item[] | undefined) => (list === undefined || list.length === 0 ? undefined : list)

/** A member who does not see everything sees the packages of their own Teamspaces and of none. */
function spacesFor(asked: readonly string[] | undefined, own: readonly string[] | undefined): PackageFilter['spaces'] {
  if (asked === undefined) return own === undefined ? undefined : { ids: own, none: true }
  return { ids: [...new Set(asked)].filter((id) => own === undefined || own.includes(id.toLowerCase())), none: false }
}

/** Both ends of a span on the wire belong to it. Times have milliseconds, so "until the end" is "before the next". */
function span(field: string, start: string | undefined, end: string | undefined): Span | undefined {
  const from = start === undefined ? null : readTime(`${field}_start`, start)
  const last = end === undefined ? null : readTime(`${field}_end`, end)
  if (from === null && last === null) return undefined
  return { from: from ?? undefined, until: last === null ? undefined : new Date(last.getTime() + 1) }
}

async function keptFor(cx: Pick<Cx, 'db'>, teamId: string, longer: boolean): Promise<PackageFilter['kept']> {
  const team = await teamById(cx.db, teamId)
  if (team === undefined) throw new Error('A member of a Team that is not there.')
  return { longer, days: team.custom_expiry_default }
}
