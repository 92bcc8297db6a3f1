import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Lanes } from '#domain/webhooks/lanes'
import { testCx } from '#test-kit/cx'
import { type Endpoint, startEndpoint } from '#test-kit/endpoint'
import { makePackage, makeTeam } from '#test-kit/make'
import { deliveries, makeWebhook } from '#test-kit/webhooks'
import { startCourier } from './courier.ts'

async function untilHeard(endpoint: Endpoint, count: number): Promise<void> {
  const deadline = Date.now() + 10_000
  while (endpoint.calls.length < count) {
    if (Date.now() > deadline) throw new Error(`Only ${endpoint.calls.length} of ${count} calls came.`)
    await sleep(5)
  }
}

test('a courier that is woken delivers at once, more than it may take at once too, each once', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const endpoint = await startEndpoint(t)
  await makeWebhook(cx, team, { url: endpoint.url, events: ['package.created'] })
  const courier = startCourier(cx, new Lanes({ slots: 3, each: 2, answering: 2, hung: 1 }))
  await Promise.all(Array.from({ length: 20 }, () => makePackage(cx, { team })))
  await untilHeard(endpoint, 20)
  await courier.stop()
  assert.equal(new Set(endpoint.calls.map((call) => call.headers['webhook-id'])).size, 20)
  assert.equal(endpoint.calls.length, 20)
  assert.ok((await deliveries(cx)).every(({ state, attempts }) => state === 'delivered' && attempts === 1))
})

test('an endpoint that hangs keeps its share of the slots and no more', async (t) => {
  const cx = await testCx(t)
  const [stuck, well] = [await makeTeam(cx), await makeTeam(cx)]
  const [hanging, healthy] = [await startEndpoint(t, () => {}), await startEndpoint(t)]
  await makeWebhook(cx, stuck, { url: hanging.url, events: ['package.created'] })
  await makeWebhook(cx, well, { url: healthy.url, events: ['package.created'] })
  for (let nth = 0; nth < 10; nth++) await makePackage(cx, { team: stuck })
  const courier = startCourier(cx, new Lanes({ slots: 4, each: 2, answering: 2, hung: 1 }))
  t.after(async () => {
    await cx.hooks.close()
    await courier.stop()
  })
  await untilHeard(hanging, 2)
  for (let nth = 0; nth < 10; nth++) await makePackage(cx, { team: well })
  await untilHeard(healthy, 10)
  assert.equal(hanging.calls.length, 2)
})

test('a courier that is stopped ends what it has begun and begins nothing more', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const endpoint = await startEndpoint(t, (reply) => void setTimeout(() => reply.end(), 300))
  await makeWebhook(cx, team, { url: endpoint.url, events: ['package.created'] })
  const courier = startCourier(cx)
  await makePackage(cx, { team })
  await untilHeard(endpoint, 1)
  const stopped = courier.stop()
  await makePackage(cx, { team })
  await stopped
  assert.deepEqual(
    (await deliveries(cx)).map(({ state }) => state),
    ['delivered', 'pending'],
  )
  assert.equal(endpoint.calls.length, 1)
})
