import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, open, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { HostFault } from '@longshore/transfer/faults'
import type { Blueprint, Motion, StorageReply } from '@longshore/transfer/ports'
import { createLimiter } from '@longshore/transfer/rate'
import { clock } from '#host/clock'
import { createDiskId } from '#host/disk-id'
import { createDisks } from '#host/disks'
import { openDestination } from '#host/destination'
import { createHasher } from '#host/hasher'
import { createNetwork } from '#host/network'
import { createReceive } from '#host/receive'
import { createSend } from '#host/send'
import { sourceFile } from '#host/source-file'
import { findSources } from '#host/sources'

const MiB = 1024 * 1024

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void | Promise<void>

/** A store that does as it is told, and the host that talks to it. */
async function setting(t: TestContext, answer: Answer) {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-moving-'))
  const sockets = new Set<Socket>()
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing)).on(
    'connection',
    (socket: Socket) => sockets.add(socket),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const network = createNetwork({ clock })
  const hasher = createHasher()
  const rules = { priority: 'mixed_read_writes', maxReaders: 8, maxWriters: 8 } as const
  const disks = createDisks({ idOf: createDiskId(), rulesFor: () => rules })
  t.after(async () => {
    network.close()
    server.close()
    for (const socket of sockets) socket.destroy()
    await hasher.close()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    folder,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/object`,
    sockets,
    hasher,
    disks,
    send: createSend({ network, disks, hasher }),
    receive: createReceive({ network, disks }),
  }
}

function motion(more: Partial<Motion> = {}): Motion & { readonly bytes: () => number } {
  let bytes = 0
  return {
    signal: new AbortController().signal,
    pace: () => undefined,
    waiting: (wait) => wait,
    moved: (moved) => {
      bytes += moved
    },
    ...more,
    bytes: () => bytes,
  }
}

const put = (url: string): Blueprint => ({ url, method: 'PUT', headers: { 'x-signed': 'yes' }, body: '' })

async function sourceOf(folder: string, bytes: Uint8Array) {
  const path = join(folder, 'source')
  await writeFile(path, bytes)
  for await (const found of findSources([path])) {
    if (found.kind === 'source') return { path, source: await sourceFile(0, found.source).open() }
  }
  throw new Error('There is none.')
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of incoming) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const sums = (bytes: Uint8Array) => ({ sha256: sha256(bytes), crc32: crc32(bytes).toString(16).padStart(8, '0') })

for (const size of [0, 1, 70_000, 3 * MiB + 1]) {
  test(`a file of ${size} bytes is sent as it is, with its length and its checksums`, async (t) => {
    const bytes = randomBytes(size)
    const got: { headers?: IncomingMessage['headers']; body?: Buffer } = {}
    const { folder, url, send } = await setting(t, async (incoming, outgoing) => {
      got.headers = incoming.headers
      got.body = await bodyOf(incoming)
      outgoing.writeHead(200, { etag: '"tag"' }).end('stored')
    })
    const { source } = await sourceOf(folder, bytes)
    const moving = motion()
    const reply = await send(put(url), { source, start: 0, end: size, checksums: true }, moving)
    await source.close()

    const { status, etag, text, checksums } = reply
    assert.deepEqual(
      { status, etag, text, checksums },
      { status: 200, etag: '"tag"', text: 'stored', checksums: sums(bytes) },
    )
    assert.equal(got.headers?.['content-length'], String(size))
    assert.equal(got.headers?.['x-signed'], 'yes')
    assert.ok(got.body?.equals(bytes))
    assert.equal(moving.bytes(), size)
  })
}

test('a stretch is sent, not more', async (t) => {
  const bytes = randomBytes(2 * MiB)
  let body: Buffer | undefined
  const { folder, url, send } = await setting(t, async (incoming, outgoing) => {
    body = await bodyOf(incoming)
    outgoing.end()
  })
  const { source } = await sourceOf(folder, bytes)
  await send(put(url), { source, start: 1000, end: 1_500_000, checksums: false }, motion())
  await source.close()
  assert.ok(body?.equals(bytes.subarray(1000, 1_500_000)))
})

test('while the store thinks, the disk is free for others', async (t) => {
  const mayAnswer = Promise.withResolvers<void>()
  const { folder, url, send, disks } = await setting(t, async (incoming, outgoing) => {
    await bodyOf(incoming)
    await mayAnswer.promise
    outgoing.end()
  })
  const { source } = await sourceOf(folder, randomBytes(70_000))
  const moving = motion()
  const sent = send(put(url), { source, start: 0, end: 70_000, checksums: true }, moving)
  const readers = () => [...disks.use().values()].reduce((sum, use) => sum + use.readers, 0)
  while (moving.bytes() < 70_000) await sleep(1)
  await sleep(1)
  assert.equal(readers(), 0)
  mayAnswer.resolve()
  await sent
  await source.close()
  assert.equal(readers(), 0, 'given back once')
})

test('connections are used again, one after the other', async (t) => {
  const { folder, url, send, sockets } = await setting(t, async (incoming, outgoing) => {
    await bodyOf(incoming)
    outgoing.end()
  })
  const { source } = await sourceOf(folder, randomBytes(1000))
  for (let turn = 0; turn < 5; turn++) {
    await send(put(url), { source, start: 0, end: 1000, checksums: false }, motion())
  }
  await source.close()
  assert.equal(sockets.size, 1)
})

test('an answer that comes before the end of the body is heard, and the rest is not sent', async (t) => {
  const { folder, url, send } = await setting(t, (_incoming, outgoing) => {
    outgoing.writeHead(403, { 'retry-after': '7' }).end('<Error><Code>AccessDenied</Code></Error>')
  })
  const size = 64 * MiB
  const { path, source } = await sourceOf(folder, new Uint8Array(0))
  await truncate(path, size)
  const moving = motion()
  const reply: StorageReply = await send(put(url), { source, start: 0, end: size, checksums: true }, moving)
  await source.close()

  assert.equal(reply.status, 403)
  assert.equal(reply.retryAfterMs, 7000)
  assert.match(reply.text, /AccessDenied/)
  assert.ok(moving.bytes() < size, 'it did not go on to the end')
})

test('a store that stops reading is left at once when the signal says so', async (t) => {
  const { folder, url, send } = await setting(t, () => {})
  const size = 64 * MiB
  const { path, source } = await sourceOf(folder, new Uint8Array(0))
  await truncate(path, size)
  const stop = new AbortController()
  const sent = send(put(url), { source, start: 0, end: size, checksums: false }, motion({ signal: stop.signal }))
  await sleep(200)
  const before = performance.now()
  stop.abort(new Error('paused'))
  await assert.rejects(sent)
  assert.ok(performance.now() - before < 1_000)
  await source.close()
})

test('a connection that breaks is an error of the network, not of the disk', async (t) => {
  const { folder, url, send } = await setting(t, (incoming) => {
    incoming.once('data', () => incoming.socket.destroy())
  })
  const { source } = await sourceOf(folder, randomBytes(8 * MiB))
  const sent = send(put(url), { source, start: 0, end: 8 * MiB, checksums: false }, motion())
  await assert.rejects(sent, (error) => !(error instanceof HostFault))
  await source.close()
})

test('a source that becomes shorter while it is sent is told, and its request does not end well', async (t) => {
  let whole = false
  const { folder, url, send } = await setting(t, async (incoming, outgoing) => {
    await bodyOf(incoming).then(
      () => (whole = true),
      () => undefined,
    )
    outgoing.end()
  })
  const { path, source } = await sourceOf(folder, randomBytes(4 * MiB))
  const pace = async () => truncate(path, 2 * MiB)
  const sent = send(put(url), { source, start: 0, end: 4 * MiB, checksums: false }, motion({ pace }))
  await assert.rejects(sent, (error) => error instanceof HostFault && error.code === 'source_changed')
  await source.close()
  assert.equal(whole, false)
})

test('the hasher reads no further than it is let, and says when a file ends before', async (t) => {
  const { folder, hasher } = await setting(t, () => {})
  const bytes = randomBytes(5 * MiB + 3)
  const { path, source } = await sourceOf(folder, bytes)
  const digest = hasher.begin(source)
  digest.advance(MiB)
  // What comes later is not read yet, so it may still be written.
  const file = await open(path, 'r+')
  await file.write(Buffer.alloc(MiB, 7), 0, MiB, 3 * MiB)
  await file.close()
  bytes.fill(7, 3 * MiB, 4 * MiB)
  digest.advance(bytes.length)
  assert.deepEqual(await digest.finish(), sums(bytes))
  digest.drop()

  const short = hasher.begin(source)
  short.advance(bytes.length + 1)
  await assert.rejects(short.finish(), (error) => error instanceof HostFault && error.code === 'source_changed')
  short.drop()
  await source.close()
})

test('many files are hashed at once by two threads', async (t) => {
  const { folder, hasher } = await setting(t, () => {})
  const bytes = randomBytes(MiB)
  const { source } = await sourceOf(folder, bytes)
  const digests = Array.from({ length: 20 }, () => hasher.begin(source))
  for (const digest of digests) digest.advance(bytes.length)
  const all = await Promise.all(digests.map((digest) => digest.finish()))
  for (const digest of digests) digest.drop()
  for (const one of all) assert.deepEqual(one, sums(bytes))
  const alone = hasher.begin(source, 'sha256')
  alone.advance(bytes.length)
  assert.deepEqual(await alone.finish(), { ...sums(bytes), crc32: '' })
  alone.drop()
  await source.close()
})

/** An object that can be fetched whole or by range, as stores do it. */
const objectOf =
  (bytes: Buffer): Answer =>
  (incoming, outgoing) => {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(incoming.headers.range ?? '') ?? []
    if (from === undefined || to === undefined) {
      outgoing.writeHead(200, { 'content-length': bytes.length }).end(bytes)
      return
    }
    const range = bytes.subarray(Number(from), Number(to) + 1)
    const headers = { 'content-length': range.length, 'content-range': `bytes ${from}-${to}/${bytes.length}` }
    outgoing.writeHead(206, headers).end(range)
  }

async function partIn(folder: string, size: number) {
  const destination = await openDestination({ root: join(folder, 'in'), transfer: 't', onConflict: 'rename' })
  const file = { n: 0, id: 'f', path: '', name: 'a', size, lastModified: new Date(0).toISOString() }
  const part = await destination.wanted(file).open()
  return {
    part,
    bytes: async () => {
      await part.seal()
      await part.commit()
      await part.close()
      await destination.close()
      return readFile(join(folder, 'in/a'))
    },
  }
}

test('stretches are written to their place, whatever their order', async (t) => {
  const bytes = randomBytes(3 * MiB + 17)
  const { folder, url, receive } = await setting(t, objectOf(bytes))
  const { part, bytes: written } = await partIn(folder, bytes.length)
  const cuts = [0, 1, 700_000, 2 * MiB, bytes.length]
  const moving = motion()
  const stretches = cuts.slice(1).map((end, index) => ({ url, start: cuts[index] ?? 0, end, size: bytes.length }))
  for (const stretch of stretches.toReversed()) {
    assert.equal((await receive(stretch, part, moving)).status, 206)
  }
  assert.equal(moving.bytes(), bytes.length)
  assert.ok((await written()).equals(bytes))
})

test('a whole file is asked for without a range', async (t) => {
  const bytes = randomBytes(100_000)
  const { folder, url, receive } = await setting(t, objectOf(bytes))
  const { part, bytes: written } = await partIn(folder, bytes.length)
  const reply = await receive({ url, start: 0, end: bytes.length, size: bytes.length }, part, motion())
  assert.equal(reply.status, 200)
  assert.ok((await written()).equals(bytes))
})

for (const [kind, unit] of [
  ['short', 1_000],
  ['long', 2 * MiB],
] as const) {
  test(`a whole file, another stretch, or more than was asked for is not written: ${kind} ones`, async (t) => {
    const bytes = randomBytes(5 * unit)
    const from = (start: number, end: number) => ({
      'content-range': `bytes ${start}-${end - 1}/${bytes.length}`,
      'content-length': end - start,
    })
    let answer: Answer = (_incoming, outgoing) => void outgoing.writeHead(200).end(bytes)
    const { folder, url, receive } = await setting(t, (incoming, outgoing) => answer(incoming, outgoing))
    const { part, bytes: written } = await partIn(folder, bytes.length)
    const stretch = { url, start: unit, end: 2 * unit, size: bytes.length }
    const moving = motion()
    assert.equal((await receive(stretch, part, moving)).status, 200)
    answer = (_incoming, outgoing) => void outgoing.writeHead(206, from(0, unit)).end(bytes.subarray(0, unit))
    await receive(stretch, part, moving)
    assert.equal(moving.bytes(), 0)
    answer = (_incoming, outgoing) => void outgoing.writeHead(206, from(unit, bytes.length)).end(bytes.subarray(unit))
    await receive(stretch, part, moving)
    assert.equal(moving.bytes(), unit)
    assert.ok((await written()).subarray(unit).equals(bytes.subarray(unit, 2 * unit)))
  })

  test(`a refusal is read, whether it names its length or not: of ${kind} stretches`, async (t) => {
    const text = '<Error><Code>SlowDown</Code></Error>'
    for (const length of [{}, { 'content-length': text.length }]) {
      const { folder, url, receive } = await setting(t, (_incoming, outgoing) => {
        outgoing.writeHead(503, { 'retry-after': '7', ...length })
        outgoing.write(text)
        outgoing.end()
      })
      const { part } = await partIn(folder, 5 * unit)
      const reply = await receive({ url, start: unit, end: 2 * unit, size: 5 * unit }, part, motion())
      assert.deepEqual(reply, { status: 503, text, retryAfterMs: 7_000 })
      await part.close()
    }
  })
}

test('what arrived before a line broke is written and told', async (t) => {
  const bytes = randomBytes(2 * MiB)
  const { folder, url, receive } = await setting(t, (_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-length': bytes.length })
    outgoing.write(bytes.subarray(0, MiB + 5), () => setTimeout(() => outgoing.destroy(), 100))
  })
  const { part, bytes: written } = await partIn(folder, bytes.length)
  const moving = motion()
  await assert.rejects(receive({ url, start: 0, end: bytes.length, size: bytes.length }, part, moving))
  assert.equal(moving.bytes(), MiB + 5)
  assert.ok((await written()).equals(bytes.subarray(0, MiB + 5)))
})

test('a limit of rate holds a download back without losing a byte', async (t) => {
  const bytes = randomBytes(3 * MiB)
  const { folder, url, receive } = await setting(t, objectOf(bytes))
  const { part, bytes: written } = await partIn(folder, bytes.length)
  const limiter = createLimiter(clock, 6 * MiB)
  const { signal } = new AbortController()
  const before = performance.now()
  const pace = (some: number) => limiter.pace(some, signal)
  await receive({ url, start: 0, end: bytes.length, size: bytes.length }, part, motion({ pace }))
  assert.ok(performance.now() - before >= 250, 'half a second, less what may go at once')
  assert.ok((await written()).equals(bytes))
})
