import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StorageTrouble } from '#blob/storage-errors'
import { packagePrefix } from '#domain/uploads/object-key'
import { testCx, type TestCx } from '#test-kit/cx'
import { fileRows } from '#test-kit/look'
import { type MadePackage, makeFile, makePackage, makeTeam } from '#test-kit/make'
import { purgePackages } from './purge-package.ts'

const never = new AbortController().signal

async function stored(cx: TestCx, pkg: MadePackage) {
  const prefix = packagePrefix(pkg.teamId, pkg.id)
  const objects: string[] = []
  for await (const { key } of cx.blob.list(prefix)) objects.push(key)
  return { objects: objects.length, uploads: (await Array.fromAsync(cx.blob.openUploads(prefix))).length }
}

const order = (pkg: MadePackage, last: boolean) => ({ teamId: pkg.teamId, packageId: pkg.id, last })

test('the first pass empties storage and keeps the rows, the last forgets those too', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{}, { inParts: true }] })
  await makeFile(cx, pkg, { inParts: true, finalized: false })
  const neighbour = await makePackage(cx, { files: [{}] })
  assert.deepEqual(await stored(cx, pkg), { objects: 2, uploads: 1 })

  await purgePackages(cx, [order(pkg, false)], never)
  assert.deepEqual(await stored(cx, pkg), { objects: 0, uploads: 0 })
  assert.equal((await fileRows(cx, pkg.id)).length, 3)

  await purgePackages(cx, [order(pkg, true)], never)
  assert.deepEqual(await fileRows(cx, pkg.id), [])
  assert.deepEqual(await stored(cx, neighbour), { objects: 1, uploads: 0 })
  assert.equal((await fileRows(cx, neighbour.id)).length, 1)
})

test('what the store holds for a package without rows is removed by the last pass', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  await cx.blob.write(`${packagePrefix(pkg.teamId, pkg.id)}somebody/else`, Buffer.from('late'))
  await purgePackages(cx, [order(pkg, true)], never)
  assert.deepEqual(await stored(cx, pkg), { objects: 0, uploads: 0 })
})

test('a second run of a finished purge does no harm', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{}] })
  for (const last of [false, false, true, true]) await purgePackages(cx, [order(pkg, last)], never)
  assert.deepEqual(await stored(cx, pkg), { objects: 0, uploads: 0 })
})

test('the rows stay as long as an object could not be removed', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{}] })
  const away = { ...cx.blob, remove: () => Promise.reject(new StorageTrouble('away')) }
  await assert.rejects(purgePackages({ ...cx, blob: away }, [order(pkg, true)], never), { name: 'StorageTrouble' })
  assert.equal((await fileRows(cx, pkg.id)).length, 1)
  await purgePackages(cx, [order(pkg, true)], never)
  assert.deepEqual(await fileRows(cx, pkg.id), [])
})

test('many packages are purged together: parts and wholes, first and last passes, and nobody else', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const packages = [
    await makePackage(cx, { team, files: [{}, {}], finalized: true }),
    await makePackage(cx, { team, files: [{ inParts: true }], finalized: true }),
    await makePackage(cx, { team, files: [{}] }),
    await makePackage(cx, { team }),
  ]
  const [whole, parts, open, empty] = packages
  assert.ok(whole !== undefined && parts !== undefined && open !== undefined && empty !== undefined)
  await makeFile(cx, open, { inParts: true, finalized: false })
  const neighbour = await makePackage(cx, { team, files: [{}] })
  const orders = [order(whole, false), order(parts, true), order(open, true), order(empty, false), order(whole, true)]
  await purgePackages(cx, orders, never)
  for (const pkg of packages) assert.deepEqual(await stored(cx, pkg), { objects: 0, uploads: 0 })
  for (const pkg of packages) assert.deepEqual(await fileRows(cx, pkg.id), [])
  assert.deepEqual(await stored(cx, neighbour), { objects: 1, uploads: 0 })
  assert.equal((await fileRows(cx, neighbour.id)).length, 1)
})

test('an upload that nobody told us of is dropped by the last pass', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{ inParts: true }], finalized: true })
  const begun = cx.blueprints.createUpload(pkg.files[0]?.key ?? '')
  await fetch(begun.url, { method: begun.method, headers: begun.headers })
  assert.deepEqual(await stored(cx, pkg), { objects: 1, uploads: 1 })
  await purgePackages(cx, [order(pkg, true)], never)
  assert.deepEqual(await stored(cx, pkg), { objects: 0, uploads: 0 })
})
