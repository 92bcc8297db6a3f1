import type { PackageListQuery } from '#domain/packages/list-packages'
import type { PackageFacts } from './many-packages.ts'

/** What decides besides the query: who looks, and what the Team has. */
export interface ModelTeam {
  readonly defaultDays: number
  readonly deletedTags: readonly string[]
  /** Undefined for those who see everything. */
  readonly sight?: { readonly spaces: readonly string[]; readonly portals: readonly string[] }
}

type Facts = PackageFacts

/** What a list must answer, worked out from all packages in the plainest way there is. */
export function modelList(
  all: readonly Facts[],
  received: boolean,
  query: PackageListQuery & { readonly portal?: string },
  team: ModelTeam,
): { readonly total: number; readonly ids: readonly string[] } {
  const { page = 1, limit = 50, sort = '-created_at' } = query
  const found = all.filter((pkg) => (pkg.portal_id !== null) === received && seen(pkg, team) && asked(pkg, query, team))
  const way = sort.startsWith('-') ? -1 : 1
  const keyOf = sortKeys[sort.replace('-', '')]
  if (keyOf === undefined) throw new Error(`No key for '${sort}'.`)
  const sorted = found.toSorted((a, b) => way * (compare(keyOf(a), keyOf(b)) || compare(a.id, b.id)))
  return {
    total: found.length,
    ids: sorted.slice((page - 1) * limit, page * limit).map(({ id }) => id),
  }
}

export const stateNow = ({ state, expiry }: Facts) =>
  state === 'finalized' && expiry !== null && expiry.getTime() <= Date.now() ? 'expired' : state

const sortKeys: Readonly<Record<string, (pkg: Facts) => string | number>> = {
  name: (pkg) => pkg.name.toLowerCase(),
  created_at: (pkg) => pkg.created_at.getTime(),
  finalized_at: (pkg) => pkg.finalized_at?.getTime() ?? Infinity,
  size: (pkg) => pkg.size,
  usage_total_bytes: (pkg) => pkg.size + pkg.downloaded_bytes,
  expiry: (pkg) => pkg.expiry?.getTime() ?? Infinity,
  sender: (pkg) => pkg.sender.toLowerCase(),
  status: stateNow,
  teamspace_id: (pkg) => pkg.teamspace_id ?? '',
}

const compare = (a: string | number, b: string | number): number =>
  typeof a === 'string' && typeof b === 'string'
    ? Buffer.compare(Buffer.from(a), Buffer.from(b))
    : Number(a) - Number(b) || 0

const seen = (pkg: Facts, { sight }: ModelTeam): boolean =>
  sight === undefined ||
  (pkg.portal_id === null
    ? pkg.teamspace_id === null || sight.spaces.includes(pkg.teamspace_id)
    : sight.portals.includes(pkg.portal_id))

function asked(pkg: Facts, query: PackageListQuery & { readonly portal?: string }, team: ModelTeam): boolean {
  const among = (list: readonly string[] | undefined, id: string | null) =>
    list === undefined || list.length === 0 || (id !== null && list.includes(id))
  const tag = pkg.tag_id !== null && team.deletedTags.includes(pkg.tag_id) ? null : pkg.tag_id
  const longer = pkg.expiry === null || pkg.expiry.getTime() - pkg.created_at.getTime() > team.defaultDays * 86_400_000
  return (
    (query.status?.length ? query.status : ['finalized', 'expired']).includes(stateNow(pkg)) &&
    pkg.name.toLowerCase().includes((query.name ?? '').toLowerCase()) &&
    (!query.sender || pkg.sender.toLowerCase() === query.sender.toLowerCase()) &&
    among(query.tags, tag) &&
    among(query.teamspaces, pkg.teamspace_id) &&
    inside(pkg.created_at, query.created_at_start, query.created_at_end) &&
    inside(pkg.finalized_at, query.finalized_at_start, query.finalized_at_end) &&
    inside(pkg.expiry, query.expiry_start, query.expiry_end) &&
    (query.extra_storage === undefined || query.extra_storage === longer) &&
    (query.portal === undefined || query.portal === pkg.portal_id)
  )
}

function inside(time: Date | null, start: string | undefined, end: string | undefined): boolean {
  if (start === undefined && end === undefined) return true
  return (
    time !== null &&
    (start === undefined || time.getTime() >= Date.parse(start)) &&
    (end === undefined || time.getTime() <= Date.parse(end))
  )
}
