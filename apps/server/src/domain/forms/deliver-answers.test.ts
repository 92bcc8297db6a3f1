import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { StorageRefusal, StorageTrouble } from '#blob/storage-errors'
import { finalizePackage } from '#domain/packages/finalize-package'
import { addFile } from '#domain/uploads/add-files'
import { packagePrefix } from '#domain/uploads/object-key'
import { removeFile } from '#domain/uploads/remove-file'
import { sql } from '#platform/db'
import { testCx, type TestCx } from '#test-kit/cx'
import { eventsOf, fileRows, packageRow, queuedJobs } from '#test-kit/look'
import { makeFile } from '#test-kit/make'
import { answer, type MadePortalPackage, makePortal, makePortalPackage } from '#test-kit/make-portals'
import { race } from '#test-kit/race'

const fields = [{ name: 'scene', label: 'Scene', type: 'short_text', visibility: 'required' }] as const
const scene = { scene: { value: '=12' } }

async function makeAnswered(cx: TestCx, delivery_formats: readonly ('json' | 'csv' | 'xml' | 'email_body')[]) {
  const portal = await makePortal(cx, { form: { fields, delivery_formats } })
  const { id } = await answer(cx, portal, scene)
  return makePortalPackage(cx, portal, { form_data_id: id })
}

async function read(cx: TestCx, key: string): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of cx.blob.read(key)) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function keysOf(cx: TestCx, pkg: MadePortalPackage): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of cx.blob.list(packagePrefix(pkg.teamId, pkg.id))) keys.push(key)
  return keys
}

interface OwnRow {
  readonly name: string
  readonly object_key: string
  readonly size: number
  readonly sha256: Buffer
  readonly crc32: Buffer
  readonly expected_etag: string
  readonly content_digest: Buffer | null
  readonly kind: string
  readonly state: string
}

const ownRows = (cx: TestCx, pkg: MadePortalPackage) =>
  cx.db.rows<OwnRow>(sql`select * from files where package_id = ${pkg.id} and name like 'metadata%' order by name`)

test('the answers lie in the package as files when it is finalized, and count as such', async (t) => {
  const cx = await testCx(t)
  const pkg = await makeAnswered(cx, ['json', 'csv', 'xml', 'email_body'])
  const { bytes } = await makeFile(cx, pkg, { name: 'a.mov' })
  await finalizePackage(cx, pkg.manager, pkg.id)
  const own = await ownRows(cx, pkg)
  assert.deepEqual(
    own.map(({ name, kind, state }) => [name, kind, state]),
    [
      ['metadata.csv', 'file', 'finalized'],
      ['metadata.json', 'file', 'finalized'],
      ['metadata.xml', 'file', 'finalized'],
    ],
  )
  for (const row of own) {
    const stored = await read(cx, row.object_key)
    const head = await cx.blob.head(row.object_key)
    assert.equal(stored.length, row.size)
    assert.deepEqual(row.sha256, hash('sha256', stored, 'buffer'))
    assert.equal(row.crc32.readUInt32BE(), crc32(stored))
    assert.equal(row.expected_etag, head?.etag)
    assert.equal(row.content_digest?.length, 32)
  }
  assert.match((await read(cx, own[0]?.object_key ?? '')).toString(), /'=12/)
  const size = own.reduce((sum, row) => sum + row.size, bytes.length)
  const row = await packageRow(cx, pkg.id)
  assert.deepEqual([row?.state, row?.size, row?.total_files], ['finalized', size, 4])
  const finalized = (await eventsOf(cx, pkg.id)).find((event) => event.type === 'package.finalized')
  assert.deepEqual([finalized?.object['size'], finalized?.object['total_files']], [size, 4])
})

test('formats that are no files leave no file', async (t) => {
  const cx = await testCx(t)
  const pkg = await makeAnswered(cx, ['email_body'])
  await makeFile(cx, pkg)
  await finalizePackage(cx, pkg.manager, pkg.id)
  assert.deepEqual(await ownRows(cx, pkg), [])
  assert.equal((await packageRow(cx, pkg.id))?.total_files, 1)
})

test('what the sender has under the same name stays, and ours gets a number', async (t) => {
  const cx = await testCx(t)
  const pkg = await makeAnswered(cx, ['json', 'csv', 'xml'])
  const theirs = await makeFile(cx, pkg, { name: 'metadata.json' })
  await makeFile(cx, pkg, { name: 'Metadata (2).JSON' })
  await makeFile(cx, pkg, { path: 'metadata.csv', name: 'inside' })
  await makeFile(cx, pkg, { path: 'elsewhere', name: 'metadata.xml' })
  await finalizePackage(cx, pkg.manager, pkg.id)
  const names = (await fileRows(cx, pkg.id)).map(({ path, name }) => (path === '' ? name : `${path}/${name}`))
  assert.deepEqual(names.toSorted(), [
    'Metadata (2).JSON',
    'elsewhere/metadata.xml',
    'metadata (2).csv',
    'metadata (3).json',
    'metadata.csv/inside',
    'metadata.json',
    'metadata.xml',
  ])
  assert.deepEqual(await read(cx, theirs.key), theirs.bytes)
})

test('storage that is away: nothing changes, and the next try succeeds', async (t) => {
  const cx = await testCx(t)
  const pkg = await makeAnswered(cx, ['json'])
  await makeFile(cx, pkg)
  const failing = (trouble: Error): TestCx => ({ ...cx, blob: { ...cx.blob, write: () => Promise.reject(trouble) } })
  const away = failing(new StorageTrouble('no answer'))
  await assert.rejects(finalizePackage(away, pkg.manager, pkg.id), StorageTrouble)
  const refusing = failing(new StorageRefusal('QuotaExceeded', 'full'))
  await assert.rejects(finalizePackage(refusing, pkg.manager, pkg.id), { code: 'storage_unavailable' })
  assert.equal((await packageRow(cx, pkg.id))?.state, 'new')
  assert.equal((await fileRows(cx, pkg.id)).length, 1)
  assert.deepEqual(
    (await eventsOf(cx, pkg.id)).map((event) => event.type),
    ['package.created'],
  )
  assert.deepEqual(await queuedJobs(cx), [])
  await finalizePackage(cx, pkg.manager, pkg.id)
  assert.equal((await fileRows(cx, pkg.id)).length, 2)
})

test('a package that is not ready has nothing written for it', async (t) => {
  const cx = await testCx(t)
  const pkg = await makeAnswered(cx, ['json'])
  await assert.rejects(finalizePackage(cx, pkg.manager, pkg.id), { code: 'package_empty' })
  const { file } = await addFile(cx, pkg.manager, pkg.id, {
    kind: 'file',
    name: 'a',
    path: '',
    last_modified: '2026-01-01T00:00:00Z',
    size: 1,
  })
  await assert.rejects(finalizePackage(cx, pkg.manager, pkg.id), { code: 'files_unfinished' })
  assert.deepEqual(await keysOf(cx, pkg), [])
  await removeFile(cx, pkg.manager, pkg.id, file.id)
})

test('finalized twice, also at once: one set of files, and nothing left over in storage', async (t) => {
  const cx = await testCx(t)
  const pkg = await makeAnswered(cx, ['json', 'csv'])
  await makeFile(cx, pkg)
  const { first, second } = await race(
    cx,
    (cx) => finalizePackage(cx, pkg.manager, pkg.id),
    (cx) => finalizePackage(cx, pkg.manager, pkg.id),
  )
  await Promise.all([first, second])
  await finalizePackage(cx, pkg.manager, pkg.id)
  assert.equal((await fileRows(cx, pkg.id)).length, 3)
  assert.equal((await keysOf(cx, pkg)).length, 3)
  assert.equal((await eventsOf(cx, pkg.id)).filter((event) => event.type === 'package.finalized').length, 1)
})

test('a file added while the answers are written holds the finalize back, and they are removed again', async (t) => {
  const cx = await testCx(t)
  const pkg = await makeAnswered(cx, ['json'])
  await makeFile(cx, pkg)
  const meanwhile: TestCx = {
    ...cx,
    blob: {
      ...cx.blob,
      write: async (key, body) => {
        const file = { kind: 'file', name: 'late', path: '', last_modified: '2026-01-01T00:00:00Z' } as const
        await addFile(cx, pkg.manager, pkg.id, file)
        return cx.blob.write(key, body)
      },
    },
  }
  await assert.rejects(finalizePackage(meanwhile, pkg.manager, pkg.id), { code: 'files_unfinished' })
  assert.equal((await keysOf(cx, pkg)).length, 1)
  assert.equal((await packageRow(cx, pkg.id))?.state, 'new')
})
