import type { Database } from './database.ts'

export const readSetting = (db: Database, name: string): unknown => {
  const row = db.all<{ value: string }>('select value from settings where name = ?', name)[0]
  return row === undefined ? undefined : JSON.parse(row.value)
}

export const saveSetting = (db: Database, name: string, value: unknown): number =>
  db.run(
    'insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
    name,
    JSON.stringify(value),
  )
