import { plannedAnew, type Reads, type Sql, sql, sqlJoin } from '#platform/db'
import { type FilterName, fits, namesIn, type PackageFilter, statesAsStored } from './package-filter.ts'
import { bucketAt, keptDaysOf, type Totals } from './package-totals.ts'
import { packageColumns, type PackageRow, type PackageState, packagesOf } from './packages.ts'

/** What each order compares first; then comes the id. Those never finalized, and without an expiry, end last, those in no Teamspace come first. */
const keys = {
  name: { key: sql`p.name_key` },
  created_at: { key: sql`p.created_at` },
  finalized_at: { key: sql`p.finalized_at` },
  size: { key: sql`p.size` },
  usage_total_bytes: { key: sql`p.usage_total_bytes` },
  expiry: { key: sql`p.expiry` },
  sender: { key: sql`p.sender_key` },
  teamspace_id: { key: sql`p.teamspace_id`, nullsFirst: true },
  id: { key: sql`p.id` },
} as const

export type PackageOrder = Exclude<keyof typeof keys, 'id'> | 'status'

export interface PageOfPackages {
  readonly order: PackageOrder
  readonly descending: boolean
  readonly limit: number
  readonly offset: number
}

type Page = Omit<PageOfPackages, 'order'> & { readonly order: keyof typeof keys }

const statesInOrder: readonly PackageState[] = ['archived', 'expired', 'finalized', 'new']

/** One page of a list whose totals are known. They decide by which way the page is found. */
export async function pageOfPackages(
  reads: Reads,
  filter: PackageFilter,
  totals: Totals,
  page: PageOfPackages,
): Promise<readonly PackageRow[]> {
  const { order, ...rest } = page
  if (order !== 'status') return pageOf(reads, filter, totals, { ...rest, order })
  // Packages of one state stand together, by id: the page is a piece of one state's list, or of two.
  const rows: PackageRow[] = []
  let offset = page.offset
  for (const state of page.descending ? statesInOrder.toReversed() : statesInOrder) {
    const total = totals.byState.get(state) ?? 0
    const limit = page.limit - rows.length
    if (filter.states.includes(state) && limit > 0 && offset < total) {
      const ofState = { ...filter, states: [state] }
      rows.push(...(await pageOf(reads, ofState, { ...totals, total }, { ...rest, order: 'id', limit, offset })))
    }
    offset = Math.max(0, offset - total)
  }
  return rows
}

// A sort of more than so many would itself take too long.
const mostGathered = 200_000

/** Whether finding and sorting all that fit takes fewer rows than walking the list until the page is full. */
const areFew = ({ total, outOf }: Totals, { offset, limit }: Page): boolean =>
  total <= mostGathered && total * total <= (offset + limit) * outOf

// So many entries of an index are passed in less time than it takes to ask the counts for a nearer start.
const farAway = 2_000

async function pageOf(reads: Reads, filter: PackageFilter, totals: Totals, page: Page): Promise<readonly PackageRow[]> {
  if (page.offset >= totals.total) return []
  const rest = namesIn(filter).filter((name) => !walkedBy(filter, page.order).includes(name))
  if (rest.length > 0 && areFew(totals, page)) return reads.rows<PackageRow>(gathered(filter, page))
  const fromNearerEnd = turned(page, totals.total)
  const narrowed = page.order === 'created_at' ? await createdWhen(reads, filter) : filter
  const near = await skipped(reads, narrowed, fromNearerEnd)
  const rows = await reads.rows<PackageRow>(walked(near.filter, near.page))
  return fromNearerEnd.descending === page.descending ? rows : rows.toReversed()
}

/** What an index in this order is narrowed by itself. */
function walkedBy(filter: PackageFilter, order: Page['order']): readonly FilterName[] {
  if (order === 'expiry') return ['expiry']
  if (order === 'finalized_at') return ['finalized']
  if (order === 'sender') return ['sender']
  if (order !== 'created_at') return []
  return [
    ...(filter.portalId !== undefined
      ? ['portalId' as const]
      : (lanesOf(filter) ?? []).slice(0, 1).map(({ by }) => by)),
    'created',
  ]
}

/** The same page counted from the other end, where that is nearer. */
function turned(page: Page, total: number): Page {
  if (page.offset * 2 <= total) return page
  const limit = Math.min(page.limit, total - page.offset)
  return { ...page, descending: !page.descending, limit, offset: total - page.offset - limit }
}

/** Deep in the order of creation the counts say in which day the page begins. */
async function skipped(
  reads: Reads,
  filter: PackageFilter,
  page: Page,
): Promise<{ filter: PackageFilter; page: Page }> {
  if (page.order !== 'created_at' || page.offset < farAway) return { filter, page }
  const bucket = await bucketAt(reads, filter, page)
  if (bucket === undefined) return { filter, page }
  const { from, until } = filter.created ?? {}
  const created = page.descending
    ? { from, until: until === undefined || bucket.ends < until ? bucket.ends : until }
    : { from: from === undefined || bucket.begins > from ? bucket.begins : from, until }
  return { filter: { ...filter, created }, page: { ...page, offset: page.offset - bucket.before } }
}

const dayMs = 86_400_000

/**
 * A package expires some days after it was created. Known how many at least and at most, a span of expiry is one of
 * creation too, and a walk in that order need not begin years away from it.
 */
async function createdWhen(reads: Reads, filter: PackageFilter): Promise<PackageFilter> {
  if (filter.expiry === undefined || filter.created !== undefined) return filter
  const { least, most } = (await keptDaysOf(reads, filter)) ?? {}
  if (least == null || most == null) return filter
  const { from, until } = filter.expiry
  const created = {
    from: from && new Date(from.getTime() - most * dayMs),
    until: until && new Date(until.getTime() - (least - 1) * dayMs),
  }
  return { ...filter, created }
}

// More walks at once cost more to plan than they save.
const mostLanes = 12

interface Lane {
  readonly by: FilterName
  readonly fits: Sql
}

/**
 * Where an index leads by a tag, sender or Teamspace and then by creation: one walk for each of them. In its own walk a
 * tag is named alone: an index that is asked for any of a list does not keep its order.
 */
function lanesOf(filter: PackageFilter): readonly Lane[] | undefined {
  const { tags, sender, spaces } = filter
  const most = Math.floor(mostLanes / statesAsStored(filter).length)
  if (tags !== undefined && tags.length <= most) {
    const rest = fits({ ...filter, tags: undefined })
    return tags.map((id) => ({ by: 'tags', fits: sql`${rest} and p.tag_id = ${id}::uuid` }))
  }
  if (sender !== undefined) return [{ by: 'sender', fits: fits(filter) }]
  if (spaces?.none === false && spaces.ids.length <= most) {
    const rest = fits({ ...filter, spaces: undefined })
    return spaces.ids.map((id) => ({ by: 'spaces', fits: sql`${rest} and p.teamspace_id = ${id}::uuid` }))
  }
  return undefined
}

/** Ordered walks through one index, merged until the page is full. First the ids alone, then their rows. */
function walked(filter: PackageFilter, page: Page, behind = sql`true`): Sql {
  const { key } = keys[page.order]
  const way = wayOf(page)
  const lanes = page.order === 'created_at' ? lanesOf(filter)?.map((lane) => lane.fits) : undefined
  // Each walk says how far it goes at most: without that it would be planned as if all of it were wanted.
  const walks = (lanes ?? [fits(filter)]).flatMap((lane) =>
    statesAsStored(filter).map(
      (state) => sql`
        (select ${key} as key, p.id from ${packagesOf(filter.teamId)} p
          where ${lane} and ${state} and ${behind}
          order by ${key} ${way.key}, p.id ${way.id}
          limit ${page.offset + page.limit})`,
    ),
  )
  return rowsOf(filter, page, sqlJoin(walks, sql` union all `))
}

/** All that fit, found by whichever index finds them, then sorted. */
function gathered(filter: PackageFilter, page: Page): Sql {
  const { key } = keys[page.order]
  const states = sqlJoin(
    statesAsStored(filter).map((state) => sql`(${state})`),
    sql` or `,
  )
  const found = sql`
    found as materialized (
      select ${key} as key, p.id from ${packagesOf(filter.teamId)} p where ${fits(filter)} and (${states})
    ),`
  return rowsOf(filter, page, sql`select * from found`, found)
}

function rowsOf(filter: PackageFilter, page: Page, candidates: Sql, before = sql``): Sql {
  const way = wayOf(page)
  return plannedAnew(sql`
    with ${before}
    chosen as materialized (
      select c.id from (${candidates}) c
       order by c.key ${way.key}, c.id ${way.id}
       limit ${page.limit} offset ${page.offset}
    )
    select ${packageColumns}
      from chosen c join ${packagesOf(filter.teamId)} p on p.team_id = ${filter.teamId} and p.id = c.id
     order by ${keys[page.order].key} ${way.key}, p.id ${way.id}
  `)
}

function wayOf({ order, descending }: Page): { readonly key: Sql; readonly id: Sql } {
  const nullsFirst = 'nullsFirst' in keys[order]
  const id = descending ? sql`desc` : sql`asc`
  if (!nullsFirst) return { key: id, id }
  return { key: descending ? sql`desc nulls last` : sql`asc nulls first`, id }
}

/** The next of a list from the newest on, behind the one given. */
export function packagesAfter(
  reads: Reads,
  filter: PackageFilter,
  after: Pick<PackageRow, 'created_at' | 'id'> | undefined,
  limit: number,
): Promise<PackageRow[]> {
  const behind =
    after === undefined ? sql`true` : sql`(p.created_at, p.id) < (${after.created_at}::timestamptz, ${after.id}::uuid)`
  return reads.rows<PackageRow>(walked(filter, { order: 'created_at', descending: true, limit, offset: 0 }, behind))
}
