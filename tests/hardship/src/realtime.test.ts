import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@longshore/client/client'
import { createLink } from '@longshore/contract/cloud/links'
import { packageEvents } from '@longshore/contract/cloud/realtime'
import { endOf, freePort, newGround, until } from '#ground'
import { type Listening, listen } from '#listening'
import { openPackage } from '#sender'

/** Two API processes of one installation. */
async function twoProcesses(t: TestContext) {
  const ground = await newGround(t)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const second = await ground.startApi({ LONGSHORE_LISTEN: `127.0.0.1:${port}` })
  const serves = () =>
    fetch(`${url}/readyz`).then(
      (reply) => reply.ok,
      () => false,
    )
  await until('the second process serves', serves, 60)
  return { ground, second, secondUrl: url }
}

const changeIds = ({ events }: Listening) =>
  events
    .filter(({ type }) => type === 'link.created')
    .map(({ data }) => (JSON.parse(data) as { event_id: string }).event_id)

const lastId = ({ events }: Listening) => events.findLast(({ id }) => id !== '')?.id

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  test(`an API process ended by ${signal}: who followed there goes on at the other and misses nothing`, async (t) => {
    const { ground, secondUrl } = await twoProcesses(t)
    const pkg = await openPackage(ground)
    const params = { package_id: pkg.id }
    const first = await listen(t, ground.url, packageEvents, { params }, pkg.token)

    // Changes go on at the other process all the while.
    const elsewhere = createClient({ baseUrl: secondUrl, credential: pkg.token })
    const total = 60
    const changing = (async () => {
      for (let nth = 0; nth < total; nth++) {
        await elsewhere.call(createLink, { params, body: {} })
        await sleep(10)
      }
    })()
    await until('some changes are told', async () => changeIds(first).length >= 10, 20)
    const askedAt = performance.now()
    ground.api.child.kill(signal)
    const end = await endOf(ground.api)
    const seconds = (performance.now() - askedAt) / 1000
    assert.equal(end, signal === 'SIGTERM' ? 0 : 'SIGKILL')
    t.diagnostic(`ended after ${seconds.toFixed(2)} s with an open stream`)
    assert.ok(seconds < 10, 'open streams hold up nothing')
    await until('the stream is over', async () => first.ended(), 10)
    const heard = changeIds(first).length
    assert.ok(heard < total, 'it ended in the middle')

    const back = await listen(t, secondUrl, packageEvents, { params }, pkg.token, lastId(first))
    await changing
    const all = await ground.ask(
      `select id from events where package_id = '${pkg.id}' and type = 'link.created' order by id`,
    )
    assert.equal(all.length, total)
    await until('everything is told', async () => changeIds(back).length + heard >= total, 20)
    assert.deepEqual([...changeIds(first), ...changeIds(back)], all, 'each once, in its order')
    assert.equal(back.types().includes('stream.missed'), false)
  })
}
