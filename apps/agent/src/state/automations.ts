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

/** It may want by now what it did not want before, so it looks at everything once more. */
export const saveAutomation = (db: Database, id: string, fields: string): number =>
  db.run(`update automations set fields = ?, fetched_through = '' where id = ?`, fields, id)

export const saveFetchedThrough = (db: Database, id: string, time: string): number =>
  db.run('update automations set fetched_through = ? where id = ?', time, id)

/** Empty before the first package. */
export const fetchedThrough = (db: Database, id: string): string =>
  db.all<{ time: string }>('select fetched_through as time from automations where id = ?', id)[0]?.time ?? ''

/** What it sent is forgotten with it; what is under way is not. */
export function removeAutomation(db: Database, id: string): void {
  db.run('delete from automations where id = ?', id)
  db.run(`delete from sendings where automation = ? and state <> 'begun'`, id)
}
