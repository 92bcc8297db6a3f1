import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fastify } from 'fastify'
import { eventStreams } from './event-streams.ts'
import type { Reader } from './stream.ts'

/** A server with nothing but streams, whose readers are in our hands. */
async function startServer(t: TestContext) {
  const app = fastify()
  const streams = eventStreams(app)
  const readers: { reader: Reader; stopped: boolean }[] = []
  const begin = (reader: Reader) => {
    const one = { reader, stopped: false }
    readers.push(one)
    return () => void (one.stopped = true)
  }
  app.get('/events', (_request, reply) => streams.send(reply, begin))
  app.get('/events-too-late', async (request, reply) => {
    await once(request.raw.socket, 'close')
    return streams.send(reply, begin)
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => app.close())
  return { app, readers, port: Number(new URL(url).port) }
}

async function ask(t: TestContext, port: number): Promise<{ socket: Socket; text: () => string }> {
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  let text = ''
  socket.on('data', (piece: Buffer) => (text += piece.toString()))
  socket.on('error', () => {})
  socket.write('GET /events HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'data')
  return { socket, text: () => text }
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000
  while (!isSo()) {
    assert.ok(Date.now() < deadline, `still not so: ${what}`)
    await sleep(10)
  }
}

test('a reader who reads nothing is let go, and those who read do not notice', async (t) => {
  const { port, readers } = await startServer(t)
  const deaf = await ask(t, port)
  deaf.socket.pause()
  const listening = await ask(t, port)
  const data = JSON.stringify('x'.repeat(20_000))
  const before = process.memoryUsage().arrayBuffers
  let told = 0
  while (readers[0]?.stopped === false) {
    assert.ok(told < 5_000, 'the server would tell a reader who does not read without end')
    for (const { reader } of readers) reader.tell({ id: `${++told}-0`, type: 'word', data })
    await sleep(1)
  }
  t.diagnostic(`let go ${told / 2} events later`)
  assert.ok(process.memoryUsage().arrayBuffers - before < 50 * 1024 * 1024)
  assert.equal(readers[1]?.stopped, false)
  await until('the last word', () => listening.text().includes(`id: ${told}-0\n`))
})

test('what is told in one go arrives, however much it is', async (t) => {
  const { port, readers } = await startServer(t)
  const { text } = await ask(t, port)
  const data = JSON.stringify('x'.repeat(1_000))
  for (let n = 1; n <= 2_000; n++) readers[0]?.reader.tell({ id: `${n}-0`, type: 'word', data })
  await until('the last word', () => text().includes('id: 2000-0\n') || readers[0]?.stopped === true)
  assert.equal(readers[0]?.stopped, false)
})

test('who leaves is forgotten at once', async (t) => {
  const { port, readers } = await startServer(t)
  const { socket } = await ask(t, port)
  socket.destroy()
  await until('forgotten', () => readers[0]?.stopped === true)
  readers[0]?.reader.tell({ type: 'word', data: '1' })
})

test('who has left before their stream begins is forgotten too', async (t) => {
  const { port, readers } = await startServer(t)
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /events-too-late HTTP/1.1\r\nHost: x\r\n\r\n', () => socket.destroy())
  await until('forgotten', () => readers[0]?.stopped === true)
})

test('the end comes after the last words, and nothing after the end', async (t) => {
  const { port, readers } = await startServer(t)
  const { socket, text } = await ask(t, port)
  readers[0]?.reader.tell({ id: '1-0', type: 'word', data: '"last"' })
  readers[0]?.reader.end()
  readers[0]?.reader.tell({ id: '2-0', type: 'word', data: '"too late"' })
  // The last piece of a chunked reply.
  await until('the end', () => text().endsWith('0\r\n\r\n'))
  assert.match(text(), /id: 1-0\nevent: word\ndata: "last"\n\n/)
  assert.doesNotMatch(text(), /too late/)
  assert.equal(readers[0]?.stopped, true)
  socket.destroy()
})

test('a server that closes ends its streams, also those that nobody reads', async (t) => {
  const { app, port, readers } = await startServer(t)
  const [reading, deaf] = [await ask(t, port), await ask(t, port)]
  deaf.socket.pause()
  for (let nth = 0; nth < 3; nth++) readers[1]?.reader.tell({ type: 'word', data: JSON.stringify('x'.repeat(20_000)) })
  const startedAt = performance.now()
  const closing = app.close()
  await until('the end', () => reading.text().endsWith('0\r\n\r\n'))
  reading.socket.destroy()
  deaf.socket.destroy()
  await closing
  assert.ok(performance.now() - startedAt < 5_000)
  assert.deepEqual(
    readers.map(({ stopped }) => stopped),
    [true, true],
  )
})
