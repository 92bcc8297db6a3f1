import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { MiB } from '@longshore/contract/limits'
import { newId } from '@longshore/kit/ids'
import type { Blob } from '#blob/port'
import { identifyByTransferToken } from '#domain/access/identify'
import { deleteConnection, updateConnection } from '#domain/connections/connections'
import { deletePackage } from '#domain/packages/delete-package'
import { finalizePackage } from '#domain/packages/finalize-package'
import { clamd } from '#outbound/scanner'
import { sql } from '#platform/db'
import { keptConnectionOfTeam } from '#store/connections'
import { insertTransfer } from '#store/transfers'
import { type CustomerBucket, customerBucket } from '#test-kit/customer-bucket'
import { type TestCx, testCx } from '#test-kit/cx'
import { eicar } from '#test-kit/eicar'
import { inspectAll } from '#test-kit/inspect'
import { callerFor, letExpire, makeFile, type MadePackage, type MadeTeam, makePackage, makeTeam } from '#test-kit/make'
import { makePortal, makePortalPackage } from '#test-kit/make-portals'
import { testStack } from '#test-kit/stack'
import { carryAll, connect, makeDue } from '#test-kit/transfers'
import { carryTransfer, takeTransfer } from './carry-transfer.ts'
import { cancelTransfer, listTransfers, readTransfer, retryTransfer } from './control-transfer.ts'
import { startTransfer } from './start-transfer.ts'

const never = new AbortController().signal

/** The same world, counting the bytes that are read from our own store. */
function counting(cx: TestCx): { cx: TestCx; bytes(): number } {
  let bytes = 0
  const read: Blob['read'] = async function* (...asked) {
    for await (const piece of cx.blob.read(...asked)) {
      bytes += piece.length
      yield piece
    }
  }
  return { cx: { ...cx, blob: { ...cx.blob, read } }, bytes: () => bytes }
}

const large = (fill: number) => [
  Buffer.alloc(5 * MiB, fill),
  Buffer.alloc(5 * MiB, fill + 1),
  Buffer.alloc(7, fill + 2),
]

async function sentPackage(cx: TestCx, team: MadeTeam): Promise<MadePackage> {
  const pkg = await makePackage(cx, {
    team,
    name: 'Rushes',
    files: [
      { name: 'large.mov', path: 'a/b', pieces: large(1) },
      { name: 'small.txt' },
      { name: 'empty', path: 'a', pieces: [] },
    ],
    finalized: true,
  })
  await inspectAll(cx)
  return pkg
}

const folderOf = (pkg: MadePackage) => `in/Rushes-${pkg.id.slice(-8)}`

/** A package on its way to somebody else's bucket; nobody has begun to carry it. */
async function onItsWay(t: TestContext, { authorization = {} }: { readonly authorization?: object } = {}) {
  const cx = await testCx(t)
  const bucket = await customerBucket(t, { open: false })
  const team = await makeTeam(cx)
  const pkg = await sentPackage(cx, team)
  const keys = { ...bucket.authorization, ...authorization }
  const connection = await connect(cx, team, bucket, { authorization: keys, target_directory: 'in' })
  const { id, access_token } = await startTransfer(cx, pkg.manager, pkg.id, { cloud_connection_id: connection.id })
  return { cx, bucket, team, pkg, connection, id, holder: await identifyByTransferToken(cx, access_token) }
}

async function assertArrived(bucket: CustomerBucket, pkg: MadePackage): Promise<void> {
  const names = ['a/b/large.mov', 'small.txt', 'a/empty']
  assert.deepEqual((await bucket.keys()).toSorted(), names.map((name) => `${folderOf(pkg)}/${name}`).toSorted())
  for (const [index, name] of names.entries()) {
    assert.ok((await bucket.read(`${folderOf(pkg)}/${name}`)).equals(pkg.files[index]?.bytes ?? Buffer.alloc(1)), name)
  }
  assert.equal(await bucket.openUploads(), 0)
}

test('a package goes to a bucket of the same store without its large files passing by here', async (t) => {
  const cx = await testCx(t)
  const bucket = await customerBucket(t, { open: true })
  const team = await makeTeam(cx)
  const pkg = await sentPackage(cx, team)
  const connection = await connect(cx, team, bucket, { target_directory: '/in/' })
  const started = await startTransfer(cx, pkg.manager, pkg.id, { cloud_connection_id: connection.id })
  assert.deepEqual([started.state, started.progress, started.size], ['pending', 0, 10 * MiB + 7 + 15])
  const counted = counting(cx)
  assert.equal(await carryAll(counted.cx), 1)
  const [listed] = await listTransfers(cx, pkg.manager, pkg.id)
  assert.deepEqual([listed?.state, listed?.progress, listed?.error], ['complete', started.size, ''])
  await assertArrived(bucket, pkg)
  assert.equal(counted.bytes(), pkg.files[1]?.bytes.length)
})

test('to a store that does not let ours copy, the bytes are sent with the keys that were given', async (t) => {
  const cx = await testCx(t)
  const bucket = await customerBucket(t, { open: false })
  const team = await makeTeam(cx)
  const pkg = await sentPackage(cx, team)
  await connect(cx, team, bucket)
  const [connection] = await cx.db.rows<{ id: string }>(sql`select id from cloud_connections`)
  await startTransfer(cx, pkg.manager, pkg.id, {
    cloud_connection_id: connection?.id ?? '',
    target_directory: 'in',
  })
  const counted = counting(cx)
  await carryAll(counted.cx)
  await assertArrived(bucket, pkg)
  assert.equal(counted.bytes(), 10 * MiB + 7 + 15)
})

test('a read token sends with keys for one transfer, which counts as one access and is forgotten after', async (t) => {
  const cx = await testCx(t)
  const bucket = await customerBucket(t, { open: false })
  const team = await makeTeam(cx)
  const pkg = await sentPackage(cx, team)
  const connection = await connect(cx, team, bucket)
  const reader = await callerFor(cx, pkg, 'read')
  const wish = { authorization: bucket.authorization, target_directory: 'in' }
  const refusedWith = (code: string, wrong: object) =>
    assert.rejects(startTransfer(cx, reader, pkg.id, wrong), { code })
  await refusedWith('token_level_insufficient', { cloud_connection_id: connection.id })
  await refusedWith('validation_failed', {})
  const { id, access_token } = await startTransfer(cx, reader, pkg.id, wish)
  await startTransfer(cx, reader, pkg.id, wish)
  assert.deepEqual(await cx.db.rows(sql`select access_count from links where id = ${reader.linkId}`), [
    { access_count: 1 },
  ])
  await carryAll(cx)
  await assertArrived(bucket, pkg)
  const holder = await identifyByTransferToken(cx, access_token)
  assert.equal((await readTransfer(cx, holder, id)).state, 'complete')
  assert.deepEqual(await cx.db.rows(sql`select 1 from transfers where authorization_sealed is not null`), [])
  await assert.rejects(retryTransfer(cx, holder, id), { code: 'transfer_not_retryable' })
  const writer = await callerFor(cx, pkg, 'write')
  await assert.rejects(startTransfer(cx, writer, pkg.id, wish), { code: 'token_level_insufficient' })
})

test('what was found infected or damaged is not sent, and the transfer says so', async (t) => {
  const cx = await testCx(t)
  const scanning: TestCx = { ...cx, scanner: clamd(testStack().clamd) }
  const bucket = await customerBucket(t, { open: true })
  const team = await makeTeam(cx)
  const pkg = await makePackage(cx, {
    team,
    files: [
      { name: 'good', pieces: [Buffer.from('good')] },
      { name: 'bad.com', pieces: [eicar] },
    ],
    finalized: true,
  })
  const connection = await connect(cx, team, bucket)
  await startTransfer(cx, pkg.manager, pkg.id, { cloud_connection_id: connection.id })
  assert.equal(await carryAll(scanning), 1)
  assert.deepEqual(await bucket.keys(), [], 'nothing goes out before it was looked at')
  await inspectAll(scanning)
  await makeDue(cx)
  await carryAll(scanning)
  assert.deepEqual(await bucket.keys(), [`Rushes-${pkg.id.slice(-8)}/good`])
  const [listed] = await listTransfers(cx, pkg.manager, pkg.id)
  assert.deepEqual([listed?.state, listed?.left_out, listed?.progress, listed?.size], ['complete', 1, 4, 4])
})

test('the connections of a Portal get its packages when they are finalized, once', async (t) => {
  const cx = await testCx(t)
  const bucket = await customerBucket(t, { open: true })
  const team = await makeTeam(cx)
  const [into, only] = [await connect(cx, team, bucket), await connect(cx, team, bucket, { direction: 'import' })]
  await assert.rejects(makePortal(cx, { team, cloud_connections: [{ id: only.id }] }), { code: 'validation_failed' })
  const portal = await makePortal(cx, { team, cloud_connections: [{ id: into.id }] })
  const pkg = await makePortalPackage(cx, portal)
  await makeFile(cx, pkg, { name: 'clip', pieces: [Buffer.from('clip')] })
  for (let again = 0; again < 2; again++) await finalizePackage(cx, pkg.manager, pkg.id)
  await inspectAll(cx)
  assert.equal(await carryAll(cx), 1)
  assert.deepEqual(await bucket.keys(), [`Day 1-${pkg.id.slice(-8)}/clip`])
})

test('keys that are refused end a transfer in error; with right ones it is tried again, and what arrived stays', async (t) => {
  const wrong = { secret_access_key: 'not-the-right-one' }
  const { cx, bucket, team, pkg, connection, id, holder } = await onItsWay(t, { authorization: wrong })
  await carryAll(cx)
  const failed = await readTransfer(cx, holder, id)
  assert.deepEqual([failed.state, failed.error], ['error', 'The store refused (SignatureDoesNotMatch).'])
  await updateConnection(cx, team.owner.caller, connection.id, { authorization: bucket.authorization })
  assert.equal((await retryTransfer(cx, holder, id)).state, 'pending')
  await carryAll(cx)
  await assertArrived(bucket, pkg)
})

test('a store that is away is tried again later, and nothing that has arrived is sent again', async (t) => {
  const { cx, bucket, pkg, id, holder } = await onItsWay(t)
  let sent = 0
  // A worker that is told to end after the first part of the large file.
  const ending = new AbortController()
  const stopping: TestCx = {
    ...cx,
    foreignStore(keys) {
      const store = cx.foreignStore(keys)
      return {
        ...store,
        async sendPart(part) {
          if (sent++ > 0) await sleep(200)
          const etag = await store.sendPart(part)
          ending.abort()
          return etag
        },
      }
    },
  }
  const taken = await takeTransfer(cx)
  assert.ok(taken)
  await carryTransfer(stopping, taken, ending.signal)
  const between = await readTransfer(cx, holder, id)
  assert.equal(between.state, 'started')
  assert.ok(between.progress > 0 && between.progress < between.size)
  assert.equal(await bucket.openUploads(), 1)
  const counted = counting(cx)
  assert.equal(await carryAll(counted.cx), 1)
  await assertArrived(bucket, pkg)
  assert.ok(counted.bytes() <= between.size - 5 * MiB, `${counted.bytes()} bytes were read again`)
  const done = await readTransfer(cx, holder, id)
  assert.deepEqual([done.state, done.progress], ['complete', done.size])
})

test('a cancelled transfer lets go within seconds, takes back what it began, and can be tried again', async (t) => {
  const { cx, bucket, pkg, id, holder } = await onItsWay(t)
  const hanging: TestCx = {
    ...cx,
    foreignStore: (keys) => ({
      ...cx.foreignStore(keys),
      sendPart: ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    }),
  }
  const taken = await takeTransfer(cx)
  assert.ok(taken)
  const carried = carryTransfer(hanging, taken, never)
  while ((await bucket.openUploads()) === 0) await sleep(20)
  const startedAt = performance.now()
  assert.equal((await cancelTransfer(cx, holder, id)).state, 'cancelled')
  await carried
  t.diagnostic(`let go after ${Math.round(performance.now() - startedAt)} ms`)
  assert.equal(await bucket.openUploads(), 0)
  assert.equal((await cancelTransfer(cx, holder, id)).state, 'cancelled')
  await makeDue(cx)
  await carryAll(cx)
  assert.equal((await readTransfer(cx, holder, id)).state, 'cancelled')
  await retryTransfer(cx, holder, id)
  await carryAll(cx)
  await assertArrived(bucket, pkg)
})

test('uploads that a dead worker left behind for a cancelled transfer are taken back by another', async (t) => {
  const { cx, bucket, id, holder } = await onItsWay(t)
  const dying: TestCx = {
    ...cx,
    foreignStore: (keys) => ({
      ...cx.foreignStore(keys),
      sendPart: () => new Promise(() => {}),
      abort: () => new Promise(() => {}),
    }),
  }
  const taken = await takeTransfer(cx)
  assert.ok(taken)
  const testEnds = new AbortController()
  t.after(() => testEnds.abort())
  void carryTransfer(dying, taken, testEnds.signal)
  const isNoted = () => cx.db.row(sql`select 1 from transfer_files where upload_id is not null`)
  while ((await isNoted()) === undefined) await sleep(20)
  await cancelTransfer(cx, holder, id)
  await makeDue(cx)
  assert.equal(await carryAll(cx), 1)
  assert.equal(await bucket.openUploads(), 0)
  assert.equal(await carryAll(cx), 0)
})

test('a package that ends on the way ends its transfer, and one that has ended begins none', async (t) => {
  const cx = await testCx(t)
  const bucket = await customerBucket(t, { open: false })
  const team = await makeTeam(cx)
  const connection = await connect(cx, team, bucket)
  const wish = { cloud_connection_id: connection.id }
  const [pkg, open] = [await sentPackage(cx, team), await makePackage(cx, { team })]
  await assert.rejects(startTransfer(cx, open.manager, open.id, wish), { code: 'package_not_finalized' })
  const { id, access_token } = await startTransfer(cx, pkg.manager, pkg.id, wish)
  const holder = await identifyByTransferToken(cx, access_token)
  await deletePackage(cx, pkg.manager, pkg.id)
  await carryAll(cx)
  const ended = await readTransfer(cx, holder, id)
  assert.equal(ended.state, 'error')
  assert.match(ended.error, /expired or was deleted/)
  await assert.rejects(retryTransfer(cx, holder, id), { code: 'package_expired' })
  await assert.rejects(startTransfer(cx, pkg.manager, pkg.id, wish), { code: 'package_expired' })
  assert.deepEqual(await bucket.keys(), [])
  const late = await sentPackage(cx, team)
  await letExpire(cx, late)
  await assert.rejects(startTransfer(cx, late.manager, late.id, wish), { code: 'package_expired' })
})

test('a connection that is deleted ends what was under way over it, and another Team has no part in it', async (t) => {
  const { cx, bucket, team, pkg, connection, id, holder } = await onItsWay(t)
  const foreign = await connect(cx, await makeTeam(cx), bucket)
  await assert.rejects(startTransfer(cx, pkg.manager, pkg.id, { cloud_connection_id: foreign.id }), {
    code: 'validation_failed',
  })
  await deleteConnection(cx, team.owner.caller, connection.id)
  assert.equal(await carryAll(cx), 0)
  const ended = await readTransfer(cx, holder, id)
  assert.deepEqual([ended.state, ended.error], ['error', 'The cloud connection was deleted.'])
  await assert.rejects(retryTransfer(cx, holder, id), { code: 'transfer_not_retryable' })
  await assert.rejects(readTransfer(cx, { ...holder, teamId: foreign.team_id }, id), { code: 'transfer_not_found' })
  assert.deepEqual(await bucket.keys(), [])
})

test('a connection that is deleted while a transfer over it begins ends that one too', async (t) => {
  const cx = await testCx(t)
  const bucket = await customerBucket(t, { open: false })
  const team = await makeTeam(cx)
  const pkg = await makePackage(cx, { team, files: [{}], finalized: true })
  const connection = await connect(cx, team, bucket)
  const { deleted } = await cx.db.transaction(async (first) => {
    await keptConnectionOfTeam(first, team.id, connection.id)
    const waiting = deleteConnection(cx, team.owner.caller, connection.id)
    await sleep(200)
    const made = { id: newId(), teamId: team.id, packageId: pkg.id, connectionId: connection.id }
    await insertTransfer(first, { ...made, provider: 's3', authorizationSealed: null, folder: 'x', size: 1 })
    return { deleted: waiting }
  })
  await deleted
  assert.deepEqual(
    (await listTransfers(cx, pkg.manager, pkg.id)).map(({ state, error }) => [state, error]),
    [['error', 'The cloud connection was deleted.']],
  )
})

test('our keys go nowhere but to our own store, and a bucket that its owner may not write to gets nothing', async (t) => {
  const cx = await testCx(t)
  const bucket = await customerBucket(t, { open: true })
  const team = await makeTeam(cx)
  const pkg = await sentPackage(cx, team)
  const copied: string[] = []
  const watching: TestCx = {
    ...cx,
    copier: {
      ...cx.copier,
      copyObject(key, to, signal) {
        copied.push(to.bucket)
        return cx.copier.copyObject(key, to, signal)
      },
    },
  }
  // The bucket of all packages: our own identity may write there, the customer's may not.
  const ours = { ...bucket.authorization, bucket: testStack().s3.bucket }
  const connection = await connect(cx, team, bucket, { authorization: ours })
  await startTransfer(cx, pkg.manager, pkg.id, { cloud_connection_id: connection.id })
  await carryAll(watching)
  assert.equal((await listTransfers(cx, pkg.manager, pkg.id))[0]?.error, 'The store refused (AccessDenied).')
  assert.deepEqual(copied, [])
  assert.equal(cx.copier.isOurStore('http://127.0.0.1:1/'), false)
  assert.equal(cx.copier.isOurStore(testStack().s3.endpoint.replace('127.0.0.1', 'localhost')), false)
})
