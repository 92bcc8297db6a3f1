import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import * as wire from '@longshore/contract/cloud/files'
import { finalizePackage } from '@longshore/contract/cloud/packages'
import { GiB, minChunkSize } from '@longshore/contract/limits'
import { type AnyInput, refused, show, use } from '#calls'
import { packageToken } from '#mint'
import { test } from '#record'
import { makeEnded } from '#scene'
import { openUpload, sha256, store } from '#storage'
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
  upload,
} from '#walk'

const chunks = (pkg: Package, added: AddedFile, uploadId: string, start: number, count: number) =>
  use(
    wire.chunkRequests,
    { params: inFile(added), query: { start, count }, body: { upload_id: uploadId } },
    managing(pkg),
  )
const list = (pkg: Package) => use(wire.listFiles, { params: inPackage(pkg) }, managing(pkg))

test('a file of three chunks goes up by the calls of the spec and comes down the same', async () => {
  const content = randomBytes(2 * minChunkSize + 12_345)
  const pkg = await makePackage({ chunk_size: minChunkSize })
  const body = newFile({ name: 'A001_C001.mov', path: 'day 1/cam A', size: content.length })
  const added = await show(wire.addFile, { params: inPackage(pkg), body }, managing(pkg))
  assert.deepEqual([added.min_chunk_size, added.max_chunk_size, added.max_chunk_count], [minChunkSize, 5 * GiB, 10_000])
  const { id: _, created_at: __, updated_at: ___, ...file } = added.file
  const expected = { ...body, package_id: pkg.id, chunk_size: minChunkSize, state: 'new', virus_detected: false }
  assert.deepEqual(file, { ...expected, scan: 'pending' })

  const uploadId = await openUpload(added.create_blueprint)
  const blueprints = await show(
    wire.chunkRequests,
    { params: inFile(added), query: { start: 0, count: 3 }, body: { upload_id: uploadId } },
    managing(pkg),
  )
  assert.equal(blueprints.length, 3)
  assert.equal((await list(pkg))[0]?.state, 'uploading')
  const etags = await Promise.all(
    blueprints.map((blueprint, i) => store(blueprint, content.subarray(i * minChunkSize, (i + 1) * minChunkSize))),
  )
  // In any order, part numbers as text or number, etags with or without their quotes.
  const extras = [
    { part_number: 3, etag: etags[2] ?? '' },
    { part_number: '1', etag: (etags[0] ?? '').replaceAll('"', '') },
    { part_number: '2', etag: etags[1] ?? '' },
  ]
  const claim = {
    chunk_extras: extras,
    file_extras: { upload_id: uploadId },
    size: content.length,
    chunk_size: minChunkSize,
    checksums: { sha256: sha256(content) },
  }
  await show(wire.finalizeFile, { params: inFile(added), body: claim }, managing(pkg))
  await show(finalizePackage, { params: inPackage(pkg) }, managing(pkg))

  const link = await makeLink(pkg)
  const fetched = await fetchFile(pkg, added.file.id, await readTokenOf(link))
  assert.equal(fetched.status, 200)
  assert.equal(sha256(fetched.body), sha256(content))
})

test('a finalize that is repeated answers the same, with other content it is refused', async () => {
  const pkg = await makePackage()
  const added = await add(pkg, { size: 3 })
  const uploadId = await openUpload(added.create_blueprint)
  const [blueprint] = await chunks(pkg, added, uploadId, 0, 1)
  const etag = await store(blueprint, Buffer.from('abc'))
  const claim = (change: object = {}): AnyInput => ({
    params: inFile(added),
    body: { chunk_extras: [{ part_number: 1, etag }], file_extras: { upload_id: uploadId }, size: 3, ...change },
  })
  for (let time = 0; time < 2; time += 1) await show(wire.finalizeFile, claim() as never, managing(pkg))
  for (const change of [
    { size: 4 },
    { chunk_extras: [{ part_number: 1, etag: 'ffffffffffffffffffffffffffffffff' }] },
    { file_extras: { upload_id: 'another' } },
  ]) {
    await refused(wire.finalizeFile, claim(change), managing(pkg), 'upload_mismatch')
  }
  const ask = { params: inFile(added), query: { start: 0, count: 1 }, body: { upload_id: uploadId } }
  await refused(wire.chunkRequests, ask, managing(pkg), 'file_finalized')
  assert.equal((await list(pkg))[0]?.state, 'finalized')
})

test('a finalize that does not match what storage holds is refused, and the file stays open', async () => {
  const pkg = await makePackage({ chunk_size: minChunkSize })
  const content = randomBytes(minChunkSize + 10)
  const added = await add(pkg, { size: content.length })
  const uploadId = await openUpload(added.create_blueprint)
  const blueprints = await chunks(pkg, added, uploadId, 0, 2)
  const first = await store(blueprints[0], content.subarray(0, minChunkSize))
  const extras = (...etags: string[]) => etags.map((etag, i) => ({ part_number: i + 1, etag }))
  const claim = (chunk_extras: object, size = content.length, upload_id = uploadId): AnyInput => ({
    params: inFile(added),
    body: { chunk_extras, file_extras: { upload_id }, size },
  })
  const mismatch = (input: AnyInput) => refused(wire.finalizeFile, input, managing(pkg), 'upload_mismatch')
  // One part is missing yet, whatever is claimed.
  await mismatch(claim(extras(first)))
  await mismatch(claim(extras(first, first)))
  const second = await store(blueprints[1], content.subarray(minChunkSize))
  await mismatch(claim(extras(first)))
  await mismatch(claim(extras(second, first)))
  await mismatch(claim(extras(first, second), content.length - 1))
  await mismatch(claim(extras(first, second), content.length, 'another-upload'))
  await mismatch(claim(extras(first, second), content.length, '?&#%00/../'))
  assert.equal((await list(pkg))[0]?.state, 'uploading')
  await use(wire.finalizeFile, claim(extras(first, second)) as never, managing(pkg))
})

test('part numbers and etags that cannot be are refused before storage is asked', async () => {
  const pkg = await makePackage()
  const added = await add(pkg, { size: 3 })
  const etag = 'd41d8cd98f00b204e9800998ecf8427e'
  const extras: readonly unknown[] = [
    [],
    'x',
    [{ part_number: '0', etag }],
    [{ part_number: '-1', etag }],
    [{ part_number: 10_001, etag }],
    [{ part_number: '10001', etag }],
    [{ part_number: '1.0', etag }],
    [{ part_number: ' 1', etag }],
    [{ part_number: 1.5, etag }],
    [{ part_number: '2', etag }],
    [
      { part_number: 1, etag },
      { part_number: 3, etag },
    ],
    [
      { part_number: 1, etag },
      { part_number: '1', etag },
    ],
    [{ part_number: 1, etag: '"]]><x>' }],
    [{ part_number: 1, etag: '<ETag>' }],
    [{ part_number: 1, etag: 'a"b' }],
    [{ part_number: 1, etag: '' }],
    [{ part_number: 1, etag: 'x'.repeat(131) }],
    [{ part_number: 1 }],
    [{ etag }],
  ]
  for (const chunk_extras of extras) {
    const body = { chunk_extras, file_extras: { upload_id: 'u' }, size: 3 }
    const answer = await refused(wire.finalizeFile, { params: inFile(added), body }, managing(pkg), 'validation_failed')
    assert.match(answer.details?.[0]?.field ?? '', /^chunk_extras/, JSON.stringify(chunk_extras))
  }
  for (const upload_id of ['', 'a b', 'ä', 'x'.repeat(1025), 5, 'a\u0001']) {
    const body = { chunk_extras: [{ part_number: 1, etag }], file_extras: { upload_id }, size: 3 }
    await refused(wire.finalizeFile, { params: inFile(added), body }, managing(pkg), 'validation_failed')
  }
})

test('storage refuses parts that are too small, and says so', async () => {
  const pkg = await makePackage()
  const added = await add(pkg, {})
  assert.equal(added.file.size, undefined)
  const uploadId = await openUpload(added.create_blueprint)
  const blueprints = await chunks(pkg, added, uploadId, 0, 2)
  const etags = await Promise.all(blueprints.map((blueprint) => store(blueprint, Buffer.from('tiny'))))
  const chunk_extras = etags.map((etag, i) => ({ part_number: i + 1, etag }))
  const body = { chunk_extras, file_extras: { upload_id: uploadId }, size: 8 }
  const { message } = await refused(
    wire.finalizeFile,
    { params: inFile(added), body },
    managing(pkg),
    'storage_refused',
  )
  assert.match(message, /small/i)
})

test('a file of no bytes goes up in one empty chunk', async () => {
  const pkg = await makePackage()
  const added = await upload(pkg, Buffer.alloc(0), { name: 'empty.txt' })
  await finalize(pkg)
  const fetched = await fetchFile(pkg, added.file.id, await readTokenOf(await makeLink(pkg)))
  assert.deepEqual([fetched.status, fetched.body.length], [200, 0])
})

test('a directory has nothing to store and is finished at once', async () => {
  const pkg = await makePackage()
  const body = newFile({ kind: 'directory', name: 'stills' })
  const added = await show(wire.addFile, { params: inPackage(pkg), body }, managing(pkg))
  assert.deepEqual([added.create_blueprint, added.file.kind, added.file.state], [null, 'directory', 'finalized'])
  const chunk = { params: inFile(added), query: { start: 0, count: 1 }, body: { upload_id: 'u' } }
  await refused(wire.chunkRequests, chunk, managing(pkg), 'file_not_chunked')
  const etag = 'd41d8cd98f00b204e9800998ecf8427e'
  const claim = { chunk_extras: [{ part_number: 1, etag }], file_extras: { upload_id: 'u' }, size: 0 }
  await refused(wire.finalizeFile, { params: inFile(added), body: claim }, managing(pkg), 'file_not_chunked')
  const stored = await show(wire.listChunks, { params: inFile(added) }, managing(pkg))
  assert.deepEqual(stored.chunks, [])
})

test('a file is taken out of an open package, and its place is free again', async () => {
  const pkg = await makePackage()
  const added = await upload(pkg, Buffer.from('one'), { name: 'same name' })
  await show(wire.removeFile, { params: inFile(added) }, managing(pkg))
  assert.deepEqual(await list(pkg), [])
  await refused(wire.removeFile, { params: inFile(added) }, managing(pkg), 'file_not_found')
  const again = await upload(pkg, Buffer.from('other'), { name: 'same name' })
  await finalize(pkg)
  assert.equal((await list(pkg))[0]?.size, 5)
  const token = await readTokenOf(await makeLink(pkg))
  assert.equal((await fetchFile(pkg, again.file.id, token)).text, 'other')
})

test('whoever sends with a write token may fill and finalize a package', async () => {
  const pkg = await makePackage()
  const write = { ...pkg, access_token: packageToken(pkg, 'write') }
  await upload(write, Buffer.from('from outside'))
  const surplus = await add(write)
  await show(wire.removeFile, { params: inFile(surplus) }, managing(write))
  await show(finalizePackage, { params: inPackage(pkg) }, managing(write))
  await refused(wire.addFile, { params: inPackage(pkg), body: newFile() }, managing(write), 'package_not_new')
})

test('calls for a file that the package does not have are refused', async () => {
  const pkg = await makePackage()
  const neighbour = await add(await makePackage(), { size: 3 })
  const etag = 'd41d8cd98f00b204e9800998ecf8427e'
  const claim = { chunk_extras: [{ part_number: 1, etag }], file_extras: { upload_id: 'u' }, size: 3 }
  for (const file_id of [randomUUID(), neighbour.file.id]) {
    const params = { package_id: pkg.id, file_id }
    const chunk = { params, query: { start: 0, count: 1 }, body: { upload_id: 'u' } }
    await refused(wire.chunkRequests, chunk, managing(pkg), 'file_not_found')
    await refused(wire.finalizeFile, { params, body: claim }, managing(pkg), 'file_not_found')
    await refused(wire.listChunks, { params }, managing(pkg), 'file_not_found')
    await refused(wire.removeFile, { params }, managing(pkg), 'file_not_found')
    const body = { files: [{ file_id, ...claim }] }
    const { results } = await show(wire.finalizeFiles, { params: inPackage(pkg), body }, managing(pkg))
    assert.deepEqual([results[0]?.status, results[0]?.error], [404, 'file_not_found'])
  }
})

test('a package that is closed or ended takes no files and gives no upload addresses', async () => {
  const closed = await makePackage()
  const added = await upload(closed, Buffer.from('abc'))
  await finalize(closed)
  const etag = 'd41d8cd98f00b204e9800998ecf8427e'
  for (const [pkg, error] of [
    [closed, 'package_not_new'],
    [await makeEnded(), 'package_expired'],
  ] as const) {
    const params = { package_id: pkg.id, file_id: added.file.id }
    const claim = { chunk_extras: [{ part_number: 1, etag }], file_extras: { upload_id: 'u' }, size: 3 }
    const batch = { files: [{ file_id: added.file.id, ...claim }] }
    await refused(wire.addFile, { params: inPackage(pkg), body: newFile() }, managing(pkg), error)
    await refused(wire.addFiles, { params: inPackage(pkg), body: { files: [newFile()] } }, managing(pkg), error)
    const chunk = { params, query: { start: 0, count: 1 }, body: { upload_id: 'u' } }
    await refused(wire.chunkRequests, chunk, managing(pkg), error)
    await refused(wire.finalizeFile, { params, body: claim }, managing(pkg), error)
    await refused(wire.finalizeFiles, { params: inPackage(pkg), body: batch }, managing(pkg), error)
    await refused(wire.listChunks, { params }, managing(pkg), error)
    await refused(wire.removeFile, { params }, managing(pkg), error)
  }
  assert.equal((await list(closed)).filter(({ kind }) => kind === 'file').length, 1)
})
