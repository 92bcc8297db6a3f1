import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { deletePackage } from '@longshore/contract/cloud/packages'
import { objectsIn, prefixOf } from '#bucket'
import { endOf, newGround, until } from '#ground'
import { allIsWell, noBytesWithoutOwner, nothingStored } from '#invariants'
import { fillPackage, finalizeOne, finalizeWhole, openPackage, uploadFile } from '#sender'

test('an API that is told to end answers what it has begun, takes nothing new, and ends with 0', async (t) => {
  const ground = await newGround(t)
  const pkg = await openPackage(ground)
  const sent = await uploadFile(ground, pkg, 'a')
  assert.equal((await finalizeOne(ground, pkg, sent)).status, 204)

  // Somebody holds the package for two seconds, so that finalizing it takes as long.
  const holding = ground.ask(
    `begin; select 1 from packages where id = '${pkg.id}' for update; select pg_sleep(2); commit`,
  )
  const waiting = (many: number) => async () => {
    const query = `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return Number((await ground.ask(query))[0]) === many
  }
  const held = `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
  await until('the package is held', async () => (await ground.ask(held)).length === 1, 5)
  let answered = false
  const slow = finalizeWhole(ground, pkg).finally(() => (answered = true))
  await until('the call waits', waiting(1), 5)

  ground.api.child.kill('SIGTERM')
  await sleep(200)
  assert.equal(answered, false, 'the call was still under way when the end was asked for')
  await assert.rejects(fetch(`${ground.url}/healthz`, { headers: { connection: 'close' } }), TypeError)
  assert.equal((await slow).status, 204)
  assert.equal(await endOf(ground.api), 0)
  await holding

  await ground.startApi()
  await allIsWell(ground, [{ ...pkg, files: [sent.file] }])
})

test('a worker that is told to end loses no job, and ends with 0', { timeout: 300_000 }, async (t) => {
  const ground = await newGround(t)
  const pkg = await openPackage(ground)
  await fillPackage(ground, pkg, 1_200, 2)
  const prefix = prefixOf(ground.team.team_id, pkg.id)
  await ground.client.call(deletePackage, { params: { package_id: pkg.id } }, { credential: pkg.token })
  const job = `name = 'purge-package' and data->>'packageId' = '${pkg.id}' and (data->>'last')::boolean = false`
  const state = async () => (await ground.ask(`select state from queue.job where ${job}`))[0]

  const worker = ground.startWorker()
  await until('the job has begun', async () => (await state()) === 'active', 30)
  const askedAt = performance.now()
  worker.child.kill('SIGTERM')
  assert.equal(await endOf(worker), 0)
  t.diagnostic(
    `ended after ${((performance.now() - askedAt) / 1000).toFixed(1)} s with ${(await objectsIn(ground, prefix)).length} objects left; the job is ${await state()}`,
  )
  assert.notEqual(await state(), 'active', 'nobody has to wait for the heartbeat of a worker that said goodbye')

  ground.startWorker()
  await until('the job is done', async () => (await state()) === 'completed', 60)
  await nothingStored(ground, pkg)
  await noBytesWithoutOwner(ground)
  await allIsWell(ground)
})
