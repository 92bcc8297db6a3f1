import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createPlainServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setDefaultCACertificates } from 'node:tls'
import { longRead } from '#long-read'

const MiB = 1024 * 1024

/** Bytes that tell where they are. */
function pattern(size: number): Buffer {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at + 4 <= size; at += 4) bytes.writeUInt32LE(at, at)
  return bytes
}

const secrets = mkdtempSync(join(tmpdir(), 'longshore-tls-'))
after(() => rmSync(secrets, { recursive: true, force: true }))
const [key, cert] = [join(secrets, 'key.pem'), join(secrets, 'cert.pem')]
const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
execFileSync(
  'openssl',
  ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert, ...subject],
  { stdio: 'ignore' },
)
setDefaultCACertificates([readFileSync(cert, 'utf8')])

async function serving(t: TestContext, protocol: 'http' | 'https', answer: RequestListener): Promise<string> {
  const server =
    protocol === 'http'
      ? createPlainServer(answer)
      : createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}/object?a=b`
}

for (const protocol of ['http', 'https'] as const) {
  test(`${protocol}: a piece stays as it is until the next one is asked for, however slow its reader is`, async (t) => {
    const content = pattern(24 * MiB + 12_345)
    const url = await serving(t, protocol, (_, reply) => {
      reply.writeHead(200, { 'content-length': content.length }).end(content)
    })
    const { status, length, pieces } = await longRead(url)
    assert.deepEqual([status, length], [200, content.length])
    let at = 0
    let turn = 0
    for await (const piece of pieces) {
      // Now and then long enough for everything that waits to come in.
      if (++turn % 8 === 0) await sleep(5)
      else if (turn % 3 === 0) await new Promise(setImmediate)
      assert.ok(content.subarray(at, at + piece.length).equals(piece), `at ${at}, ${piece.length} bytes`)
      at += piece.length
    }
    assert.equal(at, content.length)
    t.diagnostic(`${turn} pieces`)
  })

  test(`${protocol}: what came before a connection broke is read, then it is told`, async (t) => {
    const content = pattern(3 * MiB)
    const url = await serving(t, protocol, (_, reply) => {
      reply.writeHead(200, { 'content-length': 2 * content.length })
      reply.write(content, () => setTimeout(() => reply.destroy(), 50))
    })
    const { pieces } = await longRead(url)
    const read: Buffer[] = []
    await assert.rejects(async () => {
      for await (const piece of pieces) read.push(Buffer.from(piece))
    })
    assert.ok(Buffer.concat(read).equals(content))
  })
}

test('headers go out and come in, and an answer without a length has none', async (t) => {
  const url = await serving(t, 'http', (incoming, reply) => {
    reply.setHeader('X-Range', incoming.headers.range ?? '')
    reply.writeHead(206, { 'Content-Range': 'bytes 1-2/3' })
    reply.write('ab')
    reply.end()
  })
  const answer = await longRead(url, { headers: { range: 'bytes=1-2' } })
  answer.close()
  assert.deepEqual(
    [answer.status, answer.length, answer.headers['content-range'], answer.headers['x-range']],
    [206, undefined, 'bytes 1-2/3', 'bytes=1-2'],
  )
})

test('a signal ends it, before and during', async (t) => {
  const url = await serving(t, 'http', (_, reply) => {
    reply.writeHead(200, { 'content-length': 10 }).write('some')
  })
  await assert.rejects(longRead(url, { signal: AbortSignal.abort(new Error('over')) }), /over/)
  const stop = new AbortController()
  const { pieces } = await longRead(url, { signal: stop.signal })
  setTimeout(() => stop.abort(new Error('enough')), 20)
  await assert.rejects(Array.fromAsync(pieces), /enough/)
})
