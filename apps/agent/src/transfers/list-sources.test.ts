import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Database } from '#state/database'
import { itemsToMove, pageOfItems } from '#state/items'
import { readTransfer } from '#state/transfers'
import { openTestState } from '#test-kit/state'
import { makeTransfer } from '#test-kit/transfers'
import { type Listing, listSources } from './list-sources.ts'

function makeTree(t: TestContext, files: number): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agent-sources-')))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'tree'))
  for (let n = 0; n < files; n++) writeFileSync(join(folder, 'tree', `${String(n).padStart(4, '0')}.txt`), `file ${n}`)
  return join(folder, 'tree')
}

async function whole(listing: Listing): Promise<void> {
  while (!listing.isOver()) await listing.more()
}

const list = (db: Database, seq: number, path: string, dataDir = '/nowhere', signal = new AbortController().signal) =>
  listSources({ db, dataDir }, seq, { paths: [path] }, signal)

const totals = (db: Database, id: string) => {
  const row = readTransfer(db, 'up', id)
  return [row?.listed, row?.total_files, row?.size]
}

test('everything below a path is listed, with its totals, in an order that stays', async (t) => {
  const db = openTestState(t)
  const tree = makeTree(t, 450)
  const { seq, id } = makeTransfer(db)
  await whole(list(db, seq, tree))
  const names = pageOfItems(db, seq, 0, 1_000).map(({ name }) => name)
  assert.deepEqual([names.length, names[0], names[1], names[450]], [451, 'tree', '0000.txt', '0449.txt'])
  assert.deepEqual(totals(db, id), [1, 450, 10 * 6 + 90 * 7 + 350 * 8])
})

test('a list that was cut short is made anew: what is known keeps its number and counts once', async (t) => {
  const db = openTestState(t)
  const tree = makeTree(t, 450)
  const { seq, id } = makeTransfer(db)
  const stop = new AbortController()
  const first = list(db, seq, tree, '/nowhere', stop.signal)
  await first.more()
  stop.abort()
  await assert.rejects(async () => {
    while (true) await first.more()
  })
  const before = pageOfItems(db, seq, 0, 1_000)
  assert.ok(before.length > 0 && before.length < 451, `${before.length} of 451 were listed`)
  assert.equal(totals(db, id)[0], 0)

  await whole(list(db, seq, tree))
  const after = pageOfItems(db, seq, 0, 1_000)
  assert.deepEqual(after.slice(0, before.length), before)
  assert.deepEqual(totals(db, id), [1, 450, 10 * 6 + 90 * 7 + 350 * 8])
})

test('case 207: what the agent keeps is left out of whatever is sent around it', async (t) => {
  const db = openTestState(t)
  const tree = makeTree(t, 1)
  mkdirSync(join(tree, 'data'))
  writeFileSync(join(tree, 'data', 'agent.db'), 'tokens')
  const { seq } = makeTransfer(db)
  await whole(list(db, seq, tree, join(tree, 'data')))
  assert.deepEqual(
    itemsToMove(db, seq, -1, 10).map(({ name }) => name),
    ['tree', '0000.txt'],
  )
})

test('a path that is gone ends the list with a fault that says so', async (t) => {
  const db = openTestState(t)
  const { seq, id } = makeTransfer(db)
  const listing = list(db, seq, '/nowhere/at/all')
  await assert.rejects(whole(listing), { code: 'source_gone' })
  assert.equal(totals(db, id)[0], 0)
})
