import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { blobSuite } from '#blob/blob.suite'
import { s3Blueprints } from '#blob/blueprints'
import { s3Blob } from '#blob/s3'
import { stackStorage } from '#test-kit/stack-storage'

const config = stackStorage()
const blueprints = s3Blueprints(config)

blobSuite('the S3 store', {
  blob: s3Blob(config, { pageSize: 2 }),

  async beginUpload(key) {
    const { url, method } = blueprints.createUpload(key)
    const answer = await fetch(url, { method })
    const uploadId = /<UploadId>(.+)<\/UploadId>/.exec(await answer.text())?.[1]
    assert.ok(uploadId !== undefined, `the store answered ${answer.status}`)
    return uploadId
  },

  async sendPart(key, uploadId, partNumber, body) {
    const [blueprint] = blueprints.parts({ key, uploadId, chunkSize: 1, size: undefined }, partNumber - 1, 1)
    assert.ok(blueprint !== undefined)
    const answer = await fetch(blueprint.url, { method: blueprint.method, body: Buffer.from(body) })
    assert.equal(answer.status, 200, await answer.text())
    return answer.headers.get('etag')?.replaceAll('"', '') ?? ''
  },
})

test('keys that the store does not know are refused, and said so', async () => {
  const stranger = s3Blob({ ...config, janitor: { accessKey: 'NOBODY', secretKey: 'nothing' } })
  await assert.rejects(stranger.check(), { name: 'StorageRefusal' })
  await assert.rejects(stranger.head('anything'), { name: 'StorageRefusal' })
  await assert.rejects(stranger.write('anything', Buffer.from('x')), {
    name: 'StorageRefusal',
    code: 'InvalidAccessKeyId',
  })
})

test('a key that cannot be deleted is reported by its name', async () => {
  const reader = s3Blob({ ...config, janitor: config.read })
  await s3Blob(config).write('suite/kept', Buffer.from('x'))
  await assert.rejects(reader.remove(['suite/kept']), { name: 'StorageRefusal', code: 'AccessDenied' })
  assert.notEqual(await s3Blob(config).head('suite/kept'), undefined)
  await s3Blob(config).remove(['suite/kept'])
})

test('a store that nobody answers for is trouble, not a refusal', async () => {
  const nowhere = s3Blob({ ...config, endpoint: 'http://127.0.0.1:9' })
  await assert.rejects(nowhere.check(), { name: 'StorageTrouble' })
  await assert.rejects(nowhere.head('anything'), { name: 'StorageTrouble' })
})

const part = [{ partNumber: 1, etag: 'd41d8cd98f00b204e9800998ecf8427e' }]
const errorBody = '<?xml version="1.0"?><Error><Code>InternalError</Code><Message>try again</Message></Error>'
const someParts = `<ListPartsResult><IsTruncated>false</IsTruncated><Part><PartNumber>1</PartNumber><ETag>x</ETag><Size>1</Size></Part></ListPartsResult>`

const doubtful: Record<string, RequestListener> = {
  'an error inside a 200': (_, reply) => reply.writeHead(200).end(errorBody),
  'a 200 without a body': (_, reply) => reply.writeHead(200).end(),
  'a 200 that breaks off': (_, reply) => {
    reply.writeHead(200, { 'content-length': '1000' })
    reply.write('<?xml version="1.0"?>', () => reply.destroy())
  },
  'a 503': (_, reply) => reply.writeHead(503).end(),
  'a 500': (_, reply) => reply.writeHead(500).end(errorBody),
  'a 429': (_, reply) => reply.writeHead(429).end('<Error><Code>TooManyRequests</Code></Error>'),
  'a reset': (_, reply) => reply.destroy(),
  'something that is no XML': (_, reply) => reply.writeHead(502).end('<html>Bad Gateway'),
}

for (const [answer, listener] of Object.entries(doubtful)) {
  test(`completing leaves it open whether it happened when the answer is ${answer}, and is not sent again`, async (t) => {
    let completes = 0
    const endpoint = await fakeStore(t, (request, reply) => {
      if (request.method === 'GET') {
        reply.writeHead(200).end(someParts)
      } else {
        completes += 1
        listener(request, reply)
      }
    })
    await assert.rejects(s3Blob({ ...config, endpoint }).complete('key', 'upload', part), { name: 'StorageTrouble' })
    assert.equal(completes, 1)
  })
}

test('completing is trouble, not gone, when the question behind a 500 is not answered either', async (t) => {
  const endpoint = await fakeStore(t, (_, reply) => reply.writeHead(500).end(errorBody))
  await assert.rejects(s3Blob({ ...config, endpoint }).complete('key', 'upload', part), { name: 'StorageTrouble' })
})

test('a failure that passes is tried again', async (t) => {
  let calls = 0
  const endpoint = await fakeStore(t, (_, reply) => {
    calls += 1
    if (calls < 3) reply.writeHead(503).end()
    else reply.writeHead(200, { etag: '"abc"', 'content-length': '7' }).end()
  })
  assert.deepEqual(await s3Blob({ ...config, endpoint }).head('key'), { etag: 'abc', size: 7 })
  assert.equal(calls, 3)
})

test('a store that takes the request and never answers is given up after the time limit', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const arrived = Promise.withResolvers<void>()
  const endpoint = await fakeStore(t, () => arrived.resolve())
  const ended = assert.rejects(s3Blob({ ...config, endpoint }).complete('key', 'upload', part), {
    name: 'StorageTrouble',
  })
  await arrived.promise
  t.mock.timers.tick(300_000)
  // The question whether the upload is gone hangs as well, three times over.
  for (let tick = 0; tick < 400; tick += 1) {
    t.mock.timers.tick(1_000)
    await new Promise(setImmediate)
  }
  await ended
})

test('a body that stops coming is given up after the time limit, however slow the reader was before', async (t) => {
  const endpoint = await fakeStore(t, (_, reply) => {
    reply.writeHead(200, { 'content-length': '1000' })
    reply.write('the beginning')
  })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const body = s3Blob({ ...config, endpoint }).read('key')
  const pieces = body[Symbol.asyncIterator]()
  assert.equal(Buffer.from((await pieces.next()).value).toString(), 'the beginning')
  t.mock.timers.tick(120_000)
  const next = assert.rejects(pieces.next(), { name: 'StorageTrouble' })
  t.mock.timers.tick(30_000)
  await next
})

async function fakeStore(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
