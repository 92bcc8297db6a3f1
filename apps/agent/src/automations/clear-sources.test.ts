import assert from 'node:assert/strict'
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { createLog } from '@longshore/kit/log'
import { openTestState } from '#test-kit/state'
import { lookOf } from '#host/source-file'
import { addItem } from '#state/items'
import { addTransfer } from '#state/transfers'
import { clearSources } from './clear-sources.ts'

test('case 220: what is still what was sent is deleted, and nothing else', async (t) => {
  const db = openTestState(t)
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'cleared-')))
  t.after(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'A/full'), { recursive: true })
  mkdirSync(join(root, 'A/kept'))
  for (const path of ['A/same.txt', 'A/full/same.txt', 'A/kept/written to.txt', 'A/kept/never sent.txt']) {
    writeFileSync(join(root, path), path)
  }
  const transfer = { id: 'u', direction: 'up', type: 'team', package_id: 'p', name: 'A', priority: 0 } as const
  const seq = addTransfer(db, { ...transfer, plan: '{}', secrets: '{}' }, new Date())
  for (const path of [
    'A',
    'A/full',
    'A/full/same.txt',
    'A/gone.txt',
    'A/kept',
    'A/kept/written to.txt',
    'A/same.txt',
  ]) {
    const local = join(root, path)
    const stats = lstatSync(local, { bigint: true, throwIfNoEntry: false })
    addItem(db, seq, {
      kind: stats?.isDirectory() === true ? 'directory' : 'file',
      name: basename(path),
      path: dirname(path),
      local,
      size: 0,
      last_modified: '',
      identity: stats === undefined ? '' : lookOf(stats).identity,
      state: 'complete',
      error: null,
      file_id: '',
      sha256: null,
    })
  }
  writeFileSync(join(root, 'A/kept/written to.txt'), 'by somebody else, after it was sent')
  const log = createLog('test', 'silent')
  await clearSources(db, 'u', log)
  await clearSources(db, 'u', log)
  const left = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => relative('.', path))
  assert.deepEqual(left.sort(), ['A', 'A/kept', 'A/kept/never sent.txt', 'A/kept/written to.txt'])
})
