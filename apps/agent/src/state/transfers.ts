import type { Database } from './database.ts'

export type Direction = 'up' | 'down'
export type TransferState = 'transferring' | 'paused' | 'idle' | 'complete' | 'error'

export interface TransferRow {
  /** Its age: the lower is the older. */
  readonly seq: number
  readonly id: string
  readonly direction: Direction
  readonly type: 'team' | 'portal' | 'link' | 'gateway'
  readonly state: TransferState
  readonly package_id: string
  readonly name: string
  readonly priority: number
  readonly place: number
  readonly size: number
  readonly progress: number
  readonly total_files: number
  readonly files_done: number
  readonly listed: 0 | 1
  readonly error: string | null
  readonly plan: string
  readonly secrets: string
  readonly created_at: string
  readonly updated_at: string
}

export type NewTransfer = Pick<
  TransferRow,
  'id' | 'direction' | 'type' | 'package_id' | 'name' | 'priority' | 'plan' | 'secrets'
>

/** Behind all others in its queue. */
export function addTransfer(db: Database, transfer: NewTransfer, at: Date): number {
  const { id, direction, type, package_id, name, priority, plan, secrets } = transfer
  const now = at.toISOString()
  const row = db.all<{ seq: number }>(
    `insert into transfers (id, direction, type, state, package_id, name, priority, place, size, progress,
                            total_files, files_done, listed, plan, secrets, created_at, updated_at)
     values (?, ?, ?, 'transferring', ?, ?, ?,
             (select coalesce(max(place), 0) + 1 from transfers where direction = ?), 0, 0, 0, 0, 0, ?, ?, ?, ?)
     returning seq`,
    id,
    direction,
    type,
    package_id,
    name,
    priority,
    direction,
    plan,
    secrets,
    now,
    now,
  )[0]
  return row?.seq ?? 0
}

export const readTransfer = (db: Database, direction: Direction, id: string): TransferRow | undefined =>
  db.all<TransferRow>('select * from transfers where direction = ? and id = ?', direction, id)[0]

/** The newest first. Without states, of all of them. */
export const listTransfers = (
  db: Database,
  direction: Direction,
  {
    states,
    offset,
    limit,
  }: { states: readonly TransferState[] | undefined; offset: number; limit: number | undefined },
): TransferRow[] =>
  db.all<TransferRow>(
    `select * from transfers where direction = ? and (? is null or state in (select value from json_each(?)))
      order by seq desc limit ? offset ?`,
    direction,
    states === undefined ? null : 1,
    JSON.stringify(states ?? []),
    limit ?? -1,
    offset,
  )

export const countTransfers = (
  db: Database,
  direction: Direction,
  states: readonly TransferState[] | undefined,
): number =>
  db.all<{ count: number }>(
    `select count(*) as count from transfers
      where direction = ? and (? is null or state in (select value from json_each(?)))`,
    direction,
    states === undefined ? null : 1,
    JSON.stringify(states ?? []),
  )[0]?.count ?? 0

export interface QueuedRow {
  readonly id: string
  readonly state: TransferState
}

/**
 * All that are not over, from the front of the queue to its end. Their states are named, so that the index leads past
 * those that are: they become ever more, and this is asked whenever something is told.
 */
export const queueOf = (db: Database, direction: Direction): QueuedRow[] =>
  db.all<QueuedRow>(
    `select id, state from transfers
      where direction = ? and state in ('transferring', 'paused', 'idle', 'error') order by place, seq`,
    direction,
  )

export function saveQueue(db: Database, direction: Direction, ids: readonly string[]): void {
  for (const [place, id] of ids.entries()) {
    db.run('update transfers set place = ? where direction = ? and id = ?', place, direction, id)
  }
}

/** Answers whether it was in one of the states it may come from. An error that is left out is taken away. */
export function changeState(
  db: Database,
  seq: number,
  change: { from: readonly TransferState[]; to: TransferState; error?: string },
  at: Date,
): boolean {
  const changed = db.run(
    `update transfers set state = ?, error = ?, updated_at = ?
      where seq = ? and state in (select value from json_each(?))`,
    change.to,
    change.error ?? null,
    at.toISOString(),
    seq,
    JSON.stringify(change.from),
  )
  return changed === 1
}

/** Once all of it is moved. */
export const settleProgress = (db: Database, seq: number): number =>
  db.run('update transfers set progress = size, files_done = total_files where seq = ?', seq)

export const saveProgress = (db: Database, seq: number, progress: number, filesDone: number, at: Date): number =>
  db.run(
    'update transfers set progress = max(progress, ?), files_done = ?, updated_at = ? where seq = ?',
    progress,
    filesDone,
    at.toISOString(),
    seq,
  )

/** Adds what was found to the totals. */
export const addToTotals = (db: Database, seq: number, files: number, bytes: number): number =>
  db.run('update transfers set total_files = total_files + ?, size = size + ? where seq = ?', files, bytes, seq)

export const markListed = (db: Database, seq: number): number =>
  db.run('update transfers set listed = 1 where seq = ?', seq)

export const saveSecrets = (db: Database, seq: number, secrets: string): number =>
  db.run('update transfers set secrets = ? where seq = ?', secrets, seq)

export const removeTransfer = (db: Database, seq: number): number => db.run('delete from transfers where seq = ?', seq)

/** Those that the last process left in the middle. */
export const pauseAll = (db: Database, at: Date): number =>
  db.run(`update transfers set state = 'paused', updated_at = ? where state = 'transferring'`, at.toISOString())
