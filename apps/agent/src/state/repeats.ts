import type { Database } from './database.ts'

/** A create call under a key of its caller. */
export interface RepeatRow {
  /** A digest of what was asked. */
  readonly request: string
  /** Of what it makes. */
  readonly id: string
  /** JSON; null as long as nobody knows how it ended. */
  readonly reply: string | null
}

export const readRepeat = (db: Database, key: string): RepeatRow | undefined =>
  db.all<RepeatRow>('select request, id, reply from repeats where key = ?', key)[0]

export const noteRepeat = (db: Database, key: string, request: string, id: string, at: Date): number =>
  db.run('insert into repeats (key, request, id, noted_at) values (?, ?, ?, ?)', key, request, id, at.toISOString())

export const saveReply = (db: Database, key: string, reply: string): number =>
  db.run('update repeats set reply = ? where key = ?', reply, key)

export const forgetRepeat = (db: Database, key: string): number => db.run('delete from repeats where key = ?', key)

export const forgetRepeatsBefore = (db: Database, time: Date): number =>
  db.run('delete from repeats where noted_at < ?', time.toISOString())
