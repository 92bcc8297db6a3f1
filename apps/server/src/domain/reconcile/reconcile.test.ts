import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newId } from '@longshore/kit/ids'
import { inspectBatch, takeBatch } from '#domain/inspection/inspect-batch'
import { newObjectKey } from '#domain/uploads/object-key'
import { sql } from '#platform/db'
import { lastReconciliation } from '#store/reconciliations'
import { type TestCx, testCx } from '#test-kit/cx'
import { makeFile, makePackage, makeTeam } from '#test-kit/make'
import { withOwnBucket } from '#test-kit/own-bucket'
import { deletePackage } from '../packages/delete-package.ts'
import { freezeFiles, takeFreezable } from '../packages/freeze-files.ts'
import { purgePackages } from '../packages/purge-package.ts'
import { removeFile } from '../uploads/remove-file.ts'
import { nightly, reconcile } from './reconcile.ts'

const never = new AbortController().signal
const atOnce = { repairing: false, olderThanHours: 0, careful: false }
const nothing = { orphans: 0, orphan_bytes: 0, orphan_uploads: 0, removed: 0, missing: 0, foreign_objects: 0 }

const newWorld = async (t: TestContext) => withOwnBucket(t, await testCx(t))

const storedKeys = async (cx: TestCx) => (await Array.fromAsync(cx.blob.list(''))).map(({ key }) => key)

test('where every byte has its owner and every owner its bytes nothing is found', async (t) => {
  const cx = await newWorld(t)
  const team = await makeTeam(cx)
  const packages = []
  for (let index = 0; index < 12; index++) {
    packages.push(await makePackage(cx, { team, files: [{}, {}], finalized: index % 2 === 0 }))
  }
  // Somebody is in the middle of an upload, in one request and in parts.
  const open = await makePackage(cx, { files: [{ inParts: true }] })
  await makeFile(cx, open, { finalized: false })
  await makeFile(cx, open, { inParts: true, finalized: false })
  assert.deepEqual(await reconcile(cx, atOnce, never), { objects: 26, files: 27, ...nothing })
})

test('objects of nobody are told of, and removed by a repair; those of others stay', async (t) => {
  const cx = await newWorld(t)
  const team = await makeTeam(cx)
  const sent = await makePackage(cx, { team, files: [{}], finalized: true })
  const unknown = newObjectKey(team.id, newId(), newId())
  const astray = newObjectKey(team.id, sent.id, newId())
  // The place of a file that is there, under a key that is not its own.
  const late = newObjectKey(team.id, sent.id, sent.files[0]?.id ?? '')
  for (const key of [unknown, astray, late]) await cx.blob.write(key, Buffer.from('bytes'))
  await cx.blob.write('notes.txt', Buffer.from('not ours'))

  const found = { objects: 5, files: 1, ...nothing, orphans: 3, orphan_bytes: 15, foreign_objects: 1 }
  assert.deepEqual(await reconcile(cx, atOnce, never), found)
  assert.equal((await storedKeys(cx)).length, 5)
  assert.deepEqual(await reconcile(cx, { ...atOnce, repairing: true }, never), { ...found, removed: 3 })
  assert.deepEqual(new Set(await storedKeys(cx)), new Set([sent.files[0]?.key, 'notes.txt']))
})

test('what was stored, or ended, less than the given hours ago is left alone', async (t) => {
  const cx = await newWorld(t)
  const team = await makeTeam(cx)
  await cx.blob.write(newObjectKey(team.id, newId(), newId()), Buffer.from('bytes'))
  const ended = await makePackage(cx, { team, files: [{}], finalized: true })
  await deletePackage(cx, ended.manager, ended.id)
  assert.deepEqual(await reconcile(cx, nightly, never), { objects: 2, files: 0, ...nothing })

  await cx.db.transaction((tx) => tx.run(sql`update packages set expired_at = now() - interval '49 hours'`))
  assert.deepEqual(
    await reconcile(cx, nightly, never),
    { objects: 2, files: 0, ...nothing },
    'the objects themselves are young',
  )
  assert.equal((await reconcile(cx, atOnce, never)).orphans, 2)
  await purgePackages(cx, [{ teamId: team.id, packageId: ended.id, last: true }], never)
  assert.equal((await reconcile(cx, atOnce, never)).orphans, 1)
})

test('an owner whose bytes are gone or are others is told of and kept as it is', async (t) => {
  const cx = await newWorld(t)
  const whole = await makePackage(cx, { files: [{}, {}], finalized: true })
  const emptied = await makePackage(cx, { files: [{}] })
  await cx.blob.remove([whole.files[0]?.key ?? '', emptied.files[0]?.key ?? ''])
  await cx.blob.write(whole.files[1]?.key ?? '', Buffer.from('of another size'))
  const found = { objects: 1, files: 3, ...nothing, missing: 3 }
  assert.deepEqual(await reconcile(cx, { ...atOnce, repairing: true }, never), found)
  const [row] = await cx.db.rows<{ files: number }>(sql`select count(*)::integer as files from files`)
  assert.equal(row?.files, 3)
  const last = await lastReconciliation(cx.db)
  assert.deepEqual([last?.missing, last?.repairing, last?.finished_at instanceof Date], [3, true, true])

  await deletePackage(cx, whole.manager, whole.id)
  assert.equal((await reconcile(cx, nightly, never)).missing, 1, 'of what has ended nothing is missed')
})

test('where nearly everything seems to be without an owner, nothing is removed unasked', async (t) => {
  const cx = await newWorld(t)
  const teamId = newId()
  const keys = Array.from({ length: 101 }, () => newObjectKey(teamId, newId(), newId()))
  await Promise.all(keys.map((key) => cx.blob.write(key, Buffer.from('x'))))
  const wish = { repairing: true, olderThanHours: 0, careful: true }
  const found = { objects: 101, files: 0, ...nothing, orphans: 101, orphan_bytes: 101 }
  assert.deepEqual(await reconcile(cx, wish, never), found)
  assert.equal((await storedKeys(cx)).length, 101)
  assert.equal((await reconcile(cx, { ...wish, careful: false }, never)).removed, 101)
  assert.deepEqual(await storedKeys(cx), [])
})

test('an upload is kept while its file may still use it, and dropped when nobody does', async (t) => {
  const cx = await newWorld(t)
  const pkg = await makePackage(cx)
  const going = await makeFile(cx, pkg, { inParts: true, finalized: false })
  const removed = await makeFile(cx, pkg, { inParts: true, finalized: false })
  await removeFile(cx, pkg.manager, pkg.id, removed.id)
  // Another upload for a file that has its own.
  const second = cx.blueprints.createUpload(going.key)
  await fetch(second.url, { method: second.method, headers: second.headers })
  assert.equal((await Array.fromAsync(cx.blob.openUploads(''))).length, 3)

  const found = { objects: 0, files: 1, ...nothing, orphan_uploads: 2 }
  assert.deepEqual(await reconcile(cx, nightly, never), { ...found, orphan_uploads: 0 })
  assert.deepEqual(await reconcile(cx, { ...atOnce, repairing: true }, never), { ...found, removed: 2 })
  const left = await Array.fromAsync(cx.blob.openUploads(''))
  assert.deepEqual(
    left.map(({ uploadId }) => uploadId),
    [going.claim.file_extras?.upload_id],
  )
})

test('packages with more files than one page, beside others, are walked in step', async (t) => {
  const cx = await newWorld(t)
  const team = await makeTeam(cx)
  const large = await makePackage(cx, { team })
  const small = await makePackage(cx, { team, files: [{}], finalized: true })
  const ids = Array.from({ length: 4_100 }, () => newId())
  await cx.db.transaction((tx) =>
    tx.run(sql`
      insert into files (team_id, package_id, id, kind, path, name, size, last_modified, chunk_size, state, object_key)
      select ${team.id}, ${large.id}, id, 'file', '', id::text, 0, now(), 0, 'new', key
        from unnest(${ids}::uuid[], ${ids.map((id) => newObjectKey(team.id, large.id, id))}::text[]) as f (id, key)
    `),
  )
  assert.deepEqual(await reconcile(cx, atOnce, never), { objects: 1, files: 4_101, ...nothing })
  await cx.blob.remove([small.files[0]?.key ?? ''])
  assert.deepEqual(await reconcile(cx, atOnce, never), { objects: 0, files: 4_101, ...nothing, missing: 1 })
})

test('a run that was stopped goes on where it was, and counts nothing twice', async (t) => {
  const cx = await newWorld(t)
  const team = await makeTeam(cx)
  const [first, second] = [await makePackage(cx, { team }), await makePackage(cx, { team })]
  for (const pkg of [first, second]) {
    const ids = Array.from({ length: 1_300 }, () => newId())
    await cx.db.transaction((tx) =>
      tx.run(sql`
        insert into files (team_id, package_id, id, kind, path, name, size, last_modified, chunk_size, state, object_key)
        select ${team.id}, ${pkg.id}, id, 'file', '', id::text, 1, now(), 0, 'new', key
          from unnest(${ids}::uuid[], ${ids.map((id) => newObjectKey(team.id, pkg.id, id))}::text[]) as f (id, key)
      `),
    )
  }
  await makeFile(cx, second)
  const stopped = AbortSignal.abort()
  await assert.rejects(reconcile(cx, nightly, stopped), { name: 'AbortError' })
  const [left] = await cx.db.rows<{ files: number }>(sql`select files from reconciliations where finished_at is null`)
  assert.equal(left?.files, 1_000)

  // It looks as if somebody were still at it, so another run begins anew.
  assert.equal((await reconcile(cx, atOnce, never)).files, 2_601)
  await cx.db.transaction((tx) => tx.run(sql`update reconciliations set touched_at = now() - interval '6 minutes'`))
  assert.deepEqual(await reconcile(cx, nightly, never), { objects: 1, files: 2_601, ...nothing })
  const [open] = await cx.db.rows<{ runs: number }>(
    sql`select count(*)::integer as runs from reconciliations where finished_at is null`,
  )
  assert.equal(open?.runs, 0)
})

test('frozen lists own their objects as live ones do', async (t) => {
  const cx = await newWorld(t)
  const team = await makeTeam(cx)
  const packages = []
  for (let index = 0; index < 6; index++)
    packages.push(await makePackage(cx, { team, files: [{}, {}], finalized: true }))
  const taken = await takeBatch(cx, 'small')
  await inspectBatch(cx, taken, never)
  const [waiting, ...others] = await takeFreezable(cx, 10)
  for (const one of others.slice(0, 3)) await freezeFiles(cx, one, never)
  assert.ok(waiting !== undefined)
  assert.deepEqual(await reconcile(cx, atOnce, never), { objects: 12, files: 12, ...nothing })
  await freezeFiles(cx, waiting, never)
  const frozen = packages.find(({ id }) => id === waiting.package_id)
  await cx.blob.remove([frozen?.files[1]?.key ?? ''])
  await cx.blob.write(newObjectKey(team.id, waiting.package_id, frozen?.files[0]?.id ?? ''), Buffer.from('late'))
  const found = { objects: 12, files: 12, ...nothing, orphans: 1, orphan_bytes: 4, missing: 1 }
  assert.deepEqual(await reconcile(cx, atOnce, never), found)
})
