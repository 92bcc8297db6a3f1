import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linksOfPackage } from '#store/links'
import { addFile } from '#domain/uploads/add-files'
import { finalizeFile } from '#domain/uploads/finalize-files'
import { removeFile } from '#domain/uploads/remove-file'
import { testCx } from '#test-kit/cx'
import { eventsOf, fileRows, packageRow, queuedJobs } from '#test-kit/look'
import { letExpire, makeFile, makePackage } from '#test-kit/make'
import { race } from '#test-kit/race'
import { deletePackage } from './delete-package.ts'
import { finalizePackage } from './finalize-package.ts'

const typesOf = async (...args: Parameters<typeof eventsOf>) => (await eventsOf(...args)).map((event) => event.type)
const onceEach = ['package.created', 'package.finalized']
const directory = { kind: 'directory', name: 'folder', path: '', last_modified: '2026-01-02T03:04:05.000Z' } as const

test('finalizing settles the totals, writes one event and makes a link for each recipient', async (t) => {
  const cx = await testCx(t)
  const pieces = [Buffer.alloc(11), Buffer.alloc(31)]
  const files = pieces.map((piece) => ({ pieces: [piece] }))
  const pkg = await makePackage(cx, { recipients: ['a@example.test', 'b@example.test'], files, access_limit: 7 })
  await addFile(cx, pkg.manager, pkg.id, directory)
  await finalizePackage(cx, pkg.manager, pkg.id)

  assert.deepEqual(await packageRow(cx, pkg.id), { state: 'finalized', size: 42, total_files: 2, downloads: 0 })
  const events = await eventsOf(cx, pkg.id)
  assert.deepEqual(
    events.map(({ type, object }) => [type, object['state'], object['size'], object['total_files']]),
    [
      ['package.created', 'new', 0, 0],
      ['package.finalized', 'finalized', 42, 2],
    ],
  )
  const links = await linksOfPackage(cx.db, pkg.teamId, pkg.id)
  assert.deepEqual(
    new Map(links.map(({ email, access_limit, active }) => [email, [access_limit, active]])),
    new Map([
      ['a@example.test', [7, true]],
      ['b@example.test', [7, true]],
    ]),
  )
})

test('a repeat is answered like the first and leaves nothing behind', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { recipients: ['a@example.test'], files: [{}], finalized: true })
  const before = await packageRow(cx, pkg.id)
  await finalizePackage(cx, pkg.manager, pkg.id)
  assert.deepEqual(await packageRow(cx, pkg.id), before)
  assert.deepEqual(await typesOf(cx, pkg.id), onceEach)
  assert.equal((await linksOfPackage(cx.db, pkg.teamId, pkg.id)).length, 1)
})

test('a package without files, or with one unfinished, stays new and untold', async (t) => {
  const cx = await testCx(t)
  const empty = await makePackage(cx)
  await assert.rejects(finalizePackage(cx, empty.manager, empty.id), { code: 'package_empty' })
  const half = await makePackage(cx, { files: [{}, { finalized: false }] })
  await assert.rejects(finalizePackage(cx, half.manager, half.id), { code: 'files_unfinished', message: /1 file/ })
  for (const { id } of [empty, half]) {
    assert.equal((await packageRow(cx, id))?.state, 'new')
    assert.deepEqual(await typesOf(cx, id), ['package.created'])
  }
})

test('a package that has ended cannot be finalized any more', async (t) => {
  const cx = await testCx(t)
  const deleted = await makePackage(cx, { files: [{}] })
  await deletePackage(cx, deleted.manager, deleted.id)
  await assert.rejects(finalizePackage(cx, deleted.manager, deleted.id), { code: 'package_expired' })
  assert.deepEqual(await typesOf(cx, deleted.id), ['package.created', 'package.deleted'])
})

test('finalize ∥ finalize: the second waits, is told yes, and nothing happens twice', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { recipients: ['a@example.test'], files: [{}] })
  const { first, second } = await race(
    cx,
    (cx) => finalizePackage(cx, pkg.manager, pkg.id),
    (cx) => finalizePackage(cx, pkg.manager, pkg.id),
  )
  await Promise.all([first, second])
  assert.deepEqual(await typesOf(cx, pkg.id), onceEach)
  assert.equal((await linksOfPackage(cx.db, pkg.teamId, pkg.id)).length, 1)
})

test('finalize ∥ finalize: when the first is lost, the second does it', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { recipients: ['a@example.test'], files: [{}] })
  const { first, second } = await race(
    cx,
    (cx) => finalizePackage(cx, pkg.manager, pkg.id),
    (cx) => finalizePackage(cx, pkg.manager, pkg.id),
    { failing: true },
  )
  await assert.rejects(first)
  await second
  assert.deepEqual(await typesOf(cx, pkg.id), onceEach)
  assert.equal((await linksOfPackage(cx.db, pkg.teamId, pkg.id)).length, 1)
})

test('finalize ∥ delete: the package is finalized, told of, and then ended', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{}] })
  const { first, second } = await race(
    cx,
    (cx) => finalizePackage(cx, pkg.manager, pkg.id),
    (cx) => deletePackage(cx, pkg.manager, pkg.id),
  )
  await Promise.all([first, second])
  assert.equal((await packageRow(cx, pkg.id))?.state, 'expired')
  assert.deepEqual(await typesOf(cx, pkg.id), [...onceEach, 'package.deleted'])
  assert.equal((await queuedJobs(cx)).length, 2)
})

test('delete ∥ finalize: the package is ended and nobody hears that it was finalized', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { recipients: ['a@example.test'], files: [{}] })
  const { first, second } = await race(
    cx,
    (cx) => deletePackage(cx, pkg.manager, pkg.id),
    (cx) => finalizePackage(cx, pkg.manager, pkg.id),
  )
  await first
  await assert.rejects(second, { code: 'package_expired' })
  assert.deepEqual(await typesOf(cx, pkg.id), ['package.created', 'package.deleted'])
  assert.deepEqual(await linksOfPackage(cx.db, pkg.teamId, pkg.id), [])
})

test('finalize ∥ add-file: the file comes too late and is refused', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{}] })
  const { first, second } = await race(
    cx,
    (cx) => finalizePackage(cx, pkg.manager, pkg.id),
    (cx) => addFile(cx, pkg.manager, pkg.id, { ...directory, kind: 'file' }),
  )
  await first
  await assert.rejects(second, { code: 'package_not_new' })
  assert.equal((await fileRows(cx, pkg.id)).length, 1)
  assert.equal((await packageRow(cx, pkg.id))?.total_files, 1)
})

test('add-file ∥ finalize: the file is in time, so the package is not finished', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{}] })
  const { first, second } = await race(
    cx,
    (cx) => addFile(cx, pkg.manager, pkg.id, { ...directory, kind: 'file' }),
    (cx) => finalizePackage(cx, pkg.manager, pkg.id),
  )
  await first
  await assert.rejects(second, { code: 'files_unfinished' })
  assert.equal((await packageRow(cx, pkg.id))?.state, 'new')
  assert.deepEqual(await typesOf(cx, pkg.id), ['package.created'])
})

test('finalize-file ∥ finalize: the last file is counted with its size', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{ pieces: [Buffer.alloc(10)] }] })
  const last = await makeFile(cx, pkg, { pieces: [Buffer.alloc(5)], announced: false, finalized: false })
  const { first, second } = await race(
    cx,
    (cx) => finalizeFile(cx, pkg.manager, pkg.id, last.id, last.claim),
    (cx) => finalizePackage(cx, pkg.manager, pkg.id),
    { holding: 2 },
  )
  await Promise.all([first, second])
  assert.deepEqual(await packageRow(cx, pkg.id), { state: 'finalized', size: 15, total_files: 2, downloads: 0 })
})

test('remove-file ∥ finalize: the removed file is counted no more', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{ pieces: [Buffer.alloc(10)] }, { pieces: [Buffer.alloc(5)] }] })
  const { first, second } = await race(
    cx,
    (cx) => removeFile(cx, pkg.manager, pkg.id, pkg.files[1]?.id ?? ''),
    (cx) => finalizePackage(cx, pkg.manager, pkg.id),
  )
  await Promise.all([first, second])
  assert.deepEqual(await packageRow(cx, pkg.id), { state: 'finalized', size: 10, total_files: 1, downloads: 0 })
  assert.equal((await eventsOf(cx, pkg.id))[1]?.object['size'], 10)
})

test('remove-file ∥ finalize of an only file: the package is empty and stays new', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{}] })
  const { first, second } = await race(
    cx,
    (cx) => removeFile(cx, pkg.manager, pkg.id, pkg.files[0]?.id ?? ''),
    (cx) => finalizePackage(cx, pkg.manager, pkg.id),
  )
  await first
  await assert.rejects(second, { code: 'package_empty' })
  assert.deepEqual(await typesOf(cx, pkg.id), ['package.created'])
})

test('a finalized package whose time is over answers as ended, before any worker came by', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{}], finalized: true })
  await letExpire(cx, pkg)
  await assert.rejects(addFile(cx, pkg.manager, pkg.id, directory), { code: 'package_expired' })
  assert.equal((await packageRow(cx, pkg.id))?.state, 'finalized')
})
