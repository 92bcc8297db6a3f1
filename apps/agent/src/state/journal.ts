import type { Outlives } from '@longshore/transfer/ports'
import type { Database } from './database.ts'

/** The durable notes of one transfer, as the engine asks for them. */
export function journalOf<Note>(db: Database, transfer: number) {
  return {
    append: (notes: readonly Note[], outlive: Outlives): Promise<void> =>
      db.soon(outlive, () => {
        db.run(
          `insert into notes (transfer, n, notes)
           values (?, (select coalesce(max(n), 0) + 1 from notes where transfer = ?), ?)`,
          transfer,
          transfer,
          JSON.stringify(notes),
        )
      }),
    load: async function* (): AsyncGenerator<Note> {
      const rows = db.each<{ notes: string }>('select notes from notes where transfer = ? order by n', transfer)
      for (const { notes } of rows) yield* JSON.parse(notes) as Note[]
    },
  }
}

/** Nobody will read them again. */
export const dropJournal = (db: Database, transfer: number): number =>
  db.run('delete from notes where transfer = ?', transfer)
