import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import * as wire from '@longshore/contract/cloud/files'
import { GiB, maxFileSize, MiB, minChunkSize, TiB } from '@longshore/contract/limits'
import { refused, show, use } from '#calls'
import { test } from '#record'
import { openUpload, sendBlueprint, sha256, store } from '#storage'
import {
  add,
  type AddedFile,
  fetchFile,
  finalize,
  inFile,
  inPackage,
  makeLink,
  makePackage,
  managing,
  newFile,
  type Package,
  readTokenOf,
} from '#walk'

const chunks = (pkg: Package, added: AddedFile, uploadId: string, start: number, count: number) =>
  use(
    wire.chunkRequests,
    { params: inFile(added), query: { start, count }, body: { upload_id: uploadId } },
    managing(pkg),
  )
const list = (pkg: Package) => use(wire.listFiles, { params: inPackage(pkg) }, managing(pkg))

test('a file of unknown size is measured when it is finalized', async () => {
  const pkg = await makePackage({ chunk_size: minChunkSize })
  const content = randomBytes(minChunkSize + 77)
  const added = await add(pkg, { name: 'live.ts' })
  const uploadId = await openUpload(added.create_blueprint)
  const blueprints = await chunks(pkg, added, uploadId, 0, 5)
  assert.equal(blueprints.length, 5)
  const etags = [
    await store(blueprints[0], content.subarray(0, minChunkSize)),
    await store(blueprints[1], content.subarray(minChunkSize)),
  ]
  const chunk_extras = etags.map((etag, i) => ({ part_number: i + 1, etag }))
  const claim = (size: number) => ({
    params: inFile(added),
    body: { chunk_extras, file_extras: { upload_id: uploadId }, size },
  })
  await refused(wire.finalizeFile, claim(content.length + 1), managing(pkg), 'upload_mismatch')
  await show(wire.finalizeFile, claim(content.length), managing(pkg))
  await finalize(pkg)
  const [file] = await list(pkg)
  assert.deepEqual([file?.size, file?.state], [content.length, 'finalized'])
  const fetched = await fetchFile(pkg, added.file.id, await readTokenOf(await makeLink(pkg)))
  assert.equal(sha256(fetched.body), sha256(content))
})

test('chunks are as large as asked for, or larger where a file would need too many', async () => {
  const pkg = await makePackage({ chunk_size: 8 * MiB })
  const plain = await makePackage()
  const size = async (of: Package, fields: object) => (await add(of, fields)).file.chunk_size
  assert.equal(await size(plain, { size: 1 }), 100 * MiB)
  assert.equal(await size(pkg, { size: 1 }), 8 * MiB)
  assert.equal(await size(pkg, { size: 1, chunk_size: 0 }), 8 * MiB)
  assert.equal(await size(pkg, { size: 1, chunk_size: 6 * MiB }), 6 * MiB)
  assert.equal(await size(pkg, { size: 1, chunk_size: minChunkSize }), minChunkSize)
  assert.equal(await size(pkg, { size: TiB }), Math.ceil(TiB / 9_900 / MiB) * MiB)
  assert.equal(await size(plain, { size: maxFileSize }), 5 * GiB)
  for (const fields of [
    { chunk_size: minChunkSize - 1 },
    { chunk_size: 5 * GiB + 1 },
    { chunk_size: -1 },
    { chunk_size: '8388608' },
    { size: -1 },
    { size: 1.5 },
    { size: maxFileSize + 1 },
    { size: '5' },
    { kind: 'symlink' },
    { last_modified: '2026-03-14 15:09:26' },
    { last_modified: '0001-01-01T00:00:00.000Z' },
    { last_modified: undefined },
    { name: undefined },
    { path: undefined },
  ]) {
    const body = { ...newFile(), ...fields }
    await refused(wire.addFile, { params: inPackage(pkg), body }, managing(pkg), 'validation_failed')
  }
})

test('chunk requests are for chunks that the file has, at most 1,000 a call', async () => {
  const pkg = await makePackage()
  const added = await add(pkg, { size: 1_500 * minChunkSize, chunk_size: minChunkSize })
  const uploadId = await openUpload(added.create_blueprint)
  const numbers = async (start: number, count: number) =>
    (await chunks(pkg, added, uploadId, start, count)).map(({ url }) =>
      Number(new URL(url).searchParams.get('partNumber')),
    )
  assert.deepEqual(await numbers(0, 2), [1, 2])
  assert.deepEqual(await numbers(1_499, 1), [1_500])
  assert.equal((await numbers(0, 1_000)).length, 1_000)
  // What reaches beyond the end is cut: the file has no such chunks.
  assert.deepEqual(await numbers(1_498, 10), [1_499, 1_500])
  const wrong: readonly Record<string, unknown>[] = [
    { start: 0, count: 0 },
    { start: 0, count: 1_001 },
    { start: 0, count: 1e9 },
    { start: -1, count: 1 },
    { start: 1_500, count: 1 },
    { start: 9_999, count: 1 },
    { start: 10_000, count: 1 },
    { start: 'x', count: 1 },
    { start: '0.5', count: 1 },
    { start: ' ', count: 1 },
    { count: 1 },
    { start: 0 },
    { start: [0, 1], count: 1 },
    { start: 0, count: '' },
    { start: 'true', count: 1 },
  ]
  for (const query of wrong) {
    const input = { params: inFile(added), query, body: { upload_id: uploadId } }
    await refused(wire.chunkRequests, input, managing(pkg), 'validation_failed')
  }
})

test('a file belongs to the first upload that its chunks were asked for', async () => {
  const pkg = await makePackage()
  const [first, second] = [await add(pkg, { size: 5 }), await add(pkg, { size: 5 })]
  const [ofFirst, ofSecond] = [await openUpload(first.create_blueprint), await openUpload(second.create_blueprint)]
  await chunks(pkg, first, ofFirst, 0, 1)
  const input = { params: inFile(first), query: { start: 0, count: 1 }, body: { upload_id: ofSecond } }
  await refused(wire.chunkRequests, input, managing(pkg), 'upload_mismatch')
  await chunks(pkg, first, ofFirst, 0, 1)
  const etag = 'd41d8cd98f00b204e9800998ecf8427e'
  const body = { chunk_extras: [{ part_number: 1, etag }], file_extras: { upload_id: ofSecond }, size: 5 }
  await refused(wire.finalizeFile, { params: inFile(first), body }, managing(pkg), 'upload_mismatch')
})

test('an upload goes on where it stopped, by what storage says it has', async () => {
  const content = randomBytes(5 * minChunkSize + 9)
  const pkg = await makePackage({ chunk_size: minChunkSize })
  const added = await add(pkg, { size: content.length })
  const before = await show(wire.listChunks, { params: inFile(added) }, managing(pkg))
  assert.deepEqual(before, { upload_id: '', chunk_size: minChunkSize, chunks: [] })
  const uploadId = await openUpload(added.create_blueprint)
  const part = (number: number) => content.subarray((number - 1) * minChunkSize, number * minChunkSize)
  const blueprints = await chunks(pkg, added, uploadId, 0, 6)
  for (const number of [2, 4, 6]) await store(blueprints[number - 1], part(number))

  // From here on all that is known is the package, the file and the source.
  const { upload_id, chunks: stored } = await show(wire.listChunks, { params: inFile(added) }, managing(pkg))
  assert.equal(upload_id, uploadId)
  assert.deepEqual(
    stored.map(({ part_number, size }) => [part_number, size]),
    [
      [2, minChunkSize],
      [4, minChunkSize],
      [6, 9],
    ],
  )
  const etags = new Map(stored.map(({ part_number, etag }) => [part_number, etag]))
  for (const number of [1, 2, 3, 4, 5, 6].filter((one) => !etags.has(one))) {
    const [blueprint] = await chunks(pkg, added, upload_id, number - 1, 1)
    etags.set(number, await store(blueprint, part(number)))
  }
  const chunk_extras = [...etags].map(([part_number, etag]) => ({ part_number, etag }))
  const body = { chunk_extras, file_extras: { upload_id }, size: content.length }
  await use(wire.finalizeFile, { params: inFile(added), body }, managing(pkg))
  await finalize(pkg)
  const fetched = await fetchFile(pkg, added.file.id, await readTokenOf(await makeLink(pkg)))
  assert.equal(sha256(fetched.body), sha256(content))
})

test('a chunk is stored at its declared length alone', async () => {
  const pkg = await makePackage({ chunk_size: minChunkSize })
  const added = await add(pkg, { size: minChunkSize + 5 })
  const uploadId = await openUpload(added.create_blueprint)
  const [, last] = await chunks(pkg, added, uploadId, 0, 2)
  assert.ok(last)
  for (const length of [4, 6]) {
    const { status } = await sendBlueprint(last, Buffer.alloc(length))
    assert.equal(status, 403, `${length} bytes`)
  }
  await store(last, Buffer.alloc(5))
})
