import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createWebhook, listWebhooks } from '@longshore/contract/cloud/webhooks'
import { startEndpoint } from '#endpoint'
import { endOf, newGround, until } from '#ground'
import { deliveriesOf, hook, open, quickly, settled, workingWorker } from '#webhook-scene'

test('an endpoint that fails four times gets the event at the fifth attempt, with the same id and bytes', async (t) => {
  const ground = await newGround(t)
  const endpoint = await startEndpoint(t, (reply, nth) => reply.writeHead(nth < 5 ? 500 : 200).end())
  const { id } = await hook(ground, endpoint.url)
  // A proxy in the environment is not for these calls: it would connect where we may not.
  const proxy = 'http://127.0.0.1:9'
  ground.startWorker({ ...quickly, HTTP_PROXY: proxy, http_proxy: proxy, ALL_PROXY: proxy, NODE_USE_ENV_PROXY: '1' })
  await open(ground)
  await until('it is delivered', settled(ground, id, 'delivered'), 60)
  assert.equal(endpoint.calls.length, 5)
  assert.equal(new Set(endpoint.calls.map((call) => call.headers['webhook-id'])).size, 1)
  assert.equal(new Set(endpoint.calls.map((call) => call.body)).size, 1)
  const [delivery] = await deliveriesOf(ground, id)
  assert.deepEqual([delivery?.attempts, delivery?.response_status, delivery?.error], [5, 200, ''])
})

test('an endpoint that never works is visibly given up after five attempts', async (t) => {
  const ground = await newGround(t)
  const endpoint = await startEndpoint(t, (reply) => reply.destroy())
  const { id } = await hook(ground, endpoint.url)
  ground.startWorker(quickly)
  await open(ground)
  await until('it has failed', settled(ground, id, 'failed'), 60)
  await sleep(2_000)
  assert.equal(endpoint.calls.length, 5)
  const [delivery] = await deliveriesOf(ground, id)
  assert.deepEqual([delivery?.attempts, delivery?.response_status], [5, 0])
  assert.match(delivery?.error ?? '', /the connection failed/)
})

test('an endpoint that hangs is left after 15 s, and delays nobody else', async (t) => {
  const ground = await newGround(t)
  await workingWorker(t, ground)
  const [hanging, healthy] = [await startEndpoint(t, () => {}), await startEndpoint(t)]
  const { id } = await hook(ground, hanging.url)
  await hook(ground, healthy.url)
  for (let nth = 0; nth < 20; nth++) await open(ground)
  await until('the healthy one has everything', async () => healthy.calls.length === 20, 5)
  assert.ok(hanging.calls.length <= 4, `${hanging.calls.length} attempts at once`)
  await until(
    'the first attempts are noted',
    async () => (await deliveriesOf(ground, id)).some((d) => d.attempts > 0),
    25,
  )
  const noted = (await deliveriesOf(ground, id)).find((delivery) => delivery.attempts > 0)
  assert.equal(noted?.error, 'No answer within 15 seconds.')
  assert.equal(noted?.response_status, 0)
})

test('a worker killed after the answer and before it is noted: delivered again, with the same id', async (t) => {
  const ground = await newGround(t)
  const endpoint = await startEndpoint(t)
  const { id } = await hook(ground, endpoint.url)
  const doomed = ground.startWorker({ ...quickly, LONGSHORE_CRASH_AT: 'deliver-webhook.answered:1' })
  await open(ground)
  assert.equal(await endOf(doomed), 'SIGKILL')
  const diedAt = performance.now()
  assert.equal(endpoint.calls.length, 1)
  assert.equal((await deliveriesOf(ground, id))[0]?.state, 'pending')
  ground.startWorker(quickly)
  await until('it is delivered', settled(ground, id, 'delivered'), 60)
  t.diagnostic(`taken up again after ${((performance.now() - diedAt) / 1000).toFixed(1)} s`)
  assert.equal(endpoint.calls.length, 2)
  assert.equal(endpoint.calls[0]?.headers['webhook-id'], endpoint.calls[1]?.headers['webhook-id'])
  assert.equal(endpoint.calls[0]?.body, endpoint.calls[1]?.body)
})

test('a reply of 10 MB is cut and its status counts; a redirect to the metadata address is not followed', async (t) => {
  const ground = await newGround(t)
  const size = 10 * 1024 * 1024
  let taken = 0
  const flooding = await startEndpoint(t, (reply) => {
    const piece = Buffer.alloc(64 * 1024)
    const pour = () => {
      while (!reply.destroyed && taken < size && reply.write(piece)) taken += piece.length
    }
    reply.writeHead(200, { 'content-length': String(size) }).on('error', () => {})
    reply.on('drain', pour)
    pour()
  })
  const redirecting = await startEndpoint(t, (reply) =>
    reply.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  )
  const [flooded, redirected] = [await hook(ground, flooding.url), await hook(ground, redirecting.url)]
  ground.startWorker(quickly)
  await open(ground)
  await until('the flooding one is delivered', settled(ground, flooded.id, 'delivered'), 30)
  await until('the redirecting one has failed', settled(ground, redirected.id, 'failed'), 30)
  assert.ok(taken < size, `${taken} bytes were taken`)
  assert.equal(flooding.calls.length, 1)
  assert.equal(redirecting.calls.length, 5)
  const [delivery] = await deliveriesOf(ground, redirected.id)
  assert.deepEqual(
    [delivery?.response_status, delivery?.error],
    [302, 'The endpoint answered 302: redirects are not followed.'],
  )
})

test('Retry-After is honoured, and 410 switches the webhook off', async (t) => {
  const ground = await newGround(t)
  const busy = await startEndpoint(t, (reply, nth) => {
    if (nth === 1) reply.writeHead(429, { 'retry-after': '4' })
    reply.end()
  })
  const leaving = await startEndpoint(t, (reply) => reply.writeHead(410).end())
  const [patient, left] = [await hook(ground, busy.url), await hook(ground, leaving.url)]
  ground.startWorker(quickly)
  await open(ground)
  await until('the busy one is delivered', settled(ground, patient.id, 'delivered'), 30)
  const [first, second] = busy.calls
  const pause = ((second?.at ?? 0) - (first?.at ?? 0)) / 1000
  assert.ok(pause >= 4 && pause < 10, `${pause} s`)
  await open(ground)
  await until('the busy one has both', async () => busy.calls.length === 3, 30)
  assert.equal(leaving.calls.length, 1)
  const hooks = await ground.client.call(listWebhooks, { params: { team_id: ground.team.team_id } })
  assert.equal(hooks.find((one) => one.id === left.id)?.active, false)
  assert.equal((await deliveriesOf(ground, left.id)).length, 1)
})

test('a target that is not allowed is refused at create, and one that becomes so is not sent to', async (t) => {
  const ground = await newGround(t)
  const inner = createServer((_request, reply) => reply.end()).listen(0, '127.0.0.1')
  await once(inner, 'listening')
  t.after(() => inner.close())
  let connections = 0
  inner.on('connection', () => connections++)
  const { port } = inner.address() as AddressInfo
  const { id } = await hook(ground, `http://127.0.0.1:${port}/`)
  // The operator takes the range back: what was allowed at create is not any more when it is sent.
  ground.startWorker({ ...quickly, LONGSHORE_ALLOWED_PRIVATE_RANGES: '' })
  await open(ground)
  await until('it has failed', settled(ground, id, 'failed'), 30)
  assert.equal((await deliveriesOf(ground, id))[0]?.error, 'Not sent: its address is not public.')
  assert.equal(connections, 0)
  const refused = await ground.client.raw(createWebhook, {
    params: { team_id: ground.team.team_id },
    body: { active: true, events: ['package.created'], method: 'POST', url: 'http://10.0.0.1/' },
  })
  assert.equal(refused.status, 422)
})
