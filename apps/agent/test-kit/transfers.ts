import { newId } from '@longshore/kit/ids'
import type { Database } from '#state/database'
import { addItem } from '#state/items'
import { addToTotals, addTransfer, readTransfer, type TransferRow } from '#state/transfers'

/** An upload with nothing in it yet. */
export function makeTransfer(db: Database): TransferRow {
  const id = newId()
  const secrets = JSON.stringify({ token: 'none' })
  const plan = JSON.stringify({ paths: [], chunkSize: 0 })
  addTransfer(
    db,
    { id, direction: 'up', type: 'team', package_id: newId(), name: 'Rushes', priority: 0, plan, secrets },
    new Date(),
  )
  const row = readTransfer(db, 'up', id)
  if (row === undefined) throw new Error('The transfer was made and is not there.')
  return row
}

/** Files of these sizes, numbered from 0. */
export function addFiles(db: Database, { seq }: TransferRow, sizes: readonly number[]): void {
  for (const [n, size] of sizes.entries()) {
    addItem(db, seq, {
      kind: 'file',
      name: `${n}.bin`,
      path: '',
      size,
      last_modified: '2026-03-14T15:09:26.535Z',
      state: 'pending',
      error: null,
      local: `/files/${n}.bin`,
      identity: String(n),
      file_id: '',
      sha256: null,
    })
    addToTotals(db, seq, 1, size)
  }
}
