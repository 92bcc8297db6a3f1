import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { addFiles, chunkRequests, fileUrl, finalizeFile } from '@longshore/contract/cloud/files'
import { deletePackage } from '@longshore/contract/cloud/packages'
import { use } from '#calls'
import { type Header, send } from '#http'
import { test } from '#record'
import { type Blueprint, openUpload, sendBlueprint, store } from '#storage'
import { setting, target } from '#target'
import {
  add,
  finalize,
  inFile,
  inPackage,
  makeLink,
  makePackage,
  makeSent,
  managing,
  newFile,
  readTokenOf,
  upload,
} from '#walk'

/** An upload of five bytes that is open, with the address of its only chunk. */
async function openChunk() {
  const pkg = await makePackage()
  const added = await add(pkg, { size: 5 })
  const uploadId = await openUpload(added.create_blueprint)
  const [chunk] = await use(
    chunkRequests,
    { params: inFile(added), query: { start: 0, count: 1 }, body: { upload_id: uploadId } },
    managing(pkg),
  )
  assert.ok(chunk)
  return { pkg, added, uploadId, chunk }
}

const etagOf = (text: string) => `"${createHash('md5').update(text).digest('hex')}"`

const attempt = (blueprint: Blueprint, headers: readonly Header[], method = blueprint.method) =>
  send({ method, url: blueprint.url, headers, ...(method === 'PUT' ? { body: '12345' } : {}) })

test('a part address does nothing that was not signed: a header more is refused or without effect', async () => {
  const { chunk } = await openChunk()
  const other = await makeSent()
  const { url } = await use(fileUrl, { params: inFile(other.added) }, { as: { packageToken: other.readToken } })
  const source = new URL(url).pathname
  const attacks: readonly (readonly Header[])[] = [
    [['x-amz-copy-source', source]],
    [
      ['x-amz-copy-source', source],
      ['x-amz-copy-source-range', 'bytes=0-4'],
    ],
    [['x-amz-acl', 'public-read']],
    [['x-amz-grant-read', 'uri="http://acs.amazonaws.com/groups/global/AllUsers"']],
    [['x-amz-tagging', 'a=b']],
    [['x-amz-storage-class', 'GLACIER']],
    [['x-amz-website-redirect-location', 'https://evil.example']],
    [['x-amz-content-sha256', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER']],
    [['x-amz-meta-a', 'b']],
  ]
  for (const headers of attacks) {
    const { status, headers: answered } = await attempt(chunk, headers)
    // Where it was let through, what is stored is what was sent and nothing else.
    const inert = status === 200 && answered.etag === etagOf('12345')
    assert.ok(inert || status === 403 || status === 400, `${headers[0]?.[0]}: ${status}`)
  }
  assert.equal(await store(chunk, Buffer.from('12345')), etagOf('12345'))
})

test('a part address is for its method, its part and its upload alone', async () => {
  const { chunk } = await openChunk()
  for (const method of ['GET', 'DELETE', 'POST']) {
    const { status } = await attempt(chunk, [], method)
    assert.equal(status, 403, method)
  }
  for (const [name, value] of [
    ['partNumber', '2'],
    ['uploadId', 'another'],
    ['X-Amz-Expires', '604800'],
  ] as const) {
    const url = new URL(chunk.url)
    url.searchParams.set(name, value)
    assert.equal((await attempt({ ...chunk, url: url.href }, [])).status, 403, name)
  }
  const bare = new URL(chunk.url)
  bare.searchParams.delete('uploadId')
  bare.searchParams.delete('partNumber')
  assert.equal((await attempt({ ...chunk, url: bare.href }, [])).status, 403)
})

test('addresses live for an hour', async () => {
  const { added, chunk } = await openChunk()
  for (const url of [added.create_blueprint?.url ?? '', chunk.url]) {
    assert.equal(new URL(url).searchParams.get('X-Amz-Expires'), '3600')
  }
})

test('after a file is finalized its old addresses change nothing', async () => {
  const { pkg, added, uploadId, chunk } = await openChunk()
  const etag = await store(chunk, Buffer.from('12345'))
  const body = { chunk_extras: [{ part_number: 1, etag }], file_extras: { upload_id: uploadId }, size: 5 }
  await use(finalizeFile, { params: inFile(added), body }, managing(pkg))
  assert.equal((await sendBlueprint(chunk, Buffer.from('54321'))).status, 404)
  await finalize(pkg)
  const token = await readTokenOf(await makeLink(pkg))
  const { url } = await use(fileUrl, { params: inFile(added) }, { as: { packageToken: token } })
  assert.equal((await send({ method: 'GET', url })).text, '12345')
})

test('the bucket shows nothing to anybody without an address', async () => {
  const { added, readToken } = await makeSent()
  const { url } = await use(fileUrl, { params: inFile(added) }, { as: { packageToken: readToken } })
  const object = new URL(url)
  object.search = ''
  const bucket = `${target.storage_url}/${setting('LONGSHORE_S3_BUCKET')}`
  for (const address of [
    object.href,
    bucket,
    `${bucket}/`,
    `${bucket}?uploads`,
    `${bucket}?list-type=2`,
    `${bucket}?policy`,
  ]) {
    assert.equal((await send({ method: 'GET', url: address })).status, 403, address)
  }
  assert.equal((await send({ method: 'PUT', url: `${bucket}/planted`, body: 'x' })).status, 403)
})

test('names and ids of a caller are no part of where bytes lie', async () => {
  const pkg = await makePackage({ name: 'Very secret title' })
  const added = await upload(pkg, Buffer.from('abc'), { name: 'plan.docx', path: 'board' })
  const { url } = added.create_blueprint ?? { url: '' }
  for (const word of ['secret', 'plan', 'board', 'docx']) assert.equal(url.includes(word), false, word)
  const twins = await use(
    addFiles,
    { params: inPackage(pkg), body: { files: [newFile({ size: 1 }), newFile({ size: 1 })] } },
    managing(pkg),
  )
  const keys = twins.files.map(
    ({ put_blueprint }) => new URL(put_blueprint?.url ?? '').pathname.split('/').at(-1) ?? '',
  )
  assert.equal(new Set(keys).size, 2)
  assert.ok(keys.every((key) => Buffer.from(key, 'base64url').length >= 16))
})

test('storage lets in the pages that the operator lists, and asks for no cookie', async () => {
  const { chunk } = await openChunk()
  const preflight = (origin: string) =>
    send({
      method: 'OPTIONS',
      url: chunk.url,
      headers: [
        ['origin', origin],
        ['access-control-request-method', 'PUT'],
      ],
    })
  const listed = setting('LONGSHORE_ALLOWED_ORIGINS').split(',')[0] ?? ''
  const allowed = await preflight(listed)
  assert.equal(allowed.status, 200)
  assert.equal(allowed.headers['access-control-allow-credentials'], undefined)
  const foreign = await preflight('https://anywhere.example')
  assert.equal(foreign.headers['access-control-allow-origin'], undefined)
  const stored = await send({ method: 'PUT', url: chunk.url, headers: [['origin', listed]], body: '12345' })
  assert.match(String(stored.headers['access-control-expose-headers']), /etag/i)
  assert.equal(stored.headers.etag, etagOf('12345'))
})

test('a package that was deleted while it was filled leaves no open upload', async () => {
  const { pkg, chunk } = await openChunk()
  await use(deletePackage, { params: inPackage(pkg) }, managing(pkg))
  const deadline = Date.now() + 20_000
  while ((await sendBlueprint(chunk, Buffer.from('12345'))).status === 200) {
    assert.ok(Date.now() < deadline, 'the upload is still open')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
})
