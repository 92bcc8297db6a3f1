import type { Database } from './database.ts'

export type ItemState = 'pending' | 'transferring' | 'complete' | 'error' | 'skipped'

export interface ItemRow {
  readonly n: number
  readonly kind: 'file' | 'directory'
  readonly name: string
  readonly path: string
  readonly size: number
  readonly last_modified: string
  readonly state: ItemState
  readonly progress: number
  readonly error: string | null
  readonly local: string
  readonly identity: string
  readonly file_id: string
  readonly sha256: string | null
  readonly page: string
}

/** `page` is only of deliveries. */
export type NewItem = Omit<ItemRow, 'n' | 'progress' | 'page'> & { readonly page?: string }

/** Gives it the next number. Answers false where an entry at this place is known already. */
export function addItem(db: Database, transfer: number, item: NewItem): boolean {
  const added = db.run(
    `insert into items (transfer, n, kind, name, path, size, last_modified, state, progress, error, local, identity,
                        file_id, sha256, page)
     values (?, (select coalesce(max(n), -1) + 1 from items where transfer = ?), ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?)
     on conflict (transfer, path, name) do nothing`,
    transfer,
    transfer,
    item.kind,
    item.name,
    item.path,
    item.size,
    item.last_modified,
    item.state,
    item.error,
    item.local,
    item.identity,
    item.file_id,
    item.sha256,
    item.page ?? '',
  )
  return added === 1
}

/** The next ones to be moved, behind number `after`. */
export const itemsToMove = (db: Database, transfer: number, after: number, limit: number): ItemRow[] =>
  db.all<ItemRow>(
    `select * from items where transfer = ? and n > ? and state <> 'skipped' order by n limit ?`,
    transfer,
    after,
    limit,
  )

export const isItem = (
  db: Database,
  transfer: number,
  place: { readonly path: string; readonly name: string },
): boolean =>
  db.all('select 1 from items where transfer = ? and path = ? and name = ?', transfer, place.path, place.name).length >
  0

/** Numbers have no gaps, so a page deep inside costs no more than the first. */
export const pageOfItems = (db: Database, transfer: number, offset: number, limit: number): ItemRow[] =>
  db.all<ItemRow>('select * from items where transfer = ? and n >= ? order by n limit ?', transfer, offset, limit)

export const pageOfItemsIn = (
  db: Database,
  transfer: number,
  states: readonly ItemState[],
  offset: number,
  limit: number,
): ItemRow[] =>
  db.all<ItemRow>(
    `select * from items where transfer = ? and state in (select value from json_each(?))
      order by n limit ? offset ?`,
    transfer,
    JSON.stringify(states),
    limit,
    offset,
  )

/** Without states, of all of them. */
export const countItems = (db: Database, transfer: number, states: readonly ItemState[] | undefined): number =>
  db.all<{ count: number }>(
    `select count(*) as count from items
      where transfer = ? and (? is null or state in (select value from json_each(?)))`,
    transfer,
    states === undefined ? null : 1,
    JSON.stringify(states ?? []),
  )[0]?.count ?? 0

export interface ItemNews {
  readonly state: ItemState
  readonly progress: number
  readonly error: string | null
}

export const saveItem = (db: Database, transfer: number, n: number, news: ItemNews): number =>
  db.run(
    'update items set state = ?, progress = min(size, max(progress, ?)), error = ? where transfer = ? and n = ?',
    news.state,
    news.progress,
    news.error,
    transfer,
    n,
  )

/** Of a file that is still being written, or was since it was listed. */
export const resizeItem = (db: Database, transfer: number, n: number, size: number): number =>
  db.run('update items set size = ?, progress = min(progress, ?) where transfer = ? and n = ?', size, size, transfer, n)

/** Once the engine says that all of them are moved. */
export const completeItems = (db: Database, transfer: number): number =>
  db.run(
    `update items set state = 'complete', progress = size, error = null
      where transfer = ? and state not in ('skipped', 'complete')`,
    transfer,
  )

/** No run is under way: what was in the middle, or failed, waits for the next. */
export const releaseItems = (db: Database, transfer: number, states: readonly ItemState[]): number =>
  db.run(
    `update items set state = 'pending', error = null
      where transfer = ? and state in (select value from json_each(?))`,
    transfer,
    JSON.stringify(states),
  )

export const readItem = (db: Database, transfer: number, n: number): ItemRow | undefined =>
  db.all<ItemRow>('select * from items where transfer = ? and n = ?', transfer, n)[0]
