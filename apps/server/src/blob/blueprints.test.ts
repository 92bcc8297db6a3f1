import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import {
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { create as contentDisposition, parse as parseDisposition } from 'content-disposition'
import fc from 'fast-check'
import { s3Blueprints } from '#blob/blueprints'
import { s3Blob } from '#blob/s3'
import { stackStorage } from '#test-kit/stack-storage'
import type { StorageConfig, StorageIdentity } from '#blob/storage-config'

const config = stackStorage()
const blob = s3Blob(config)
const blueprints = s3Blueprints(config)
const root = `blueprints/${randomBytes(16).toString('hex')}/`

after(async () => {
  for await (const { key, uploadId } of blob.openUploads(root)) await blob.abort(key, uploadId)
  const keys: string[] = []
  for await (const { key } of blob.list(root)) keys.push(key)
  await blob.remove(keys)
})

// Reserved characters more often than chance would have them, and any other character too.
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...Array.from('/ !\'()*+,;:@&=$?#%[]~-_."\\<>^`{|}ß日')),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  minLength: 1,
  maxLength: 80,
})
const anyStorage = fc.record({
  endpoint: fc.constant('http://127.0.0.1:1'),
  publicEndpoint: fc.constantFrom(
    'http://127.0.0.1:7480',
    'http://[::1]:7480',
    'https://s3.example.com',
    'https://s3.example.com:443/',
    'http://Store.Example.com:8080/base/path',
  ),
  region: fc.constantFrom('us-east-1', 'eu-central-2', 'default'),
  bucket: fc.constantFrom('transfer', 'a-1-b', 'with.dots'),
  forcePathStyle: fc.boolean(),
  upload: fc.record({ accessKey: fc.stringMatching(/^[A-Za-z0-9+/:_-]{3,20}$/), secretKey: text }),
  read: fc.record({ accessKey: fc.stringMatching(/^[A-Za-z0-9+/:_-]{3,20}$/), secretKey: text }),
  janitor: fc.constant({ accessKey: 'never', secretKey: 'used' }),
})
// The SDK builds no URL for a bucket with dots on a bare address unless told to use the path.
const storage = anyStorage.filter(
  ({ bucket, publicEndpoint, forcePathStyle }) =>
    forcePathStyle || !(bucket.includes('.') && /1[\]:]/.test(publicEndpoint)),
)
const at = fc.date({ min: new Date('2020-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
const expiry = fc.integer({ min: 1, max: 604_800 })

test('part URLs are byte for byte those of the AWS SDK', async () => {
  const chunk = fc.record({
    chunkSize: fc.integer({ min: 1, max: 5 * 2 ** 30 }),
    index: fc.integer({ min: 0, max: 9_999 }),
    known: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(
      storage,
      text,
      text,
      chunk,
      expiry,
      at,
      async (store, key, uploadId, cut, expiresInSeconds, now) => {
        const { chunkSize, index, known } = cut
        // The file ends in the middle of the chunk after this one, or in the middle of this one.
        const size = known ? index * chunkSize + Math.ceil(chunkSize / 2) + (index % 2) * chunkSize : undefined
        const own = s3Blueprints(store, { expiresInSeconds, now: () => now })
        const [part] = own.parts({ key, uploadId, chunkSize, size }, index, 1)

        const length = size === undefined ? undefined : Math.min(chunkSize, size - index * chunkSize)
        const command = new UploadPartCommand({
          Bucket: store.bucket,
          Key: key,
          UploadId: uploadId,
          PartNumber: index + 1,
          ...(length === undefined ? {} : { ContentLength: length }),
        })
        const expected = await getSignedUrl(sdk(store, store.upload), command, {
          expiresIn: expiresInSeconds,
          signingDate: now,
          signableHeaders: new Set(length === undefined ? ['host'] : ['host', 'content-length']),
        })
        assert.deepEqual(part, { url: expected, method: 'PUT', headers: {}, body: '' })
      },
    ),
    { numRuns: 500 },
  )
})

test('all other URLs are byte for byte those of the AWS SDK', async () => {
  const size = fc.integer({ min: 0, max: 5 * 2 ** 30 })
  await fc.assert(
    fc.asyncProperty(storage, text, text, size, expiry, at, async (store, key, fileName, length, expiresIn, now) => {
      const target = { Bucket: store.bucket, Key: key }
      const common = { expiresIn, signingDate: now }
      const own = s3Blueprints(store, { expiresInSeconds: expiresIn, now: () => now })

      const create = await getSignedUrl(sdk(store, store.upload), new CreateMultipartUploadCommand(target), common)
      assert.deepEqual(own.createUpload(key), { url: create, method: 'POST', headers: {}, body: '' })

      const put = new PutObjectCommand({ ...target, ContentLength: length })
      const signableHeaders = new Set(['host', 'content-length'])
      assert.deepEqual(own.put(key, length), {
        url: await getSignedUrl(sdk(store, store.upload), put, { ...common, signableHeaders }),
        method: 'PUT',
        headers: {},
        body: '',
      })

      const once = s3Blueprints(store, { expiresInSeconds: expiresIn, now: () => now, putOnce: true })
      const putOnce = new PutObjectCommand({ ...target, ContentLength: length, IfNoneMatch: '*' })
      signableHeaders.add('if-none-match')
      assert.deepEqual(once.put(key, length), {
        url: await getSignedUrl(sdk(store, store.upload), putOnce, { ...common, signableHeaders }),
        method: 'PUT',
        headers: { 'if-none-match': '*' },
        body: '',
      })

      const get = new GetObjectCommand({
        ...target,
        ResponseContentDisposition: contentDisposition(fileName),
        ResponseContentType: 'application/octet-stream',
      })
      const download = await getSignedUrl(sdk(store, store.read), get, common)
      assert.equal(own.download(key, { fileName, expiresInSeconds: expiresIn }), download)
    }),
    { numRuns: 300 },
  )
})

test('the JSON text holds the same blueprints', () => {
  fc.assert(
    fc.property(
      text,
      text,
      fc.integer({ min: 0, max: 20 }),
      fc.integer({ min: 0, max: 20 }),
      (key, uploadId, start, count) => {
        const file = { key, uploadId, chunkSize: 10, size: 105 }
        const now = () => new Date('2026-11-15T12:00:00Z')
        const own = s3Blueprints(config, { now })
        assert.deepEqual(JSON.parse(own.partsJson(file, start, count)), own.parts(file, start, count))
      },
    ),
  )
})

test('parts end with the file, the last one is short, and an empty file has one', () => {
  const lengths = (size: number | undefined, start: number, count: number) =>
    blueprints
      .parts({ key: 'k', uploadId: 'u', chunkSize: 100, size }, start, count)
      .map(({ url }) => Number(new URL(url).searchParams.get('partNumber')))
  assert.deepEqual(lengths(250, 0, 10), [1, 2, 3])
  assert.deepEqual(lengths(200, 1, 10), [2])
  assert.deepEqual(lengths(200, 2, 10), [])
  assert.deepEqual(lengths(0, 0, 10), [1])
  assert.deepEqual(lengths(undefined, 9_998, 10), [9_999, 10_000])
})

test('URLs signed after midnight are signed with the key of the new day', async () => {
  let now = new Date('2026-11-15T23:59:59.999Z')
  const own = s3Blueprints(config, { now: () => now })
  own.createUpload('k')
  now = new Date('2026-11-16T00:00:00.000Z')
  const command = new CreateMultipartUploadCommand({ Bucket: config.bucket, Key: 'k' })
  const expected = await getSignedUrl(sdk(config, config.upload), command, { expiresIn: 3600, signingDate: now })
  assert.equal(own.createUpload('k').url, expected)
})

test('a life of more than a week, or of nothing, is not signed', () => {
  for (const expiresInSeconds of [0, -1, 1.5, 604_801, Number.NaN]) {
    assert.throws(() => blueprints.download('k', { fileName: 'f', expiresInSeconds }), RangeError)
  }
})

for (const key of [`${root}plain`, `${root}odd ü+(*')!~@:,;=$&%25 日本//x`]) {
  test(`a file goes up in parts by its blueprints and comes down again: ${key.slice(root.length)}`, async () => {
    const chunkSize = 5 * 2 ** 20
    const body = randomBytes(chunkSize + 1_000)
    const created = blueprints.createUpload(key)
    const answer = await fetch(created.url, { method: created.method })
    const uploadId = /<UploadId>(.+)<\/UploadId>/.exec(await answer.text())?.[1] ?? ''

    const parts = blueprints.parts({ key, uploadId, chunkSize, size: body.length }, 0, 10)
    assert.equal(parts.length, 2)
    const etags = await Promise.all(
      parts.map(async ({ url }, index) => {
        const piece = body.subarray(index * chunkSize, (index + 1) * chunkSize)
        const sent = await fetch(url, { method: 'PUT', body: piece })
        assert.equal(sent.status, 200, await sent.text())
        return { partNumber: index + 1, etag: sent.headers.get('etag')?.replaceAll('"', '') ?? '' }
      }),
    )
    await blob.complete(key, uploadId, etags)

    const got = await fetch(blueprints.download(key, { fileName: 'file.bin', expiresInSeconds: 60 }))
    assert.equal(got.status, 200)
    assert.deepEqual(Buffer.from(await got.arrayBuffer()), body)
  })
}

test('an empty file goes up by its one part, and by a single PUT', async () => {
  const key = `${root}empty`
  const created = blueprints.createUpload(key)
  const answer = await fetch(created.url, { method: created.method })
  const uploadId = /<UploadId>(.+)<\/UploadId>/.exec(await answer.text())?.[1] ?? ''
  const [part] = blueprints.parts({ key, uploadId, chunkSize: 100, size: 0 }, 0, 1)
  assert.equal((await fetch(part?.url ?? '', { method: 'PUT', body: '' })).status, 200)

  const put = blueprints.put(`${root}empty-put`, 0)
  assert.equal((await fetch(put.url, { method: put.method, body: '' })).status, 200)
  assert.equal((await blob.head(`${root}empty-put`))?.size, 0)
})

test('a single PUT that may only create is refused the second time, and the object stays', async () => {
  const key = `${root}once`
  const { url, method, headers } = s3Blueprints(config, { putOnce: true }).put(key, 5)
  assert.equal((await fetch(url, { method, headers, body: 'first' })).status, 200)
  assert.equal((await fetch(url, { method, headers, body: 'other' })).status, 412)
  assert.equal((await fetch(url, { method, body: 'other' })).status, 403)
  assert.equal(await (await fetch(blueprints.download(key, { fileName: 'f', expiresInSeconds: 60 }))).text(), 'first')
})

const oddNames = [
  'plain.txt',
  `it's "quoted" & 100%.txt`,
  'back\\slash;semi=colon,comma.txt',
  'naïve – €uro.pdf',
  '日本語 🚢.zip',
  '../../etc/passwd',
  'line\r\nbreak: injected\r\n\r\n<html>.html',
  `${'long '.repeat(50)}.bin`,
]
for (const fileName of oddNames) {
  test(`a download is saved as ${JSON.stringify(fileName.slice(0, 40))}, and never shown`, async () => {
    const key = `${root}named`
    const put = blueprints.put(key, 6)
    assert.equal((await fetch(put.url, { method: put.method, body: '<html>' })).status, 200)

    const answer = await fetch(blueprints.download(key, { fileName, expiresInSeconds: 60 }))

    assert.equal(answer.status, 200)
    assert.equal(await answer.text(), '<html>')
    assert.equal(answer.headers.get('content-type'), 'application/octet-stream')
    assert.equal(answer.headers.get('injected'), null)
    const { type, parameters } = parseDisposition(answer.headers.get('content-disposition') ?? '')
    assert.equal(type, 'attachment')
    assert.equal(parameters['filename'], fileName)
  })
}

function sdk(store: StorageConfig, identity: StorageIdentity): S3Client {
  return new S3Client({
    endpoint: store.publicEndpoint,
    region: store.region,
    forcePathStyle: store.forcePathStyle,
    credentials: { accessKeyId: identity.accessKey, secretAccessKey: identity.secretKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
}
