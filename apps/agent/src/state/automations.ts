import type { Database } from './database.ts'

export interface AutomationRow {
  readonly id: string
  readonly type: string
  readonly fields: string
}

export const addAutomation = (db: Database, { id, type, fields }: AutomationRow): number =>
  db.run('insert into automations (id, type, fields) values (?, ?, ?)', id, type, fields)

/** The oldest first. */
export const listAutomations = (db: Database): AutomationRow[] =>
  db.all<AutomationRow>('select id, type, fields from automations order by seq')

export const saveAutomation = (db: Database, id: string, fields: string): number =>
  db.run('update automations set fields = ? where id = ?', fields, id)

/** What it sent is forgotten with it; what is under way is not. */
export function removeAutomation(db: Database, id: string): void {
  db.run('delete from automations where id = ?', id)
  db.run(`delete from sendings where automation = ? and state <> 'begun'`, id)
}
