import assert from 'node:assert/strict'
import { hash, randomInt } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { buffer } from 'node:stream/consumers'
import { open, readAndLeave, sendForArchive } from '#archive'
import { endOf, freePort, newGround, until } from '#ground'

const MB = 1_000_000
const cuts = 20

test('an archive cut at 20 places and resumed each time, over restarts and two processes, is the same', {
  timeout: 300_000,
}, async (t) => {
  const ground = await newGround(t)
  const small = Array.from({ length: 60 }, () => randomInt(0, 20_000))
  const url = await sendForArchive(ground, [3 * MB, ...small, 0, 2 * MB, 300_000, 1])
  const first = await open(url)
  const etag = first.headers.etag ?? ''
  const whole = await buffer(first)
  assert.equal(whole.length, Number(first.headers['content-length']))

  const otherPort = await freePort()
  const other = url.replace(new URL(url).host, `127.0.0.1:${otherPort}`)
  await ground.startApi({ LONGSHORE_LISTEN: `127.0.0.1:${otherPort}` })
  const serves = () =>
    fetch(`http://127.0.0.1:${otherPort}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until('the second process serves', serves, 60)

  const places = Array.from({ length: cuts }, () => randomInt(1, whole.length)).toSorted((a, b) => a - b)
  const pieces: Buffer[] = []
  let at = 0
  let api = ground.api
  for (const [turn, end] of [...places, whole.length].entries()) {
    if (end === at) continue
    if (turn === 5 || turn === 10) {
      await api.kill()
      api = await ground.startApi()
    }
    const from = end > whole.length / 2 ? other : url
    const reply = await open(from, { range: `bytes=${at}-`, 'if-range': etag })
    assert.deepEqual([reply.statusCode, reply.headers.etag], [206, etag])
    assert.equal(reply.headers['content-range'], `bytes ${at}-${whole.length - 1}/${whole.length}`)
    pieces.push(await readAndLeave(reply, end - at))
    at = end
  }
  const joined = Buffer.concat(pieces)
  assert.equal(joined.length, whole.length)
  assert.equal(hash('sha256', joined), hash('sha256', whole))
  t.diagnostic(`${whole.length} bytes, cut at ${places.join(', ')}`)
})

test('readers who leave close their connections to the store within a second', { timeout: 120_000 }, async (t) => {
  const ground = await newGround(t)
  const url = await sendForArchive(ground, [60 * MB])
  const took: number[] = []
  // The calmest of three: other work on the machine may hold one up.
  for (let round = 0; round < 3; round++) {
    const readers = await Promise.all(Array.from({ length: 5 }, () => open(url)))
    for (const reply of readers) reply.once('readable', () => {})
    const port = Number(new URL(ground.stack.s3.endpoint).port)
    const waiting = () => stalled(ground.api.child.pid ?? 0, port)
    await until('five reads wait for readers who take nothing', async () => waiting().size >= 5, 20)
    const before = waiting()
    for (const reply of readers) reply.destroy()
    const leftAt = performance.now()
    while ([...waiting()].some((socket) => before.has(socket))) {
      if (performance.now() - leftAt > 20_000) throw new Error('After 20 s the store is still being read.')
      await sleep(20)
    }
    took.push(performance.now() - leftAt)
  }
  t.diagnostic(`closed after ${took.map((ms) => ms.toFixed(0)).join(', ')} ms`)
  assert.ok(Math.min(...took) < 1000, `closed after ${Math.min(...took)} ms`)
})

/** Sockets of a process to this port that hold bytes which nobody fetches, by their numbers in the kernel. */
function stalled(pid: number, port: number): ReadonlySet<string> {
  const own = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []
      } catch {
        // Closed while we looked.
        return []
      }
    }),
  )
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const lines = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').split('\n').slice(1)
  const sockets = lines
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, , to = '', , queues = '', , , , , inode = '']) =>
        to.endsWith(remote) && own.has(inode) && !queues.endsWith(':00000000'),
    )
    .map((fields) => fields[9] ?? '')
  return new Set(sockets)
}

test('an API that is told to end does not wait for an archive that is being sent', { timeout: 60_000 }, async (t) => {
  const ground = await newGround(t)
  const url = await sendForArchive(ground, [60 * MB])
  const reply = await open(url)
  await new Promise((resolve) => reply.once('readable', resolve))
  const startedAt = performance.now()
  ground.api.child.kill('SIGTERM')
  assert.equal(await endOf(ground.api), 0)
  assert.ok(performance.now() - startedAt < 20_000)
  await assert.rejects(buffer(reply), 'a part must not pass for the whole')
})
