import { plannedAnew, type Reads, type Sql, sql, sqlJoin } from '#platform/db'
import {
  type FilterName,
  fits,
  inSpaces,
  isOverdue,
  keptAs,
  namesIn,
  type PackageFilter,
  type Span,
} from './package-filter.ts'
import { type PackageState, packagesOf } from './packages.ts'

/** What the counts of one shape are told apart by, and which span they are cut along. */
interface Shape {
  readonly name: string
  readonly by: readonly ('spaces' | 'tags' | 'sender' | 'kept')[]
  readonly along?: 'created' | 'expiry'
  readonly unit?: 'day' | 'month'
}

const all: Shape = { name: 'all', by: [] }
const created: Shape = { name: 'created', by: [], along: 'created', unit: 'day' }
const spaceCreated: Shape = { name: 'space-created', by: ['spaces'], along: 'created', unit: 'day' }
const tagCreated: Shape = { name: 'tag-created', by: ['tags'], along: 'created', unit: 'day' }
const spaceTag: Shape = { name: 'space-tag', by: ['spaces', 'tags'] }
const senderMonth: Shape = { name: 'sender-month', by: ['sender'], along: 'created', unit: 'month' }
const expiry: Shape = { name: 'expiry', by: [], along: 'expiry', unit: 'day' }
const kept: Shape = { name: 'kept', by: ['kept'] }

/** The smallest counts that answer a filter, by what it narrows by. Every other combination is counted row by row. */
const shapes: Readonly<Record<string, Shape>> = {
  '': all,
  created,
  expiry,
  kept,
  spaces: spaceTag,
  tags: spaceTag,
  'tags spaces': spaceTag,
  'spaces created': spaceCreated,
  'tags created': tagCreated,
  sender: senderMonth,
  'sender created': senderMonth,
}

/** Shapes whose counts are also kept for each Portal. */
const ofPortals: ReadonlySet<Shape> = new Set([all, created, expiry, kept])

const portalNames: ReadonlySet<FilterName> = new Set(['portalId', 'hiddenPortals'])

function shapeFor(filter: PackageFilter, more: readonly FilterName[] = []): Shape | undefined {
  const names = namesIn(filter)
  const narrowing = [...new Set([...names.filter((name) => !portalNames.has(name)), ...more])]
  const shape = shapes[narrowing.join(' ')]
  const byPortal = names.some((name) => portalNames.has(name))
  return shape !== undefined && byPortal && !ofPortals.has(shape) ? undefined : shape
}

export interface Totals {
  readonly total: number
  /** By the state they read at this second. */
  readonly byState: ReadonlyMap<PackageState, number>
  /** Out of about how many that a walk would come through. */
  readonly outOf: number
}

/** How many packages fit. Exact: counts, what waits beside them, and rows where no counts tell. */
export async function totalsOf(reads: Reads, filter: PackageFilter): Promise<Totals> {
  const shape = shapeFor(filter)
  const pieces = shape === undefined ? [counted(filter, sql`null::date`)] : countedByShape(filter, shape)
  const rows = await reads.rows<{ state: PackageState; n: number; out_of: number }>(
    plannedAnew(sql`
      select state, sum(n)::bigint as n,
             (select coalesce(sum(n), 0)::bigint from (${walkedThrough(filter)}) walked) as out_of
        from (${sqlJoin([...pieces, ...overdue(filter, sql`null::date`)], sql` union all `)}) counted
       group by state
    `),
  )
  return {
    total: rows.reduce((sum, { n }) => sum + n, 0),
    byState: new Map(rows.map(({ state, n }) => [state, n])),
    outOf: rows[0]?.out_of ?? 0,
  }
}

/** What is left of a filter for an index to lead by, counted without what waits: it only helps to choose a way. */
function walkedThrough({ teamId, received, states, tags, sender, spaces }: PackageFilter): Sql {
  const whole = { teamId, received, states, hiddenPortals: [] }
  if (tags !== undefined) return keptCounts({ ...whole, tags }, spaceTag, undefined)[0]
  if (sender !== undefined) return keptCounts({ ...whole, sender }, senderMonth, undefined)[0]
  if (spaces !== undefined) return keptCounts({ ...whole, spaces }, spaceTag, undefined)[0]
  return keptCounts(whole, all, undefined)[0]
}

/** A day or month of creation. */
export interface Bucket {
  readonly begins: Date
  readonly ends: Date
  /** How many come before its first. */
  readonly before: number
}

/** Where in the order of creation the place behind so many packages lies. Undefined where no counts tell. */
export async function bucketAt(
  reads: Reads,
  filter: PackageFilter,
  place: { readonly descending: boolean; readonly offset: number },
): Promise<Bucket | undefined> {
  const shape = shapeFor(filter, filter.created === undefined ? ['created'] : [])
  if (shape?.along !== 'created' || shape.unit === undefined) return undefined
  const unit = shape.unit
  const pieces = [...countedByShape(filter, shape), ...overdue(filter, bucketOf(sql`p.created_at`, unit))]
  const order = place.descending ? sql`day desc` : sql`day`
  return reads.row<Bucket>(
    plannedAnew(sql`
      select day::timestamp at time zone 'UTC' as begins,
             (day + ${`1 ${unit}`}::interval) at time zone 'UTC' as ends, before
        from (select day, sum(n) as n, (sum(sum(n)) over (order by ${order}) - sum(n))::bigint as before
                from (${sqlJoin(pieces, sql` union all `)}) counted
               group by day) buckets
       where n > 0 and before <= ${place.offset}
       order by before desc
       limit 1
    `),
  )
}

/** Counts, deltas that wait, and the rows of the begun days at both ends of a span; as `(state, day, n)`. */
function countedByShape(filter: PackageFilter, shape: Shape): readonly Sql[] {
  const { along, unit } = shape
  const span = along === undefined ? undefined : filter[along]
  if (along === undefined || unit === undefined || span === undefined) return keptCounts(filter, shape, undefined)
  const { whole, edges } = cut(span, unit)
  return [
    ...(whole === undefined ? [] : keptCounts(filter, shape, whole)),
    ...edges.map((edge) => counted({ ...filter, [along]: edge }, bucketOf(columns[along], unit))),
  ]
}

const columns = { created: sql`p.created_at`, expiry: sql`p.expiry` } as const

const bucketOf = (time: Sql, unit: 'day' | 'month'): Sql => sql`date_trunc(${unit}, ${time} at time zone 'UTC')::date`

/** Rows of the table, counted one by one. */
const counted = (filter: PackageFilter, day: Sql): Sql => sql`
  select p.state, ${day} as day, count(*) as n
    from ${packagesOf(filter.teamId)} p
   where ${fits(filter)} and p.state = any(${filter.states}::text[])
   group by 1, 2`

/** Those that are still written down as finalized are taken from there and added to the expired. */
function overdue(filter: PackageFilter, day: Sql): readonly Sql[] {
  const signs = [
    { state: 'finalized', sign: -1 },
    { state: 'expired', sign: 1 },
  ] as const
  return signs
    .filter(({ state }) => filter.states.includes(state))
    .map(
      ({ state, sign }) => sql`
        select ${state}::text, ${day} as day, ${sign}::integer as n
          from ${packagesOf(filter.teamId)} p
         where ${fits(filter)} and ${isOverdue(filter)}`,
    )
}

interface Days {
  readonly from?: string | undefined
  readonly until?: string | undefined
}

function keptCounts(filter: PackageFilter, shape: Shape, days: Days | undefined): readonly [Sql, ...Sql[]] {
  const { teamId, received, states, hiddenPortals, portalId } = filter
  const countsOf = (portals: Sql, n: Sql) => sql`
    select c.state, c.day, ${n} as n
      from package_counts c
     where c.team_id = ${teamId} and c.received = ${received} and ${portals} and c.shape = ${shape.name}
       and c.state = any(${states}::text[]) and ${toldApart(filter, shape)} and ${between(sql`c.day`, days)}`
  const hidden = sql`c.portal_id = any(${hiddenPortals}::uuid[])`
  const counts: readonly [Sql, ...Sql[]] =
    portalId !== undefined
      ? [countsOf(sql`c.portal_id = ${portalId} and not ${hidden}`, sql`c.n`)]
      : [
          countsOf(sql`c.portal_id is null`, sql`c.n`),
          ...(hiddenPortals.length === 0 ? [] : [countsOf(hidden, sql`-c.n`)]),
        ]
  const day = shape.along === 'expiry' ? sql`d.expiry_day` : sql`d.created_day`
  const deltas = sql`
    select d.state, ${shape.unit === undefined ? sql`null::date` : sql`date_trunc(${shape.unit}, ${day})::date`}, d.n
      from package_deltas d
     where d.team_id = ${teamId} and (d.portal_id is not null) = ${received} and d.state = any(${states}::text[])
       and ${portalId === undefined ? sql`true` : sql`d.portal_id = ${portalId}`}
       and (d.portal_id is null or d.portal_id <> all(${hiddenPortals}::uuid[]))
       and ${sqlJoin(dimensions(filter, sql`d`), sql` and `)} and ${between(day, days)}`
  return [...counts, deltas]
}

/** Columns that a shape does not tell apart are null in its counts. Said, so that the index leads there. */
function toldApart(filter: PackageFilter, { by }: Shape): Sql {
  const unused = (['spaces', 'tags', 'sender'] as const).filter((name) => !by.includes(name))
  const told = { spaces: sql`c.teamspace_id`, tags: sql`c.tag_id`, sender: sql`c.sender` } as const
  return sqlJoin([...unused.map((name) => sql`${told[name]} is null`), ...dimensions(filter, sql`c`)], sql` and `)
}

const dimensions = (filter: PackageFilter, row: Sql): readonly Sql[] => [
  sql`true`,
  ...(filter.spaces === undefined ? [] : [inSpaces(sql`${row}.teamspace_id`, filter.spaces)]),
  ...(filter.tags === undefined ? [] : [sql`${row}.tag_id = any(${filter.tags}::uuid[])`]),
  ...(filter.sender === undefined ? [] : [sql`${row}.sender = lower(${filter.sender})`]),
  ...(filter.kept === undefined ? [] : [keptAs(sql`${row}.kept_days`, filter.kept)]),
]

const between = (day: Sql, { from, until }: Days = {}): Sql =>
  sqlJoin(
    [
      sql`true`,
      ...(from === undefined ? [] : [sql`${day} >= ${from}::date`]),
      ...(until === undefined ? [] : [sql`${day} < ${until}::date`]),
    ],
    sql` and `,
  )

/** A span as whole days or months, and what is left of it at its ends. */
export function cut(span: Span, unit: 'day' | 'month'): { readonly whole?: Days; readonly edges: readonly Span[] } {
  const first = span.from === undefined ? undefined : firstWhole(span.from, unit)
  const last = span.until === undefined ? undefined : beginOf(span.until, unit)
  if (first !== undefined && last !== undefined && first >= last) return { edges: [span] }
  return {
    whole: { from: first && dayOf(first), until: last && dayOf(last) },
    edges: [
      ...(span.from !== undefined && first !== undefined && span.from < first
        ? [{ from: span.from, until: first }]
        : []),
      ...(span.until !== undefined && last !== undefined && last < span.until
        ? [{ from: last, until: span.until }]
        : []),
    ],
  }
}

const beginOf = (time: Date, unit: 'day' | 'month'): Date =>
  new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), unit === 'day' ? time.getUTCDate() : 1))

function firstWhole(time: Date, unit: 'day' | 'month'): Date {
  const begin = beginOf(time, unit)
  if (begin.getTime() === time.getTime()) return begin
  const [year, month, day] = [begin.getUTCFullYear(), begin.getUTCMonth(), begin.getUTCDate()]
  return unit === 'day' ? new Date(Date.UTC(year, month, day + 1)) : new Date(Date.UTC(year, month + 1, 1))
}

// The day after the last of the year 9999 has five digits and, in ISO, a sign.
const dayOf = (time: Date): string => time.toISOString().replace(/^\+0/, '').replace(/T.*$/, '')

/** The shortest and the longest that a package of the list is kept, in days; null where none has an end. */
export const keptDaysOf = (reads: Reads, { teamId, received }: PackageFilter) =>
  reads.row<{ least: number | null; most: number | null }>(sql`
    select min(kept_days) as least, max(kept_days) as most
      from (select kept_days from package_counts
             where team_id = ${teamId} and received = ${received} and portal_id is null and shape = 'kept' and n > 0
            union all
            select kept_days from package_deltas
             where team_id = ${teamId} and (portal_id is not null) = ${received} and n > 0) kept
     where kept_days < 2147483647
  `)
