import type { Database } from './database.ts'
import type { TransferState } from './transfers.ts'

/** Something that an automation sends or fetches, or has: the memory that keeps it from doing so twice. */
export interface SendingRow {
  readonly id: string
  readonly automation: string
  /** `noted`: about to begin. `begun`: there is a transfer. `over`: nothing is left to do. */
  readonly state: 'noted' | 'begun' | 'over'
  readonly name: string
  readonly mark: string
  readonly print: string
  readonly order_json: string
}

export const noteSending = (db: Database, sending: Omit<SendingRow, 'state'>, at: Date): number =>
  db.run(
    `insert into sendings (id, automation, state, name, mark, print, order_json, noted_at)
     values (?, ?, 'noted', ?, ?, ?, ?, ?)`,
    sending.id,
    sending.automation,
    sending.name,
    sending.mark,
    sending.print,
    sending.order_json,
    at.toISOString(),
  )

export const sendingsOf = (db: Database, automation: string): SendingRow[] =>
  db.all<SendingRow>('select * from sendings where automation = ? order by id', automation)

export const notedSendings = (db: Database, automation: string): SendingRow[] =>
  db.all<SendingRow>(`select * from sendings where automation = ? and state = 'noted' order by id`, automation)

export const isMarked = (db: Database, automation: string, mark: string): boolean =>
  db.all('select 1 from sendings where automation = ? and mark = ?', automation, mark).length > 0

export const markBegun = (db: Database, id: string): number =>
  db.run(`update sendings set state = 'begun' where id = ? and state = 'noted'`, id)

/** Of an automation that is gone, nothing is remembered. */
export function markOver(db: Database, id: string): void {
  db.run(`update sendings set state = 'over', order_json = '{}' where id = ?`, id)
  db.run('delete from sendings where id = ? and automation not in (select id from automations)', id)
}

/** What it was in the end, where that was not known before. */
export const savePrint = (db: Database, id: string, print: string): number =>
  db.run('update sendings set print = ? where id = ?', print, id)

/** The same thing under another number: some shares number their files anew. */
export const saveMark = (db: Database, id: string, mark: string): number =>
  db.run('update sendings set mark = ? where id = ?', mark, id)

export const forgetSending = (db: Database, id: string): number => db.run('delete from sendings where id = ?', id)

export interface MovedSending extends SendingRow {
  readonly transfer_state: TransferState | null
  readonly transfer_error: string | null
  readonly transfer_updated_at: string | null
}

/** Those whose transfer does not move: it has ended, waits for us, or was deleted. */
export const sendingsAtRest = (db: Database): MovedSending[] =>
  db.all<MovedSending>(
    `select s.*, t.state as transfer_state, t.error as transfer_error, t.updated_at as transfer_updated_at
       from sendings s left join transfers t on t.id = s.id
      where s.state = 'begun' and (t.state is null or t.state in ('idle', 'complete', 'error'))
      order by s.id`,
  )

/** How many transfers of an automation move, or are about to, and the error of one that failed. */
export const underWay = (db: Database, automation: string): { count: number; error: string | null } =>
  db.all<{ count: number; error: string | null }>(
    `select count(*) filter (where s.state = 'noted' or t.state = 'transferring') as count, max(t.error) as error
       from sendings s left join transfers t on t.id = s.id
      where s.automation = ? and s.state <> 'over'`,
    automation,
  )[0] ?? { count: 0, error: null }
