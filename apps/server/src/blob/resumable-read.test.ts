import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { resumableRead } from '#blob/resumable-read'
import { s3Blob } from '#blob/s3'
import { stackStorage } from '#test-kit/stack-storage'

const content = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251))

/** A store that has one object, and answers as the test says. */
async function store(t: TestContext, listener: (start: number, end: number) => RequestListener) {
  const sockets = new Set<Socket>()
  const asked: string[] = []
  const server = createServer((request, reply) => {
    const range = request.headers.range ?? ''
    asked.push(range)
    const [, start = '0', end = '0'] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? []
    listener(Number(start), Number(end))(request, reply)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { blob: s3Blob({ ...stackStorage(), endpoint }), sockets, asked }
}

const never = new AbortController().signal
const whole = { start: 0, end: content.length - 1 }
const bytesOf = async (pieces: AsyncIterable<Uint8Array>) => Buffer.concat(await Array.fromAsync(pieces))

test('a store that hangs up in the middle is asked again, for the rest alone', async (t) => {
  let calls = 0
  const { blob, asked } = await store(t, (start, end) => (_, reply) => {
    calls += 1
    reply.writeHead(206, { 'content-length': end - start + 1 })
    if (calls <= 3) reply.write(content.subarray(start, start + 30_000), () => reply.destroy())
    else reply.end(content.subarray(start, end + 1))
  })
  assert.ok((await bytesOf(resumableRead(blob, 'key', whole, never))).equals(content))
  assert.deepEqual(
    asked,
    [0, 30_000, 60_000, 90_000].map((from) => `bytes=${from}-199999`),
  )
})

test('a store that ends early and calls it the end is asked again too', async (t) => {
  const { blob } = await store(t, (start, end) => (_, reply) => {
    // No length: to HTTP this is a complete answer.
    reply.writeHead(206).end(content.subarray(start, Math.min(end + 1, start + 70_000)))
  })
  assert.ok(
    (await bytesOf(resumableRead(blob, 'key', { start: 5, end: 150_000 }, never))).equals(content.subarray(5, 150_001)),
  )
})

test('an object that is gone, or a store that forbids it, is not asked twice', async (t) => {
  for (const [status, name] of [
    [404, 'ObjectGone'],
    [403, 'StorageRefusal'],
  ] as const) {
    const { blob, asked } = await store(t, () => (_, reply) => reply.writeHead(status).end())
    await assert.rejects(bytesOf(resumableRead(blob, 'key', whole, never)), { name })
    assert.equal(asked.length, 1)
  }
})

test('a reader who leaves closes the connection at once, though the store says nothing', {
  timeout: 10_000,
}, async (t) => {
  const { blob, sockets } = await store(t, (start) => (_, reply) => {
    reply.writeHead(206, { 'content-length': content.length })
    reply.write(content.subarray(start, 1000))
  })
  const leaving = new AbortController()
  const pieces = resumableRead(blob, 'key', whole, leaving.signal)
  await pieces.next()
  const next = pieces.next()
  leaving.abort(new Error('left'))
  await assert.rejects(next, { message: 'left' })
  while (sockets.size > 0) await new Promise(setImmediate)
})
