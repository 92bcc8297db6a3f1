import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '@longshore/transfer/faults'
import type { Clock } from '@longshore/transfer/ports'
import { already, noProgress } from '@longshore/transfer/progress'
import { pageOfItems } from '#state/items'
import { readTransfer, type TransferRow } from '#state/transfers'
import type { Database } from '#state/database'
import { openTestState } from '#test-kit/state'
import { addFiles, makeTransfer } from '#test-kit/transfers'
import { openBook } from './book.ts'

const clock: Clock = { now: () => 0, after: () => () => {} }
const open = (db: Database, row: TransferRow) => openBook(db, row, clock, () => new Date())
const moved = (bytes: number) => already(noProgress(0), bytes)

const stored = (db: Database, { id }: TransferRow) => {
  const row = readTransfer(db, 'up', id)
  return [row?.progress, row?.files_done]
}

test('what a run tells is in the state once it is written, and counted once', (t) => {
  const db = openTestState(t)
  const row = makeTransfer(db)
  addFiles(db, row, [10, 20])
  const book = open(db, row)
  book.onFile(0, { state: 'transferring' })
  book.onBytes(0, 4, moved(4))
  assert.deepEqual(stored(db, row), [0, 0])
  assert.equal(book.told(), 2)
  book.write()
  assert.deepEqual(stored(db, row), [4, 0])
  book.onBytes(0, 10, moved(10))
  book.onFile(0, { state: 'complete' })
  book.write()
  book.onFile(0, { state: 'complete' })
  book.write()
  assert.deepEqual(stored(db, row), [10, 1])
  assert.equal(book.told(), 5)
  assert.deepEqual(
    pageOfItems(db, row.seq, 0, 10).map(({ state, progress }) => [state, progress]),
    [
      ['complete', 10],
      ['pending', 0],
    ],
  )
})

test('a run that begins to count at nothing takes back nothing that was shown', (t) => {
  const db = openTestState(t)
  const row = makeTransfer(db)
  addFiles(db, row, [10, 20])
  const first = open(db, row)
  first.onBytes(1, 15, moved(15))
  first.write()
  const again = readTransfer(db, 'up', row.id)
  assert.ok(again !== undefined)
  const second = open(db, again)
  second.onBytes(1, 2, moved(2))
  second.write()
  assert.deepEqual(stored(db, row), [15, 0])
  assert.equal(second.shown().bytes, 15)
  assert.equal(pageOfItems(db, row.seq, 1, 1)[0]?.progress, 15)
})

test('a file that failed says why', (t) => {
  const db = openTestState(t)
  const row = makeTransfer(db)
  addFiles(db, row, [10])
  const book = open(db, row)
  book.onFile(0, { state: 'error', fault: new Fault('permanent', 'source_gone', `'0.bin' is not there any more.`) })
  book.write()
  const [item] = pageOfItems(db, row.seq, 0, 1)
  assert.equal(item?.state, 'error')
  assert.match(item?.error ?? '', /"error":"source_gone".*not there any more/)
})

test('many files are written before they become too many to hold', (t) => {
  const db = openTestState(t)
  const row = makeTransfer(db)
  addFiles(
    db,
    row,
    Array.from({ length: 500 }, () => 1),
  )
  const book = open(db, row)
  for (let n = 0; n < 500; n++) book.onFile(n, { state: 'complete' })
  assert.deepEqual(stored(db, row)[1], 500)
})
