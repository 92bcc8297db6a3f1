import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { deletePackage, readPackage } from '@longshore/contract/cloud/packages'
import { teamEvents } from '@longshore/contract/cloud/realtime'
import { MiB } from '@longshore/contract/limits'
import { destroy, up } from '@longshore/stack/stack'
import { newAgentGround, sha256Of, writeRandom } from '#agent-ground'
import { newGround, sharedStack, until } from '#ground'
import { allIsWell, noBytesWithoutOwner, nothingStored } from '#invariants'
import { listen } from '#listening'
import {
  finalizeOne,
  finalizeWhole,
  openPackage,
  type SentPackage,
  sendPackage,
  sendStubbornly,
  uploadFile,
} from '#sender'

const say = () => {}

// The gate shows it short; a minute by LONGSHORE_AWAY_SECONDS=60.
const awayMs = Number(process.env['LONGSHORE_AWAY_SECONDS'] ?? 2) * 1000

async function ended(pid: number): Promise<void> {
  const isThere = () => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  await until(`process ${pid} has ended`, async () => !isThere(), 30)
}

test('engines that go away and come back', { timeout: 900_000 }, async (t) => {
  // A stack of its own: nobody else's engines are stopped.
  const data = await mkdtemp(join(tmpdir(), 'hard-'))
  const portBase = (await sharedStack()).port_base + 100
  const ground = await up({ data, portBase, say })
    .then((stack) => newGround(t, stack))
    .finally(() => t.after(() => destroy({ data })))
  const worker = ground.startWorker()
  // One that is still starting may give up when the database goes; what is under test is one that works.
  await until('the worker works', async () => (await readFile(worker.logFile, 'utf8')).includes('"msg":"working"'), 60)
  const sent: SentPackage[] = []

  const stop = async (engine: string, signal: NodeJS.Signals) => {
    const pid = (await up({ data, say })).pids[engine]
    assert.ok(pid !== undefined)
    process.kill(pid, signal)
    await ended(pid)
  }
  const alive = () =>
    assert.deepEqual(
      [ground.api, worker].map(({ child }) => child.exitCode ?? child.signalCode),
      [null, null],
      'the server lives on',
    )

  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    await t.test(`PostgreSQL ended by ${signal} and restarted in the middle of uploads`, async (t) => {
      const enough = new AbortController()
      const client = async () => {
        do sent.push(await sendStubbornly(ground))
        while (!enough.signal.aborted)
      }
      const working = Promise.all(Array.from({ length: 4 }, client))
      working.catch(() => {})
      await sleep(500)
      await stop('postgres', signal)
      await sleep(500)
      const reply = await ground.client.raw(
        readPackage,
        { params: { package_id: crypto.randomUUID() } },
        { credential: { apiKey: ground.team.api_key } },
      )
      assert.ok(reply.status === 503 || reply.status === 401, String(reply.status))
      await up({ data, say })
      const seconds = await until('the API is ready', async () => (await fetch(`${ground.url}/readyz`)).ok, 30)
      t.diagnostic(`ready ${seconds.toFixed(1)} s after the database`)
      await sleep(500)
      enough.abort()
      await working
      alive()
      await allIsWell(ground)
    })
  }

  await t.test('the worker works on after the database was away', async () => {
    const pkg = sent.pop()
    assert.ok(pkg !== undefined)
    await ground.client.call(deletePackage, { params: { package_id: pkg.id } }, { credential: pkg.token })
    const done = `select 1 from queue.job where name = 'purge-package' and data->>'packageId' = '${pkg.id}' and state = 'completed'`
    await until('the package is purged', async () => (await ground.ask(done)).length === 1, 60)
    await nothingStored(ground, pkg)
  })

  await t.test('without Redis every call is served as before', async (t) => {
    const team = { params: { team_id: ground.team.team_id } }
    const reader = await listen(t, ground.url, teamEvents, team, { apiKey: ground.team.api_key })
    await stop('redis', 'SIGKILL')
    const startedAt = performance.now()
    sent.push(await sendPackage(ground))
    const seconds = (performance.now() - startedAt) / 1000
    t.diagnostic(`a package took ${seconds.toFixed(2)} s`)
    assert.ok(seconds < 5)
    assert.equal((await fetch(`${ground.url}/readyz`)).status, 200)
    const heard = async (pkg: SentPackage | undefined) =>
      until('the stream tells of it', async () => reader.toldOf(pkg?.id ?? '').includes('package.finalized'), 10)
    await heard(sent.at(-1))
    await up({ data, say })
    // Redis has forgotten everything, and others may have said something that we could not hear.
    await until('the stream tells that it has recovered', async () => reader.types().includes('stream.missed'), 20)
    sent.push(await sendPackage(ground))
    await heard(sent.at(-1))
    assert.equal(reader.ended(), false, 'the stream has been open all the time')
    alive()
  })

  await t.test('without storage a finalize says when to come back, and then it works', async () => {
    const pkg = await openPackage(ground)
    const file = await uploadFile(ground, pkg, 'a')
    await stop('radosgw', 'SIGTERM')
    const refused = await finalizeOne(ground, pkg, file)
    assert.equal(refused.status, 503)
    assert.ok(Number(refused.headers.get('retry-after')) >= 1)
    assert.equal(((await refused.json()) as { error: string }).error, 'storage_unavailable')
    assert.equal((await fetch(`${ground.url}/readyz`)).status, 503)
    // What needs no storage is served.
    const reply = await ground.client.raw(readPackage, { params: { package_id: pkg.id } }, { credential: pkg.token })
    assert.equal(reply.status, 200)

    await up({ data, say })
    assert.equal((await finalizeOne(ground, pkg, file)).status, 204)
    assert.equal((await finalizeWhole(ground, pkg)).status, 204)
    sent.push({ ...pkg, files: [file.file] })
    alive()
  })

  await t.test('an agent goes on by itself after the store, the cloud and the database were away', async (t) => {
    const agent = await newAgentGround(t, 1, ground.stack)
    let { api } = agent.ground
    const outages = {
      store: async () => {
        await stop('radosgw', 'SIGTERM')
        await sleep(awayMs)
        await up({ data, say })
      },
      cloud: async () => {
        await api.kill()
        await sleep(awayMs)
        api = await agent.ground.startApi()
      },
      database: async () => {
        await stop('postgres', 'SIGKILL')
        await sleep(awayMs)
        await up({ data, say })
      },
    }
    for (const [what, outage] of Object.entries(outages)) {
      const into = join(agent.folder, what)
      await mkdir(into)
      const source = join(agent.folder, `${what}.mov`)
      await writeRandom(source, 24 * MiB)
      /** Has it happen while a transfer stands in the middle. */
      const inTheMiddleOf = async (begin: () => Promise<string>) => {
        const { held, release } = agent.proxy.hold()
        const id = await begin()
        await held
        const over = outage()
        release()
        await over
        return id
      }
      const up = await inTheMiddleOf(() => agent.send([source]))
      const backAt = performance.now()
      const upload = await agent.uploaded(up)
      assert.equal(upload.state, 'complete', `${what}: ${JSON.stringify(upload.error)}`)
      const uploadSeconds = (performance.now() - backAt) / 1000
      const download = await agent.downloaded(await inTheMiddleOf(() => agent.fetch(up, into)))
      assert.equal(download.state, 'complete', `${what}: ${JSON.stringify(download.error)}`)
      assert.equal(await sha256Of(join(into, `${what}.mov`)), await sha256Of(source))
      t.diagnostic(`${what} away for ${awayMs / 1000} s: up ${uploadSeconds.toFixed(1)} s after it was back`)
    }
  })

  await noBytesWithoutOwner(ground)
  await allIsWell(ground, sent)
})
