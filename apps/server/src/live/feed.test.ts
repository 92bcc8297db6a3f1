import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { after, before, test, type TestContext } from 'node:test'
import type { Feed } from '#live/feed'
import { feedSuite, listen, untilSo } from '#live/feed.suite'
import { memoryFeed } from '#live/memory-feed'
import { openRedis } from '#live/redis'
import { redisFeed } from '#live/redis-feed'
import { createSubscriptions } from '#live/subscriptions'
import { testStack } from '#test-kit/stack'

/** The feed of one process: its connection, its subscriptions. */
function openFeed(url: string) {
  const redis = openRedis(url, () => {})
  const subscriptions = createSubscriptions(redis)
  const close = () => {
    subscriptions.close()
    redis.disconnect()
  }
  return { redis, feed: redisFeed(redis, subscriptions), close }
}

const memory = memoryFeed()
const processes = [openFeed(testStack().redis_url), openFeed(testStack().redis_url)] as const
before(() => Promise.all(processes.map(({ redis }) => once(redis, 'ready'))))
after(() => processes.forEach(({ close }) => close()))

feedSuite('in memory', () => [memory, memory])
feedSuite('on Redis', () => [processes[0].feed, processes[1].feed])

test('all followers of a process share one connection', async (t) => {
  const [{ feed, redis }] = processes
  const clients = async () => Number(/connected_clients:(\d+)/.exec(await redis.info('clients'))?.[1])
  const ears = Array.from({ length: 50 }, () => listen(t, feed, randomUUID()))
  await untilSo(
    () => ears.length,
    (count) => count === 50,
  )
  const before = await clients()
  for (let nth = 0; nth < 200; nth++) listen(t, feed, randomUUID())
  // Others use this Redis too; two hundred of ours would show.
  assert.ok((await clients()) - before < 50)
})

/** A process whose way to Redis can be cut. */
async function cuttable(t: TestContext, open = true) {
  const { hostname, port } = new URL(testStack().redis_url)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    if (!open) return void socket.destroy()
    const onward = connect(Number(port), hostname)
    for (const one of [socket, onward]) sockets.add(one.on('error', () => {}))
    socket.pipe(onward).pipe(socket)
    socket.on('close', () => onward.destroy())
    onward.on('close', () => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(testStack().redis_url)
  const address = server.address()
  url.host = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const process = openFeed(url.href)
  t.after(() => {
    process.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    ...process,
    cut() {
      open = false
      for (const socket of sockets) socket.destroy()
    },
    mend: () => void (open = true),
  }
}

test('a follower who lost Redis is told what was said meanwhile, and that there may have been more', async (t) => {
  const { feed, redis, cut, mend } = await cuttable(t)
  await once(redis, 'ready')
  const [{ feed: other }] = processes
  const channel = randomUUID()
  const say = (on: Feed, word: number) => on.publish([channel], { type: 'word', data: String(word) })
  const ear = listen(t, feed, channel)
  await untilSo(
    () => {
      if (ear.heard.length === 0) say(other, 0)
      return ear.heard.length
    },
    (count) => count > 0,
  )
  cut()
  await untilSo(
    () => redis.status,
    (status) => status !== 'ready',
  )
  say(other, 1)
  // Said where Redis is away: heard in that process at least.
  say(feed, 2)
  await untilSo(ear.said, (said) => said.includes(2))
  assert.equal(ear.said().includes(1), false)
  assert.equal(await feed.isFollowed([channel]), true, 'in doubt somebody follows')
  mend()
  await untilSo(ear.missed, (missed) => missed >= 1, 10_000)
  say(other, 3)
  await untilSo(ear.said, (said) => said.at(-1) === 3)
  assert.equal(ear.said().filter((word) => word === 3).length, 1)
})

test('a follower who comes while Redis is away hears as soon as it is back', async (t) => {
  const { feed, mend } = await cuttable(t, false)
  const [{ feed: other }] = processes
  const channel = randomUUID()
  const ear = listen(t, feed, channel)
  mend()
  await untilSo(
    () => {
      other.publish([channel], { type: 'word', data: '1' })
      return ear.heard.length
    },
    (count) => count > 0,
    10_000,
  )
})
