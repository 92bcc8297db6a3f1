import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayCloses, type GatewayHello, gatewayVersion, type ToGateway } from '@longshore/contract/gateway'
import { startCloudEnd } from '#test-kit/cloud-end'
import { holdLine } from './gateway-line.ts'

const hello: GatewayHello = {
  type: 'hello',
  version: gatewayVersion,
  id: '019a0000-0000-7000-8000-000000000000',
  secret: 'secret',
  permissions: 'rw',
}
const welcome = JSON.stringify({ type: 'welcome', version: gatewayVersion, heartbeat_seconds: 1 })
const stop = JSON.stringify({ type: 'stop', transfer_id: hello.id })
const forEver = new AbortController().signal

/** Holds a line, and answers what was heard over it and how it ended. */
async function hold(url: string, signal = forEver) {
  const heard: ToGateway[] = []
  let overs = 0
  const use = () => ({ heard: (message: ToGateway) => void heard.push(message), over: () => void overs++ })
  const end = await holdLine(url, hello, use, signal)
  return { heard, overs, end }
}

test('it says hello, is welcome, hears what is said, and tells how the cloud closed it', async (t) => {
  const said: unknown[] = []
  const url = await startCloudEnd(t, (socket) => {
    socket.on('message', (data: Buffer) => {
      said.push(JSON.parse(data.toString()))
      socket.send(welcome)
      socket.send(stop)
      socket.close(gatewayCloses.restarting)
    })
  })
  const { heard, overs, end } = await hold(url)
  assert.deepEqual(said, [hello])
  assert.deepEqual([heard, overs, end.code], [[JSON.parse(stop)], 1, gatewayCloses.restarting])
})

test('what is no message of the protocol is passed over', async (t) => {
  const url = await startCloudEnd(t, (socket) => {
    socket.on('message', () => {
      for (const text of [welcome, '{', '{"type":"from the future"}', stop]) socket.send(text)
      socket.close(gatewayCloses.deleted)
    })
  })
  assert.deepEqual((await hold(url)).heard, [JSON.parse(stop)])
})

test('a line that was cut somewhere is noticed by its silence, and not while the cloud is heard', async (t) => {
  const beats = 7
  const url = await startCloudEnd(t, (socket) => {
    socket.on('message', () => socket.send(welcome))
    let left = beats
    const beat = setInterval(() => (left-- > 0 ? socket.ping() : clearInterval(beat)), 500)
  })
  const startedAt = performance.now()
  const { end, overs } = await hold(url)
  assert.deepEqual([end.code, end.error?.message, overs], [undefined, 'The server fell silent.', 1])
  assert.ok(performance.now() - startedAt >= beats * 500, 'it was given up while the cloud was heard')
})

test('where nobody answers it ends at once, and says what the network said', async () => {
  const { end } = await hold('http://127.0.0.1:9')
  assert.equal(end.code, undefined)
  assert.match(end.error?.message ?? '', /ECONNREFUSED/)
})

test('it is left at once when it is told to end, even if the other end does not answer', async (t) => {
  const leave = new AbortController()
  const url = await startCloudEnd(t, (socket) => {
    socket.pause()
    setTimeout(() => leave.abort(), 50)
  })
  const startedAt = performance.now()
  await hold(url, leave.signal)
  assert.ok(performance.now() - startedAt < 5_000)
})
