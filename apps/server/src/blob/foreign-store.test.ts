import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { Agent } from 'undici'
import { foreignStores } from '#blob/foreign-store'
import { customerBucket } from '#test-kit/customer-bucket'

const never = new AbortController().signal

function storeAt(t: TestContext, endpoint: string, bucket: string, accessKeyId = 'a', secretAccessKey = 's') {
  const agent = new Agent()
  const keys = { endpoint, region: 'us-east-1', bucket, accessKeyId, secretAccessKey, pathStyle: true }
  const store = foreignStores(agent, { pageSize: 2 })(keys)
  t.after(async () => {
    store.close()
    await agent.destroy()
  })
  return store
}

async function bucketStore(t: TestContext) {
  const bucket = await customerBucket(t, { open: false })
  const { endpoint = '', access_key_id, secret_access_key } = bucket.authorization
  return { bucket, store: storeAt(t, endpoint, bucket.name, access_key_id, secret_access_key) }
}

const text = async (pieces: AsyncIterable<Uint8Array>) => Buffer.concat(await Array.fromAsync(pieces)).toString()

test('an object is read for as long as it is the one that was listed', async (t) => {
  const { bucket, store } = await bucketStore(t)
  await bucket.put('a b+ü/note.txt', 'Ahoy, harbour')
  const [page = []] = await Array.fromAsync(store.listAll('a b+ü/'))
  const [{ key, etag, size } = { key: '', etag: '', size: 0 }] = page
  assert.deepEqual([key, size], ['a b+ü/note.txt', 13])
  assert.equal(await text(store.read(key, etag, { start: 6, end: 12 }, never)), 'harbour')
  assert.equal((await store.head(key))?.etag, etag)
  await bucket.put(key, 'Ahoy, another')
  await assert.rejects(text(store.read(key, etag, { start: 0, end: 3 }, never)), { name: 'ObjectChanged' })
  await assert.rejects(text(store.read('gone', etag, { start: 0, end: 3 }, never)), { name: 'ObjectGone' })
})

test('everything below a folder is listed, page after page', async (t) => {
  const { bucket, store } = await bucketStore(t)
  const below = ['in/', 'in/a', 'in/b/c d', 'in/b/c+d', 'in/ü/%41/x']
  for (const key of [...below, 'int', 'other']) await bucket.put(key, key)
  const pages = await Array.fromAsync(store.listAll('in/'))
  assert.equal(pages.length, 3)
  assert.deepEqual(
    pages.flat().map(({ key }) => key),
    below,
  )
})

/** A store that answers every request in the same way. */
async function stubbornStore(t: TestContext, answer: (reply: ServerResponse) => void) {
  const server = createServer((_, reply) => answer(reply)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return storeAt(t, `http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'bucket')
}

test('a store that does not heed what it is asked is found out before a byte is taken', async (t) => {
  const other = await stubbornStore(t, (reply) =>
    reply.writeHead(206, { etag: '"other"', 'content-range': 'bytes 0-3/13', 'content-length': '4' }).end('Ahoy'),
  )
  await assert.rejects(text(other.read('key', 'etag', { start: 0, end: 3 }, never)), { name: 'ObjectChanged' })
  const whole = await stubbornStore(t, (reply) => reply.writeHead(200, { etag: '"etag"' }).end('Ahoy, harbour'))
  await assert.rejects(text(whole.read('key', 'etag', { start: 6, end: 12 }, never)), { name: 'StorageRefusal' })
})
