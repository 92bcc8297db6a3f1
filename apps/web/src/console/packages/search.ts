import { type listInbox, packageSorts, packageStates } from '@longshore/contract/cloud/packages'
import type { InputOf } from '@longshore/contract/endpoint'
import { endOfDay, startOfDay } from '../frame/input-time.ts'
import { withoutUndefined } from '../session/without-undefined.ts'

export type PackageState = (typeof packageStates)[number]
export type ListQuery = InputOf<typeof listInbox>['query']

/** What a list of packages shows, as its address says: a search can be bookmarked and sent to a colleague. */
export interface PackageSearch {
  readonly page?: number
  readonly sort?: string
  readonly status?: readonly PackageState[]
  readonly name?: string
  readonly sender?: string
  readonly tag?: string
  readonly portal?: string
  /** Days, `2026-11-15`. */
  readonly from?: string
  readonly to?: string
}

export const pageSize = 50
export const defaultSort = '-created_at'
export const defaultStates: readonly PackageState[] = ['new', 'finalized', 'expired']

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
const day = (value: unknown) => (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined)

/** Reads an address; what makes no sense in it is left out. */
export function searchOf(raw: Readonly<Record<string, unknown>>): PackageSearch {
  const page = Number(raw['page'])
  const sort = text(raw['sort'])
  const states = packageStates.filter((state) => Array.isArray(raw['status']) && raw['status'].includes(state))
  return withoutUndefined({
    page: Number.isInteger(page) && page > 1 ? page : undefined,
    sort: sort !== undefined && packageSorts.some((name) => sort === name || sort === `-${name}`) ? sort : undefined,
    status: states.length > 0 ? states : undefined,
    name: text(raw['name']),
    sender: text(raw['sender']),
    tag: text(raw['tag']),
    portal: text(raw['portal']),
    from: day(raw['from']),
    to: day(raw['to']),
  })
}

/** The query of the API. Days are whole. */
export const queryOf = (search: PackageSearch, timeZone: string): ListQuery =>
  withoutUndefined({
    page: search.page ?? 1,
    limit: pageSize,
    sort: search.sort ?? defaultSort,
    status: [...(search.status ?? defaultStates)],
    name: search.name,
    sender: search.sender,
    tags: search.tag === undefined ? undefined : [search.tag],
    portal: search.portal,
    created_at_start: search.from === undefined ? undefined : startOfDay(search.from, timeZone),
    created_at_end: search.to === undefined ? undefined : endOfDay(search.to, timeZone),
  })
