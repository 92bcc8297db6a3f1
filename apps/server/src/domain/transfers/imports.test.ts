import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { MiB } from '@longshore/contract/limits'
import type { ForeignStore } from '#blob/foreign-store'
import { identifyByTransferToken } from '#domain/access/identify'
import { deleteConnection } from '#domain/connections/connections'
import { packagePrefix } from '#domain/uploads/object-key'
import { removeFile } from '#domain/uploads/remove-file'
import { deletePackage } from '#domain/packages/delete-package'
import { finalizePackage } from '#domain/packages/finalize-package'
import { sql } from '#platform/db'
import { customerBucket } from '#test-kit/customer-bucket'
import { type TestCx, testCx } from '#test-kit/cx'
import { inspectAll } from '#test-kit/inspect'
import { fileRows, packageRow } from '#test-kit/look'
import { callerFor, makeFile, type MadePackage, makePackage, makeTeam } from '#test-kit/make'
import { makePortal, makePortalPackage } from '#test-kit/make-portals'
import { race } from '#test-kit/race'
import { testStack } from '#test-kit/stack'
import { carryAll, connect, makeDue } from '#test-kit/transfers'
import { carryTransfer, takeTransfer } from './carry-transfer.ts'
import { cancelTransfer, readTransfer, retryTransfer } from './control-transfer.ts'
import { startTransfer, type Wish } from './start-transfer.ts'

const never = new AbortController().signal
const large = randomBytes(12 * MiB)

/** A bucket with something in it, a connection to it, and a package that nobody has put anything into. */
async function ashore(
  t: TestContext,
  { open = false, objects = {} }: { open?: boolean; objects?: Record<string, string | Buffer> } = {},
) {
  const cx = await testCx(t)
  const bucket = await customerBucket(t, { open })
  for (const [key, content] of Object.entries(objects)) await bucket.put(key, content)
  const team = await makeTeam(cx)
  const connection = await connect(cx, team, bucket, { direction: 'import', target_directory: 'shoots/day 1' })
  const pkg = await makePackage(cx, { team })
  return { cx, bucket, team, connection, pkg, ...(await begun(cx, pkg, { cloud_connection_id: connection.id })) }
}

/** What is done with the import of a package. */
async function begun(cx: TestCx, pkg: MadePackage, over: Wish) {
  let id = ''
  let token = ''
  const holder = () => identifyByTransferToken(cx, token)
  return {
    async start(wish: Wish = { paths: [''] }) {
      const started = await startTransfer(cx, pkg.manager, pkg.id, { ...over, ...wish })
      id = started.id
      token = started.access_token
      return started
    },
    look: async () => readTransfer(cx, await holder(), id),
    cancel: async () => cancelTransfer(cx, await holder(), id),
    retry: async () => retryTransfer(cx, await holder(), id),
  }
}

const day = {
  'shoots/day 1/dailies/a b+ü.mov': large,
  'shoots/day 1/dailies/sub/': '',
  'shoots/day 1/dailies/empty': '',
  'shoots/day 1/notes.txt': 'Ahoy.',
  'shoots/day 1/left out.txt': 'not this one',
  'shoots/other.txt': 'nor this one',
}

/** The same world with something between it and the other store. */
const between = (cx: TestCx, change: (store: ForeignStore) => Partial<ForeignStore>): TestCx => ({
  ...cx,
  foreignStore(keys) {
    const store = cx.foreignStore(keys)
    return { ...store, ...change(store) }
  },
})

/** Counts the bytes that are read from the other store. */
function counting(cx: TestCx): { cx: TestCx; bytes(): number } {
  let bytes = 0
  const counted = between(cx, (store) => ({
    async *read(...asked) {
      for await (const piece of store.read(...asked)) {
        bytes += piece.length
        yield piece
      }
    },
  }))
  return { cx: counted, bytes: () => bytes }
}

/** What a package has: the content of each file by its whole name, nothing for a folder. */
async function contents(cx: TestCx, pkg: MadePackage): Promise<Record<string, Buffer | undefined>> {
  const rows = await cx.db.rows<{ full: string; object_key: string | null }>(sql`
    select concat_ws('/', nullif(path, ''), name) as full, object_key from files
     where package_id = ${pkg.id} and state = 'finalized' order by path, name
  `)
  const entries = rows.map(async ({ full, object_key }) => {
    const content = object_key === null ? undefined : Buffer.concat(await Array.fromAsync(copied(cx, object_key)))
    return [full, content] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

async function* copied(cx: TestCx, key: string): AsyncGenerator<Buffer> {
  for await (const piece of cx.blob.read(key)) yield Buffer.from(piece)
}

async function assertHas(cx: TestCx, pkg: MadePackage, expected: Record<string, string | Buffer | undefined>) {
  const found = await contents(cx, pkg)
  assert.deepEqual(Object.keys(found).toSorted(), Object.keys(expected).toSorted())
  for (const [name, content] of Object.entries(expected)) {
    assert.ok(content === undefined ? found[name] === undefined : found[name]?.equals(Buffer.from(content)), name)
  }
}

/** What our store holds for a package that no file of it is. */
async function leftovers(cx: TestCx, pkg: MadePackage): Promise<number> {
  const prefix = packagePrefix(pkg.teamId, pkg.id)
  const [objects, uploads] = [
    await Array.fromAsync(cx.blob.list(prefix)),
    await Array.fromAsync(cx.blob.openUploads(prefix)),
  ]
  const files = (await fileRows(cx, pkg.id)).filter((file) => file.state === 'finalized')
  const folders = await cx.db.rows(sql`select 1 from files where package_id = ${pkg.id} and kind = 'directory'`)
  return objects.length + uploads.length - (files.length - folders.length)
}

const wanted = {
  'dailies/a b+ü.mov': large,
  'dailies/sub': undefined,
  'dailies/empty': '',
  'notes.txt': 'Ahoy.',
}
const wantedSize = large.length + 5
const wish = { paths: ['dailies/', 'notes.txt', 'dailies/empty'] }

test('files of a bucket in our own store become files of a package, the large ones without passing by here', async (t) => {
  const { cx, pkg, start, look } = await ashore(t, { open: true, objects: day })
  const started = await start(wish)
  assert.deepEqual([started.direction, started.state, started.size], ['import', 'pending', 0])
  const counted = counting(cx)
  assert.equal(await carryAll(counted.cx), 1)
  const done = await look()
  assert.deepEqual([done.state, done.error, done.progress, done.size], ['complete', '', wantedSize, wantedSize])
  await assertHas(cx, pkg, wanted)
  // Of the large one a single byte, which shows that these keys may read it.
  assert.equal(counted.bytes(), 5 + 1)
  assert.equal((await packageRow(cx, pkg.id))?.state, 'new')
  assert.deepEqual(await cx.db.rows(sql`select 1 from import_files`), [])
  await finalizePackage(cx, pkg.manager, pkg.id)
  assert.equal(await inspectAll(cx), 3)
  const sums = await cx.db.rows<{ sha256: string }>(
    sql`select encode(sha256, 'hex') as sha256 from files where name = 'a b+ü.mov'`,
  )
  assert.deepEqual(sums, [{ sha256: hash('sha256', large) }])
})

test('from a store that does not let ours copy, bytes come with the keys that were given; the package is sent on', async (t) => {
  const { cx, pkg, start, look } = await ashore(t, { objects: day })
  await start({ ...wish, finalize: true })
  const counted = counting(cx)
  await carryAll(counted.cx)
  assert.equal((await look()).state, 'complete')
  await assertHas(cx, pkg, wanted)
  assert.equal((await packageRow(cx, pkg.id))?.state, 'finalized')
  // The first byte again: it was tried whether the store may copy.
  assert.equal(counted.bytes(), wantedSize + 1)
})

test('keys for one import bring all there is beside what the package has, and are forgotten after', async (t) => {
  const { cx, bucket, pkg } = await ashore(t, { objects: day })
  await makeFile(cx, pkg, { name: 'mine', pieces: [Buffer.from('mine')] })
  const { start, look } = await begun(cx, pkg, { authorization: bucket.authorization })
  await start({ paths: ['shoots/'], target_directory: '' })
  await carryAll(cx)
  assert.equal((await look()).state, 'complete')
  const all = Object.entries(day).map(([key, content]) => [
    key.replace(/\/$/, ''),
    key.endsWith('/') ? undefined : content,
  ])
  await assertHas(cx, pkg, { mine: 'mine', ...Object.fromEntries(all) })
  assert.deepEqual(await cx.db.rows(sql`select 1 from transfers where authorization_sealed is not null`), [])
})

test('only who may fill a package imports into it, and only from where files may be taken', async (t) => {
  const { cx, bucket, team, connection, pkg } = await ashore(t)
  const over = (id: string): Wish => ({ cloud_connection_id: id, paths: [''] })
  const refused = (by: MadePackage['manager'], wish: Wish, code: string, id = pkg.id) =>
    assert.rejects(startTransfer(cx, by, id, wish), { code })
  for (const level of ['read', 'write'] as const) {
    await refused(await callerFor(cx, pkg, level), over(connection.id), 'token_level_insufficient')
  }
  const onlyExport = await connect(cx, team, bucket)
  await refused(pkg.manager, over(onlyExport.id), 'validation_failed')
  await refused(pkg.manager, over((await connect(cx, await makeTeam(cx), bucket)).id), 'validation_failed')
  await refused(pkg.manager, { paths: [''] }, 'validation_failed')
  await refused(pkg.manager, { ...over(connection.id), paths: ['../x'] }, 'validation_failed')
  await refused(pkg.manager, { ...over(connection.id), target_directory: '../x' }, 'validation_failed')
  const sent = await makePackage(cx, { team, files: [{}], finalized: true })
  await refused(sent.manager, over(connection.id), 'package_not_new', sent.id)
  await refused(sent.manager, { cloud_connection_id: onlyExport.id, finalize: true }, 'validation_failed', sent.id)
  await deletePackage(cx, sent.manager, sent.id)
  await refused(sent.manager, over(connection.id), 'package_expired', sent.id)
  const received = await makePortalPackage(cx, await makePortal(cx, { team }))
  const manager = await callerFor(cx, received, 'manage', { userId: team.owner.userId })
  await refused(manager, over(connection.id), 'token_level_insufficient', received.id)
})

const impossible: Record<string, readonly [Record<string, string>, readonly string[], RegExp]> = {
  // First, while the bucket is empty.
  '': [{}, [''], /^There is nothing in it\.$/],
  'bad name': [{ 'a\\b.txt': 'x' }, [''], /'bad name\/a\\b\.txt' .* backslash/],
  'leads elsewhere': [{ '../up.txt': 'x' }, [''], /up\.txt' cannot be in a package: its path must not be/],
  'file and folder': [{ a: 'x', 'a/b': 'y' }, [''], /'a' would have to be a folder/],
  'folder with content': [{ 'a/': 'x' }, ['a/'], /has the name of a folder/],
  'a slash too many': [{ 'a//b.txt': 'x' }, [''], /'a slash too many\/a\/\/b\.txt' cannot be in a package/],
  'a slash in front': [{ '/b.txt': 'x' }, [''], /'a slash in front\/\/b\.txt' cannot be in a package/],
  'no such file': [{ 'a.txt': 'x' }, ['a.txt', 'b.txt'], /There is no 'no such file\/b\.txt'/],
  'no such folder': [{ 'a.txt': 'x' }, ['a.txt', 'b/'], /There is nothing in 'no such folder\/b\/'/],
}
test('an import ends in an error that names the culprit, and leaves nothing behind', async (t) => {
  const { cx, bucket, team, connection } = await ashore(t)
  for (const [what, [objects, paths, error]] of Object.entries(impossible)) {
    for (const [key, content] of Object.entries(objects)) await bucket.put(`${what}/${key}`, content)
    const pkg = await makePackage(cx, { team })
    const { start, look } = await begun(cx, pkg, { cloud_connection_id: connection.id })
    await start({ paths: [...paths], finalize: true, target_directory: what })
    await carryAll(cx)
    const ended = await look()
    assert.equal(ended.state, 'error', what)
    assert.match(ended.error, error)
    assert.deepEqual(await fileRows(cx, pkg.id), [], what)
    assert.equal((await packageRow(cx, pkg.id))?.state, 'new')
  }
})

test('an entry that the package has already is not written over', async (t) => {
  const { cx, pkg, start, look, retry } = await ashore(t, { objects: day })
  const mine = await makeFile(cx, pkg, { name: 'notes.txt', pieces: [Buffer.from('mine')] })
  await start(wish)
  await carryAll(cx)
  assert.match((await look()).error, /'notes.txt' is in the package already/)
  await assertHas(cx, pkg, { 'notes.txt': 'mine' })
  await removeFile(cx, pkg.manager, pkg.id, mine.id)
  await retry()
  await carryAll(cx)
  await assertHas(cx, pkg, wanted)
})

test('an object that is replaced on the way never becomes a file of two halves', async (t) => {
  const { cx, bucket, pkg, start, look, retry } = await ashore(t, { objects: day })
  await start(wish)
  const other = randomBytes(large.length)
  const replacing = between(cx, (store) => ({
    async *read(key, etag, range, signal) {
      if (range.start === 5 * MiB) await bucket.put(key, other)
      yield* store.read(key, etag, range, signal)
    },
  }))
  await carryAll(replacing)
  const ended = await look()
  assert.equal(ended.state, 'error')
  assert.match(ended.error, /^'dailies\/a b\+ü\.mov' was changed or removed/)
  const { 'dailies/a b+ü.mov': _, ...others } = wanted
  await assertHas(cx, pkg, others)
  assert.equal(await leftovers(cx, pkg), 0)
  await retry()
  await carryAll(cx)
  assert.equal((await look()).state, 'complete')
  await assertHas(cx, pkg, { ...wanted, 'dailies/a b+ü.mov': other })
})

test('a worker that ends gives it back, and what has come is not fetched again', async (t) => {
  const { cx, pkg, start, look } = await ashore(t, { objects: day })
  await start(wish)
  const ending = new AbortController()
  let parts = 0
  const stopping: TestCx = {
    ...cx,
    ownStore: {
      ...cx.ownStore,
      async sendPart(part) {
        if (parts++ > 0) await sleep(200)
        const etag = await cx.ownStore.sendPart(part)
        ending.abort()
        return etag
      },
    },
  }
  const taken = await takeTransfer(cx)
  assert.ok(taken)
  await carryTransfer(stopping, taken, ending.signal)
  const midway = await look()
  assert.equal(midway.state, 'started')
  assert.ok(midway.progress >= 5 * MiB && midway.progress < midway.size, `${midway.progress}`)
  const counted = counting(cx)
  assert.equal(await carryAll(counted.cx), 1)
  await assertHas(cx, pkg, wanted)
  assert.ok(counted.bytes() <= wantedSize - 5 * MiB, `${counted.bytes()} bytes were fetched again`)
  const done = await look()
  assert.deepEqual([done.state, done.progress], ['complete', done.size])
})

/** An import that has brought everything but its large file, and hangs there. */
async function hanging(t: TestContext) {
  const scene = await ashore(t, { objects: day })
  await scene.start(wish)
  const stuck: TestCx = {
    ...scene.cx,
    ownStore: {
      ...scene.cx.ownStore,
      sendPart: ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    },
  }
  const taken = await takeTransfer(scene.cx)
  assert.ok(taken)
  const carried = carryTransfer(stuck, taken, never)
  const few = async () => Object.keys(await contents(scene.cx, scene.pkg)).length
  while ((await few()) < 3) await sleep(50)
  return { ...scene, carried }
}

test('a cancelled import lets go within seconds; what has come stays, the rest leaves the package again', async (t) => {
  const { cx, pkg, look, cancel, retry, carried } = await hanging(t)
  await assert.rejects(finalizePackage(cx, pkg.manager, pkg.id), { code: 'files_unfinished', message: /imported/ })
  const startedAt = performance.now()
  await cancel()
  await carried
  t.diagnostic(`let go after ${Math.round(performance.now() - startedAt)} ms`)
  const { 'dailies/a b+ü.mov': _, ...others } = wanted
  assert.deepEqual((await fileRows(cx, pkg.id)).length, 3)
  await assertHas(cx, pkg, others)
  assert.equal(await leftovers(cx, pkg), 0)
  await makeDue(cx)
  await carryAll(cx)
  assert.equal((await look()).state, 'cancelled')
  await retry()
  const counted = counting(cx)
  await carryAll(counted.cx)
  assert.equal((await look()).state, 'complete')
  await assertHas(cx, pkg, wanted)
  assert.ok(counted.bytes() <= large.length + 1, 'what had come was fetched again')
})

test('a package that is finalized as it is after a cancelled import is not filled any more', async (t) => {
  const { cx, pkg, cancel, retry, carried } = await hanging(t)
  await cancel()
  await carried
  await finalizePackage(cx, pkg.manager, pkg.id)
  await assert.rejects(retry(), { code: 'package_not_new' })
})

test('a package that is deleted on the way ends its import', async (t) => {
  const { cx, pkg, look, retry, carried } = await hanging(t)
  await deletePackage(cx, pkg.manager, pkg.id)
  await carried
  assert.match((await look()).error, /expired or was deleted/)
  await makeDue(cx)
  await carryAll(cx)
  await assert.rejects(retry(), { code: 'package_expired' })
  assert.deepEqual(await cx.db.rows(sql`select 1 from transfers where due is not null`), [])
})

test('a connection that is deleted ends its import, and what has not come leaves the package', async (t) => {
  const { cx, team, connection, pkg, look, carried } = await hanging(t)
  await deleteConnection(cx, team.owner.caller, connection.id)
  await carried
  assert.equal((await look()).error, 'The cloud connection was deleted.')
  await makeDue(cx)
  await carryAll(cx)
  assert.equal((await fileRows(cx, pkg.id)).length, 3)
  assert.equal(await leftovers(cx, pkg), 0)
})

test('a file that somebody removes while it is awaited is not brought', async (t) => {
  const { cx, pkg, start, look } = await ashore(t, { objects: day })
  await start(wish)
  const removing = between(cx, (store) => ({
    async *read(key, etag, range, signal) {
      if (range.start === 5 * MiB) {
        const file = (await fileRows(cx, pkg.id)).find(({ name }) => name === 'a b+ü.mov')
        await removeFile(cx, pkg.manager, pkg.id, file?.id ?? '')
      }
      yield* store.read(key, etag, range, signal)
    },
  }))
  await carryAll(removing)
  assert.equal((await look()).state, 'complete')
  const { 'dailies/a b+ü.mov': _, ...others } = wanted
  await assertHas(cx, pkg, others)
})

test('finalizing a package waits for an import that just begins, and is refused then', async (t) => {
  const { cx, pkg, connection } = await ashore(t, { objects: day })
  await makeFile(cx, pkg, {})
  const { first, second } = await race(
    cx,
    (cx) => startTransfer(cx, pkg.manager, pkg.id, { cloud_connection_id: connection.id, paths: [''] }),
    (cx) => finalizePackage(cx, pkg.manager, pkg.id),
  )
  await first
  await assert.rejects(second, { code: 'files_unfinished' })
  assert.equal((await packageRow(cx, pkg.id))?.state, 'new')
})

test('our keys copy nothing that the keys which were given may not read', async (t) => {
  const { cx, bucket, team, pkg } = await ashore(t, { open: true, objects: day })
  const secret = await makePackage(cx, { files: [{ name: 'secret', pieces: [randomBytes(2 * MiB)] }], finalized: true })
  const copies: string[] = []
  const watching: TestCx = {
    ...cx,
    copier: {
      ...cx.copier,
      fetchObject(from, key, signal) {
        copies.push(from.key)
        return cx.copier.fetchObject(from, key, signal)
      },
    },
  }
  // The bucket of all packages: our own identity may read there, the customer's may not.
  const authorization = { ...bucket.authorization, bucket: testStack().s3.bucket }
  const ours = await connect(cx, team, bucket, { direction: 'both', authorization })
  const { start, look } = await begun(cx, pkg, { cloud_connection_id: ours.id })
  const key = secret.files[0]?.key ?? ''
  await start({ paths: [key] })
  await carryAll(watching)
  assert.deepEqual([(await look()).state, copies], ['error', []])
  assert.deepEqual(await fileRows(cx, pkg.id), [])
  // Not even if it had been listed.
  const listing = between(watching, () => ({ head: (key) => cx.ownStore.head(key) }))
  await start({ paths: [key] })
  await carryAll(listing)
  assert.match((await look()).error, /The store refused \(AccessDenied\)/)
  assert.deepEqual(copies, [])
})
