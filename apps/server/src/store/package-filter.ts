import { type Sql, sql, sqlJoin } from '#platform/db'
import { type PackageState, packagesOf } from './packages.ts'

/** From a moment on, until before another. */
export interface Span {
  readonly from?: Date | undefined
  readonly until?: Date | undefined
}

/** Which packages of a Team a list is about. What the viewer does not see is left out here already. */
export interface PackageFilter {
  readonly teamId: string
  /** Those that came through Portals; otherwise those that the Team sent. */
  readonly received: boolean
  readonly portalId?: string | undefined
  /** Portals whose packages the viewer does not see. */
  readonly hiddenPortals: readonly string[]
  /** As they read at this second. At least one. */
  readonly states: readonly PackageState[]
  /** Any part of the name. */
  readonly name?: string | undefined
  readonly sender?: string | undefined
  readonly tags?: readonly string[] | undefined
  /** In one of these Teamspaces, or in none. */
  readonly spaces?: { readonly ids: readonly string[]; readonly none: boolean } | undefined
  readonly created?: Span | undefined
  readonly finalized?: Span | undefined
  readonly expiry?: Span | undefined
  /** Kept for longer than so many days, or not. */
  readonly kept?: { readonly longer: boolean; readonly days: number } | undefined
}

export type FilterName =
  | 'portalId'
  | 'hiddenPortals'
  | 'name'
  | 'sender'
  | 'tags'
  | 'spaces'
  | 'created'
  | 'finalized'
  | 'expiry'
  | 'kept'

const filterNames = [
  'portalId',
  'hiddenPortals',
  'name',
  'sender',
  'tags',
  'spaces',
  'created',
  'finalized',
  'expiry',
  'kept',
] as const

/** What a filter narrows by, besides the states. */
export const namesIn = (filter: PackageFilter): readonly FilterName[] =>
  filterNames.filter((name) =>
    name === 'hiddenPortals' ? filter.hiddenPortals.length > 0 : filter[name] !== undefined,
  )

/** Packages (as `p`) that fit, whatever their state. */
export const fits = (filter: PackageFilter): Sql =>
  sqlJoin(
    [
      sql`p.team_id = ${filter.teamId} and p.received = ${filter.received}`,
      ...(filter.portalId === undefined ? [] : [sql`p.portal_id = ${filter.portalId}`]),
      ...(filter.hiddenPortals.length === 0 ? [] : [sql`p.portal_id <> all(${filter.hiddenPortals}::uuid[])`]),
      ...(filter.name === undefined ? [] : [sql`p.name_key like lower(${partOf(filter.name)})`]),
      ...(filter.sender === undefined ? [] : [sql`p.sender_key = lower(${filter.sender})`]),
      ...(filter.tags === undefined ? [] : [sql`p.tag_id = any(${filter.tags}::uuid[])`]),
      ...(filter.spaces === undefined ? [] : [inSpaces(sql`p.teamspace_id`, filter.spaces)]),
      ...within(sql`p.created_at`, filter.created),
      ...within(sql`p.finalized_at`, filter.finalized),
      ...within(sql`p.expiry`, filter.expiry),
      ...(filter.kept === undefined ? [] : [keptAs(sql`p.kept_days`, filter.kept)]),
    ],
    sql` and `,
  )

/** A pattern for any part of a text, in which nothing but that text has a meaning. */
const partOf = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`

export function inSpaces(column: Sql, { ids, none }: NonNullable<PackageFilter['spaces']>): Sql {
  const inOne = sql`${column} = any(${ids}::uuid[])`
  return none ? sql`(${column} is null or ${inOne})` : inOne
}

export const keptAs = (column: Sql, { longer, days }: NonNullable<PackageFilter['kept']>): Sql =>
  longer ? sql`${column} > ${days}` : sql`${column} <= ${days}`

const within = (column: Sql, span: Span = {}): readonly Sql[] => [
  ...(span.from === undefined ? [] : [sql`${column} >= ${span.from}`]),
  ...(span.until === undefined ? [] : [sql`${column} < ${span.until}`]),
]

/**
 * The states that are wanted as conditions on what the table holds, one ordered walk each. A finalized package whose
 * time is over reads `expired` before the worker has written it down; where both are wanted that makes no difference.
 */
export function statesAsStored(filter: PackageFilter): readonly Sql[] {
  const { states } = filter
  const both = states.includes('finalized') && states.includes('expired')
  return states.flatMap((state): readonly Sql[] => {
    if (state === 'finalized' && !both) return [sql`p.state = 'finalized' and p.id <> all(${overdueIds(filter)})`]
    if (state === 'expired' && !both) return [sql`p.state = 'expired'`, isOverdue(filter)]
    return [sql`p.state = ${state}`]
  })
}

/** Packages (as `p`) that are still written down as finalized, though their time is over. */
export const isOverdue = (filter: PackageFilter): Sql => sql`p.id = any(${overdueIds(filter)})`

// They are few, since the worker comes by every minute, and statistics do not know it: most expiries lie in the past.
// Found first and named by id, they mislead no plan, and a walk through an index need not look into the table.
const overdueIds = ({ teamId, received }: PackageFilter): Sql => sql`array(
  select o.id from ${packagesOf(teamId)} o
   where o.team_id = ${teamId} and o.received = ${received} and o.state = 'finalized' and o.expiry <= now())`
