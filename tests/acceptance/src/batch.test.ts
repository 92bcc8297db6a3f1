import assert from 'node:assert/strict'
import * as wire from '@longshore/contract/cloud/files'
import { maxBatchFiles, minChunkSize } from '@longshore/contract/limits'
import { refused, show, use } from '#calls'
import { test } from '#record'
import { openUpload, sendBlueprint, sha256, store } from '#storage'
import {
  fetchFile,
  finalize,
  inPackage,
  makeLink,
  makePackage,
  managing,
  newFile,
  type Package,
  readTokenOf,
} from '#walk'

const addAll = (pkg: Package, files: readonly ReturnType<typeof newFile>[]) =>
  use(wire.addFiles, { params: inPackage(pkg), body: { files: [...files] } }, managing(pkg))

/** Runs the work for each item, a few at a time. */
async function few<Item, Result>(items: readonly Item[], work: (item: Item, index: number) => Promise<Result>) {
  const results: Result[] = []
  const queue = items.entries()
  const lane = async () => {
    for (const [index, item] of queue) results[index] = await work(item, index)
  }
  await Promise.all(Array.from({ length: 12 }, lane))
  return results
}

test('a thousand small files go up in two calls and a PUT each', async () => {
  const pkg = await makePackage()
  const contentOf = (index: number) => Buffer.from(index === 0 ? '' : `frame ${index}\n`.repeat(index % 50))
  const fields = Array.from({ length: maxBatchFiles }, (_, index) =>
    newFile({ name: `frame.${index}.exr`, path: `shot ${index % 7}`, size: contentOf(index).length }),
  )
  const { files } = await show(wire.addFiles, { params: inPackage(pkg), body: { files: fields } }, managing(pkg))
  assert.deepEqual(
    files.map(({ file }) => file.name),
    fields.map(({ name }) => name),
  )
  assert.ok(files.every((added) => added.create_blueprint === null && added.put_blueprint !== null))
  const etags = await few(files, ({ put_blueprint }, index) => store(put_blueprint, contentOf(index)))

  const claims = files.map(({ file }, index) => ({
    file_id: file.id,
    size: contentOf(index).length,
    etag: etags[index] ?? '',
  }))
  const { results } = await show(wire.finalizeFiles, { params: inPackage(pkg), body: { files: claims } }, managing(pkg))
  assert.deepEqual(
    results,
    claims.map(({ file_id }) => ({ file_id, status: 204 })),
  )
  await finalize(pkg)
  const listed = await show(wire.listFiles, { params: inPackage(pkg) }, managing(pkg))
  assert.equal(listed.filter(({ kind }) => kind === 'file').length, maxBatchFiles)
  const token = await readTokenOf(await makeLink(pkg))
  for (const index of [0, 1, 499, 999]) {
    const fetched = await fetchFile(pkg, files[index]?.file.id ?? '', token)
    assert.equal(sha256(fetched.body), sha256(contentOf(index)), `file ${index}`)
  }
})

test('a batch holds directories, files of one chunk and files of many', async () => {
  const pkg = await makePackage({ chunk_size: minChunkSize })
  const large = Buffer.alloc(minChunkSize + 1, 'L')
  const { files } = await addAll(pkg, [
    newFile({ kind: 'directory', name: 'd' } as never),
    newFile({ name: 'small', size: minChunkSize }),
    newFile({ name: 'large', size: large.length }),
    newFile({ name: 'unknown' }),
  ])
  const kinds = files.map(({ create_blueprint, put_blueprint }) => [create_blueprint !== null, put_blueprint !== null])
  assert.deepEqual(kinds, [
    [false, false],
    [false, true],
    [true, false],
    [true, false],
  ])
  const added = files[2]
  assert.ok(added)
  const params = { package_id: pkg.id, file_id: added.file.id }
  const uploadId = await openUpload(added.create_blueprint)
  const blueprints = await use(
    wire.chunkRequests,
    { params, query: { start: 0, count: 2 }, body: { upload_id: uploadId } },
    managing(pkg),
  )
  const etags = await few(blueprints, (one, i) => store(one, large.subarray(i * minChunkSize, (i + 1) * minChunkSize)))
  const body = {
    files: [
      {
        file_id: added.file.id,
        size: large.length,
        chunk_extras: etags.map((etag, i) => ({ part_number: i + 1, etag })),
        file_extras: { upload_id: uploadId },
      },
      // Nothing was sent of this one: it must not hold back the other.
      { file_id: files[1]?.file.id ?? '', size: minChunkSize },
    ],
  }
  const { results } = await show(wire.finalizeFiles, { params: inPackage(pkg), body }, managing(pkg))
  assert.deepEqual(
    results.map(({ status, error }) => [status, error]),
    [
      [204, undefined],
      [409, 'upload_mismatch'],
    ],
  )
})

test('a batch is added as a whole or not at all', async () => {
  const pkg = await makePackage()
  await addAll(pkg, [newFile({ name: 'there', size: 1 })])
  const tryAll = (files: readonly unknown[], error: 'duplicate_path' | 'validation_failed') =>
    refused(wire.addFiles, { params: inPackage(pkg), body: { files } }, managing(pkg), error)
  await tryAll([newFile({ name: 'new' }), newFile({ name: 'there' })], 'duplicate_path')
  await tryAll([newFile({ name: 'twice' }), newFile({ name: 'twice' })], 'duplicate_path')
  await tryAll([newFile({ name: 'a' }), newFile({ name: 'b', path: 'a' })], 'duplicate_path')
  await tryAll([newFile({ name: 'b', path: 'there' })], 'duplicate_path')
  const { details } = await tryAll([newFile({ name: 'new' }), newFile({ name: '..' })], 'validation_failed')
  assert.equal(details?.[0]?.field, 'files/1/name')
  await tryAll([], 'validation_failed')
  await tryAll(
    Array.from({ length: maxBatchFiles + 1 }, (_, i) => newFile({ name: `f${i}` })),
    'validation_failed',
  )
  const listed = await use(wire.listFiles, { params: inPackage(pkg) }, managing(pkg))
  assert.deepEqual(
    listed.map(({ name }) => name),
    ['there'],
  )
})

test('a file of no bytes is stored in a single PUT', async () => {
  const pkg = await makePackage()
  const { files } = await addAll(pkg, [newFile({ name: 'empty', size: 0 })])
  const file_id = files[0]?.file.id ?? ''
  await store(files[0]?.put_blueprint, Buffer.alloc(0))
  const body = { files: [{ file_id, size: 0 }] }
  for (let time = 0; time < 2; time += 1) {
    const { results } = await show(wire.finalizeFiles, { params: inPackage(pkg), body }, managing(pkg))
    assert.deepEqual(results, [{ file_id, status: 204 }])
  }
  await finalize(pkg)
  const fetched = await fetchFile(pkg, file_id, await readTokenOf(await makeLink(pkg)))
  assert.deepEqual([fetched.status, fetched.body.length], [200, 0])
})

test('a single PUT is for the declared length, once, and is finalized only as it is in storage', async () => {
  const pkg = await makePackage()
  const { files } = await addAll(pkg, [newFile({ name: 'f', size: 5 })])
  const [added] = files
  assert.ok(added?.put_blueprint)
  const params = { package_id: pkg.id, file_id: added.file.id }
  for (const bytes of ['1234', '123456']) {
    assert.equal((await sendBlueprint(added.put_blueprint, Buffer.from(bytes))).status, 403)
  }
  const etag = await store(added.put_blueprint, Buffer.from('12345'))
  // The address only creates: whoever has it cannot replace what is there.
  assert.equal((await sendBlueprint(added.put_blueprint, Buffer.from('54321'))).status, 412)
  const withoutCondition = { ...added.put_blueprint, headers: {} }
  assert.equal((await sendBlueprint(withoutCondition, Buffer.from('54321'))).status, 403)

  const { chunks } = await show(wire.listChunks, { params }, managing(pkg))
  assert.deepEqual(
    chunks.map(({ part_number, size }) => [part_number, size]),
    [[1, 5]],
  )
  const finish = async (claim: object) => {
    const body = { files: [{ file_id: added.file.id, size: 5, ...claim }] }
    const { results } = await use(wire.finalizeFiles, { params: inPackage(pkg), body }, managing(pkg))
    return [results[0]?.status, results[0]?.error]
  }
  assert.deepEqual(await finish({ size: 6 }), [409, 'upload_mismatch'])
  assert.deepEqual(await finish({ etag: 'ffffffffffffffffffffffffffffffff' }), [409, 'upload_mismatch'])
  assert.deepEqual(await finish({ etag }), [204, undefined])
  assert.deepEqual(await finish({ etag: 'ffffffffffffffffffffffffffffffff' }), [409, 'upload_mismatch'])
  const chunk = { params, query: { start: 0, count: 1 }, body: { upload_id: 'u' } }
  await refused(wire.chunkRequests, chunk, managing(pkg), 'file_not_chunked')
})

test('a batch of finalizes with fields of the wrong type is refused as a whole', async () => {
  const pkg = await makePackage()
  for (const files of [[], [{ size: 1 }], [{ file_id: 'x', size: 1 }], [{ file_id: pkg.id, size: -1 }], 'x']) {
    const input = { params: inPackage(pkg), body: { files } }
    await refused(wire.finalizeFiles, input, managing(pkg), 'validation_failed')
  }
})
