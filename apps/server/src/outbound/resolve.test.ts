import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { dnsFirst } from './resolve.ts'

/** A name server that answers what it is told to, or keeps still. */
async function nameServer(t: TestContext, answer: (question: Buffer) => Buffer | undefined): Promise<string> {
  const socket = createSocket('udp4')
  socket.on('message', (question, from) => {
    const reply = answer(question)
    if (reply !== undefined) socket.send(reply, from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  return `127.0.0.1:${socket.address().port}`
}

/** The question back, with flags, and one address where it asks for IPv4. */
function reply(question: Buffer, address?: readonly number[]): Buffer {
  const end = question.indexOf(0, 12) + 5
  const asksV4 = question.readUInt16BE(end - 4) === 1
  const found = address !== undefined && asksV4
  const head = Buffer.from(question.subarray(0, end))
  head.writeUInt16BE(address === undefined ? 0x8183 : 0x8180, 2)
  head.writeUInt16BE(found ? 1 : 0, 6)
  head.writeUInt16BE(0, 8)
  head.writeUInt16BE(0, 10)
  return found ? Buffer.concat([head, Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address])]) : head
}

test('a name is resolved by DNS', async (t) => {
  const servers = [await nameServer(t, (question) => reply(question, [93, 184, 216, 34]))]
  assert.deepEqual(await dnsFirst({ servers })('example.test'), [{ address: '93.184.216.34', family: 4 }])
})

test('what DNS does not know, the system may', async (t) => {
  const servers = [await nameServer(t, (question) => reply(question))]
  const found = await dnsFirst({ servers })('localhost')
  assert.ok(found.some(({ address }) => address === '127.0.0.1' || address === '::1'))
})

test('name servers that keep still hold up nobody else, and are given up', async (t) => {
  const servers = [await nameServer(t, () => undefined)]
  const resolve = dnsFirst({ servers, timeoutMs: 300 })
  const startedAt = performance.now()
  const waiting = Array.from({ length: 50 }, (_, nth) => resolve(`still-${nth}.example.test`))
  const judged = Promise.allSettled(waiting)
  // Needs a thread of the pool that look-ups of the system would have taken.
  await stat(import.meta.dirname)
  assert.ok(performance.now() - startedAt < 250, 'the pool was taken')
  for (const answer of await judged) {
    assert.equal(answer.status === 'rejected' ? (answer.reason as { code?: string }).code : 'found', 'ETIMEOUT')
  }
})
