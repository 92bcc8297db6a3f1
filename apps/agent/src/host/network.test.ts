import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { NetworkInterfaceInfo } from 'node:os'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Motion } from '@longshore/transfer/ports'
import { clock } from '#host/clock'
import { openExchange, textOf } from '#host/exchange'
import { chooseWay, hostInterfaces } from '#host/interfaces'
import { createNetwork, type Network } from '#host/network'

test('interfaces have the names that the system gives them; loopback and link-local addresses are no way out', () => {
  const info = (address: string, internal = false): NetworkInterfaceInfo => ({
    address,
    internal,
    family: 'IPv4',
    netmask: '255.255.255.0',
    mac: '00:00:5e:00:53:01',
    cidr: null,
  })
  const all = {
    wlan0: [info('192.0.2.9'), info('fe80::1')],
    lo: [info('127.0.0.1', true)],
    eth0: [info('192.0.2.8')],
    tun0: [info('fe80::2')],
  }
  assert.deepEqual(hostInterfaces(all), [
    { id: 'eth0', addresses: ['192.0.2.8'] },
    { id: 'wlan0', addresses: ['192.0.2.9'] },
  ])
})

test('a request goes where it is likely to be done first', () => {
  const way = (id: string, active: number, bytesPerSecond?: number) => ({ id, active, bytesPerSecond })
  assert.equal(chooseWay([]), undefined)
  assert.equal(chooseWay([way('a', 1, 100), way('b', 0, 100)]), 'b', 'equally fast: the idle one')
  assert.equal(chooseWay([way('a', 3, 1000), way('b', 0, 100)]), 'b', 'idle, and not much too slow')
  assert.equal(chooseWay([way('a', 3, 1000), way('b', 0, 10)]), 'a', 'idle, and much too slow')
  assert.equal(chooseWay([way('a', 3, 1000), way('b', 1, 100)]), 'a', 'ten times as fast: also as the fourth')
  assert.equal(chooseWay([way('a', 19, 1000), way('b', 1, 110)]), 'b', 'but not as the twentieth')
  assert.equal(chooseWay([way('a', 1, 1000), way('b', 0)]), 'b', 'one that nobody has measured is tried')
})

/** Addresses of the loopback network play the interfaces; the store sees where each request comes from. */
async function setting(t: TestContext) {
  const from: string[] = []
  let answer = async (_socket: Socket) => {}
  const server = createServer((incoming, outgoing) => {
    from.push(incoming.socket.remoteAddress ?? '')
    void answer(incoming.socket).then(() => outgoing.end('ok'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  let there = [
    { id: 'one', addresses: ['127.0.0.2'] },
    { id: 'two', addresses: ['127.0.0.3'] },
  ]
  const network = createNetwork({ clock, interfaces: () => there })
  t.after(() => {
    network.close()
    server.closeAllConnections()
    server.close()
  })
  return {
    from,
    network,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    answerBy: (how: typeof answer) => (answer = how),
    lose: (id: string) => (there = there.filter((one) => one.id !== id)),
  }
}

const motion: Motion = {
  signal: new AbortController().signal,
  pace: () => undefined,
  waiting: (wait) => wait,
  moved: () => {},
}

/** One request that moves so many bytes; what they are does not matter here. */
async function request(network: Network, url: string, bytes = 0): Promise<void> {
  const line = network.take(url, 'up', motion)
  try {
    await line.motion.pace(bytes)
    const { outgoing, answer } = openExchange(url, { agent: line.agent })
    outgoing.end()
    await textOf(await answer)
    line.motion.moved(bytes)
  } catch (error) {
    line.failed(error)
    throw error
  } finally {
    line.leave()
  }
}

const times = (count: number, work: () => Promise<void>) => Promise.all(Array.from({ length: count }, work))

test('without multiconnect the system chooses; with it, requests are spread over what is enabled', async (t) => {
  const { from, network, url } = await setting(t)
  await times(4, () => request(network, url))
  assert.deepEqual(new Set(from.splice(0)), new Set(['127.0.0.1']))

  network.setMulticonnect(true)
  await times(4, () => request(network, url))
  assert.deepEqual(from.splice(0).toSorted(), ['127.0.0.2', '127.0.0.2', '127.0.0.3', '127.0.0.3'])

  network.enable('one', false)
  await times(4, () => request(network, url))
  assert.deepEqual(new Set(from.splice(0)), new Set(['127.0.0.3']))
  assert.deepEqual(
    network.interfaces().map(({ id, enabled }) => ({ id, enabled })),
    [
      { id: 'one', enabled: false },
      { id: 'two', enabled: true },
    ],
  )

  network.enable('two', false)
  await request(network, url)
  assert.deepEqual(from, ['127.0.0.1'], 'nothing enabled: the system chooses again')
})

test('requests under way on an interface that is lost end at once, and the next ones go elsewhere', async (t) => {
  const { from, network, url, answerBy, lose } = await setting(t)
  network.setMulticonnect(true)
  network.enable('two', false)
  answerBy(() => new Promise(() => {}))
  const waiting = request(network, url)
  await sleep(50)
  assert.equal(network.interfaces()[0]?.activeChunks, 1)
  network.enable('two', true)
  lose('one')
  await assert.rejects(waiting)

  answerBy(async () => {})
  from.splice(0)
  await times(3, () => request(network, url))
  assert.deepEqual(new Set(from), new Set(['127.0.0.3']))
})

test('an address that cannot be used any more is avoided for a while', async (t) => {
  const { from, url } = await setting(t)
  const interfaces = () => [
    { id: 'broken', addresses: ['192.0.2.77'] },
    { id: 'good', addresses: ['127.0.0.3'] },
  ]
  const network = createNetwork({ clock, interfaces })
  t.after(() => network.close())
  network.setMulticonnect(true)
  await assert.rejects(request(network, url))
  await times(3, () => request(network, url))
  assert.deepEqual(new Set(from), new Set(['127.0.0.3']))
})

test('an interface has a limit of its own, in each direction', async (t) => {
  const { network, url } = await setting(t)
  network.setMulticonnect(true)
  network.enable('two', false)
  network.limit('one', 'up', 100_000)
  const before = performance.now()
  for (let turn = 0; turn < 4; turn++) await request(network, url, 10_000)
  assert.ok(performance.now() - before >= 150, 'three of four wait for the bytes before them, less the first tenth')
  network.setMulticonnect(false)
  const after = performance.now()
  for (let turn = 0; turn < 4; turn++) await request(network, url, 1_000_000)
  assert.ok(performance.now() - after < 5_000, 'without multiconnect it does not hold')
})

test('most of the bytes go over the faster interface', async (t) => {
  const { from, network, url, answerBy } = await setting(t)
  network.setMulticonnect(true)
  answerBy(async (socket) => {
    await sleep(socket.remoteAddress === '127.0.0.2' ? 100 : 20)
  })
  const lane = async () => {
    for (const until = Date.now() + 4_000; Date.now() < until; ) await request(network, url, 1_000)
  }
  await times(6, lane)
  const late = from.slice(from.length / 2)
  const slow = late.filter((address) => address === '127.0.0.2').length
  assert.ok(slow > 0, 'the slow one still helps')
  assert.ok(slow < late.length / 3, `${slow} of ${late.length} went the slow way`)
})
