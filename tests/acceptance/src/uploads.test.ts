import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import * as wire from '@longshore/contract/cloud/files'
import { finalizePackage } from '@longshore/contract/cloud/packages'
import { GiB, maxFileSize, MiB, minChunkSize, TiB } from '@longshore/contract/limits'
import { type AnyInput, refused, show, use } from '#calls'
import { packageToken } from '#mint'
import { test } from '#record'
import { makeEnded } from '#scene'
import { openUpload, sendBlueprint, sha256, store } from '#storage'
import {
  add,
  type AddedFile,
  fetchFile,
  finalize,
  inFile,
  inPackage,
  lastModified,
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

test('a file of no bytes goes up in one empty chunk', async () => {
  const pkg = await makePackage()
  const added = await upload(pkg, Buffer.alloc(0), { name: 'empty.txt' })
  await finalize(pkg)
  const fetched = await fetchFile(pkg, added.file.id, await readTokenOf(await makeLink(pkg)))
  assert.deepEqual([fetched.status, fetched.body.length], [200, 0])
})

test('names in every script, and nested folders, are kept to the byte', async () => {
  const places = [
    { path: '', name: 'with spaces  and  more.txt' },
    { path: 'Größe/Übermaß', name: 'Straße.txt' },
    { path: 'Фильмы/Сезон 1', name: 'Серия №1.mov' },
    { path: '🎬/👩‍👩‍👧', name: '🏴‍☠️.bin' },
    { path: 'twins', name: 'é.txt'.normalize('NFC') },
    { path: 'twins', name: 'é.txt'.normalize('NFD') },
    { path: 'twins', name: 'A.TXT' },
    { path: 'twins', name: 'a.txt' },
    { path: 'עברית', name: 'שלום עולם.txt' },
    { path: 'العربية', name: '‮gpj.exe' },
    { path: 'a/b/c/d/e/f/g/h', name: '..hidden' },
    { path: '', name: '%2e%2e%2f' },
    { path: '．．／', name: 'CON' },
    { path: '', name: `${'ü'.repeat(127)}x` },
    { path: '', name: 'quote"semi;comma,%41.txt' },
  ]
  const pkg = await makePackage()
  const contents = new Map<string, Buffer>()
  for (const place of places) {
    const content = Buffer.from(`${place.path}/${place.name}`)
    const added = await upload(pkg, content, place)
    contents.set(added.file.id, content)
  }
  const listed = await show(wire.listFiles, { params: inPackage(pkg) }, managing(pkg))
  const asText = ({ path, name }: { path: string; name: string }) => JSON.stringify([path, name])
  assert.deepEqual(listed.map(asText).toSorted(), places.map(asText).toSorted())
  assert.ok(listed.every((file) => file.last_modified === lastModified))

  await finalize(pkg)
  const token = await readTokenOf(await makeLink(pkg))
  for (const [id, content] of contents) {
    assert.equal(sha256((await fetchFile(pkg, id, token)).body), sha256(content))
  }
})

test('a place that no file system could hold, or that leads elsewhere, is refused', async () => {
  const pkg = await makePackage()
  const places = [
    ...['..', '.', '', 'a/b', '/etc', 'a\\b', '..\\x', 'C:\\x', 'line\nbreak', '\u001b]0;x', 'x'.repeat(256)].map(
      (name) => ({ name, path: '' }),
    ),
    { name: 'ü'.repeat(128), path: '' },
    ...['..', 'a/../b', 'a/./b', '/etc', '//x', 'a//b', 'a/', 'a\\b', '\\\\srv\\share', 'tab\there', '../../x'].map(
      (path) => ({ name: 'x', path }),
    ),
    { name: 'x', path: 'ü'.repeat(128) },
    { name: 'x', path: `${'abc/'.repeat(1_024)}x` },
    { name: 'x', path: 'a/'.repeat(10_000) },
  ]
  for (const place of places) {
    const body = newFile(place)
    const { details } = await refused(
      wire.addFile,
      { params: inPackage(pkg), body },
      managing(pkg),
      'validation_failed',
    )
    assert.match(details?.[0]?.field ?? '', /^(name|path)$/, JSON.stringify(place).slice(0, 80))
  }
  assert.deepEqual(await list(pkg), [])
})

test('a place is taken once, and no file stands where a folder is needed', async () => {
  const pkg = await makePackage()
  const taken = async (fields: object) =>
    refused(wire.addFile, { params: inPackage(pkg), body: newFile(fields) }, managing(pkg), 'duplicate_path')
  await add(pkg, { name: 'a', path: 'x' })
  await taken({ name: 'a', path: 'x' })
  await taken({ name: 'a', path: 'x', kind: 'directory' })
  await taken({ name: 'b', path: 'x/a' })
  await taken({ name: 'c', path: 'x/a/b' })
  await taken({ name: 'x', path: '' })
  await add(pkg, { name: 'x', path: '', kind: 'directory' })
  await add(pkg, { name: 'a2', path: 'x' })
  assert.equal((await list(pkg)).length, 3)
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
  assert.equal((await list(closed)).length, 1)
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
