import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEndpoint } from '#endpoint'
import { newGround, until } from '#ground'
import { hook, open, quickly, workingWorker } from '#webhook-scene'

test('no wake-up reaches the worker: looking by itself it delivers within two seconds', async (t) => {
  const ground = await newGround(t)
  await workingWorker(t, ground, { LONGSHORE_REDIS_URL: '' })
  const endpoint = await startEndpoint(t)
  await hook(ground, endpoint.url)
  const startedAt = performance.now()
  await open(ground)
  await until('it is delivered', async () => endpoint.calls.length === 1, 10)
  const took = (endpoint.calls[0]?.at ?? 0) - startedAt
  assert.ok(took < 2_000, `${took} ms`)
})

test('10,000 events that waited for a worker arrive, every one of them', async (t) => {
  const ground = await newGround(t)
  const endpoint = await startEndpoint(t)
  await hook(ground, endpoint.url)
  const writingAt = performance.now()
  const sent = new Set<string>()
  const sender = async () => {
    while (sent.size < 10_000) sent.add((await open(ground)).id)
  }
  await Promise.all(Array.from({ length: 16 }, sender))
  const writing = (performance.now() - writingAt) / 1000
  ground.startWorker(quickly)
  const ids = () => new Set(endpoint.calls.map((call) => call.event.object.id))
  await until('all have arrived', async () => ids().size >= sent.size, 180)
  assert.deepEqual(
    [...sent].filter((id) => !ids().has(id)),
    [],
  )
  const [first, last] = [endpoint.calls[0], endpoint.calls.at(-1)]
  const delivering = ((last?.at ?? 0) - (first?.at ?? 0)) / 1000
  const twice = endpoint.calls.length - new Set(endpoint.calls.map((call) => call.event.event_id)).size
  t.diagnostic(
    `${sent.size} events written by the API in ${writing.toFixed(1)} s (${Math.round(sent.size / writing)}/s), delivered ` +
      `by one worker to one endpoint in ${delivering.toFixed(1)} s (${Math.round(sent.size / delivering)}/s); twice: ${twice}`,
  )
  assert.equal(twice, 0)
  const left = async () => (await ground.ask(`select count(*) from deliveries where state = 'pending'`))[0]
  await until('all are noted', async () => (await left()) === '0', 30)
})
