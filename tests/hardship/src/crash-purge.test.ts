import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { deletePackage } from '@longshore/contract/cloud/packages'
import type { ServerProcess } from '@longshore/stack/longshore/server-process'
import { objectsIn, openUploadsIn, prefixOf } from '#bucket'
import { endOf, type Ground, newGround, until } from '#ground'
import { allIsWell, noBytesWithoutOwner, nothingStored } from '#invariants'
import { fillPackage, type OpenPackage, openPackage, sendPackage } from '#sender'

const job = (pkg: OpenPackage, last: boolean) =>
  `name = 'purge-package' and data->>'packageId' = '${pkg.id}' and (data->>'last')::boolean = ${last}`

const stateOf = async (ground: Ground, pkg: OpenPackage) =>
  (await ground.ask(`select state from queue.job where ${job(pkg, false)}`))[0]

/** Waits inside the database: by the time a client has asked twice, a purge may be over. At most 90 seconds. */
const untilBegun = (pkg: OpenPackage) => `
  do $$ begin
    for look in 1..45000 loop
      exit when exists (select from queue.job where ${job(pkg, false)} and state = 'active');
      perform pg_sleep(0.002);
    end loop;
  end $$`

/**
 * Deletes a full package, lets a worker die over it, and measures how long another takes to be at it again.
 * What must be true in the end does not depend on where the first one died.
 */
async function killedOver(
  t: TestContext,
  objects: number,
  die: (ground: Ground, pkg: OpenPackage) => Promise<ServerProcess>,
): Promise<void> {
  const ground = await newGround(t)
  const bystander = await sendPackage(ground)
  const pkg = await openPackage(ground)
  const fillingAt = performance.now()
  await fillPackage(ground, pkg, objects, 3)
  t.diagnostic(`${objects} objects stored in ${((performance.now() - fillingAt) / 1000).toFixed(1)} s`)
  const prefix = prefixOf(ground.team.team_id, pkg.id)
  assert.equal((await objectsIn(ground, prefix)).length, objects)
  assert.equal((await openUploadsIn(ground, prefix)).length, 3)
  await ground.client.call(deletePackage, { params: { package_id: pkg.id } }, { credential: pkg.token })

  const dead = await die(ground, pkg)
  assert.equal(await endOf(dead), 'SIGKILL')
  const diedAt = performance.now()
  const left = (await objectsIn(ground, prefix)).length
  assert.equal(await stateOf(ground, pkg), 'active', 'the job was left in the middle')

  ground.startWorker()
  const retried = `select 1 from queue.job where ${job(pkg, false)} and retry_count > 0 and started_on is not null and state in ('active', 'completed')`
  await until('another worker has taken the job up', async () => (await ground.ask(retried)).length === 1, 90)
  const taken = (performance.now() - diedAt) / 1000
  await until('the job is done', async () => (await stateOf(ground, pkg)) === 'completed', 60)
  t.diagnostic(`${left} of ${objects} objects were left; taken up again after ${taken.toFixed(1)} s`)
  assert.ok(taken < 60, `taken up again after ${taken} s`)
  await nothingStored(ground, pkg)

  // The second pass comes long after; it is brought forward here. It also forgets the rows.
  const rows = async () => (await ground.ask(`select count(*) from files where package_id = '${pkg.id}'`))[0]
  assert.equal(await rows(), String(objects + 3))
  await ground.ask(`update queue.job set start_after = now() where ${job(pkg, true)}`)
  await until('the rows are gone', async () => (await rows()) === '0', 60)
  await noBytesWithoutOwner(ground)
  await allIsWell(ground, [bystander])
}

const dieAt = (point: string) => async (ground: Ground) => {
  const worker = ground.startWorker({ LONGSHORE_CRASH_AT: point })
  await worker.ended
  return worker
}

test('a worker killed over a purge: another takes it up and leaves nothing', {
  concurrency: true,
  timeout: 300_000,
}, async (t) => {
  const pause = randomInt(200)
  await Promise.all([
    t.test('killed after the second batch of 2,500 objects', (t) =>
      killedOver(t, 2_500, dieAt('purge-package.batch:2')),
    ),
    t.test('killed when all objects were gone', (t) => killedOver(t, 100, dieAt('purge-package.objects'))),
    t.test(`killed ${pause} ms into the job`, (t) =>
      killedOver(t, 1_100, async (ground, pkg) => {
        const worker = ground.startWorker()
        await ground.ask(untilBegun(pkg))
        await sleep(pause)
        await worker.kill()
        return worker
      }),
    ),
  ])
})
