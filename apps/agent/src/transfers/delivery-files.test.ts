import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeliveredFile } from '@longshore/contract/gateway'
import { clock } from '#host/clock'
import { pageOfItems } from '#state/items'
import { readTransfer } from '#state/transfers'
import { openTestState } from '#test-kit/state'
import { makeTransfer } from '#test-kit/transfers'
import type { DeliveryPage } from './ask-for-files.ts'
import { deliveryCalls, keyOf, listDelivery } from './delivery-files.ts'

const forEver = new AbortController().signal

const file = (n: number, asked: number): DeliveredFile => ({
  id: `f${n}`,
  kind: n === 0 ? 'directory' : 'file',
  path: '',
  name: `${n}.mov`,
  size: n,
  last_modified: '2026-03-14T15:09:26.535Z',
  sha256: n === 1 ? 'ab' : '',
  url: `https://store.example/${n}?${asked}`,
})

/** A package of two pages. Keeps what it was asked. */
function cloudOf() {
  const asked: string[] = []
  const pages: Readonly<Record<string, readonly number[]>> = { '': [0, 1], f1: [2, 3] }
  const askForFiles = async (_: string, after: string): Promise<DeliveryPage> => {
    asked.push(after)
    const numbers = pages[after] ?? []
    return { files: numbers.map((n) => file(n, asked.length)), next: numbers.length === 0 ? '' : `f${numbers.at(-1)}` }
  }
  return { asked, askForFiles }
}

test('a list is written down once, also where the end came in the middle of it', async (t) => {
  const db = openTestState(t)
  const row = makeTransfer(db)
  const { askForFiles } = cloudOf()
  const stop = new AbortController()
  const dying = async (id: string, after: string, signal: AbortSignal) => {
    if (after === 'f3') stop.abort()
    signal.throwIfAborted()
    return askForFiles(id, after)
  }
  await assert.rejects(listDelivery({ db, clock, askForFiles: dying }, row, stop.signal))
  assert.equal(readTransfer(db, 'up', row.id)?.listed, 0)
  await listDelivery({ db, clock, askForFiles }, row, forEver)
  const { listed, size, total_files } = readTransfer(db, 'up', row.id) ?? {}
  assert.deepEqual([listed, size, total_files], [1, 6, 3])
  assert.deepEqual(
    pageOfItems(db, row.seq, 0, 10).map(({ n, name, page, sha256 }) => [n, name, page, sha256]),
    [
      [0, '0.mov', '', null],
      [1, '1.mov', '', 'ab'],
      [2, '2.mov', 'f1', null],
      [3, '3.mov', 'f1', null],
    ],
  )
})

test('addresses are asked for by the page, each is handed out once, and who asks again gets a fresh one', async () => {
  const { asked, askForFiles } = cloudOf()
  const { fileUrls } = deliveryCalls({ clock, askForFiles }, { id: 't1' })
  const key = (n: number) => keyOf({ page: n < 2 ? '' : 'f1', file_id: `f${n}` })
  const urlsOf = async (...numbers: readonly number[]) =>
    (await fileUrls(numbers.map(key), forEver)).map(({ url }) => url)
  assert.deepEqual(await urlsOf(2), ['https://store.example/2?1'])
  assert.deepEqual(await urlsOf(3), ['https://store.example/3?1'], 'came with the first')
  assert.deepEqual(await urlsOf(1, 2), ['https://store.example/1?2', 'https://store.example/2?3'])
  assert.deepEqual(asked, ['f1', '', 'f1'])
  const [gone] = await fileUrls([keyOf({ page: 'f1', file_id: 'f9' })], forEver)
  assert.deepEqual([gone?.file_id, gone?.status, gone?.url], ['f1/f9', 404, undefined])
})
