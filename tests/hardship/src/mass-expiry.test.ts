import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileUrl } from '@longshore/contract/cloud/files'
import { lookUpLink } from '@longshore/contract/cloud/links'
import { type BulkPackage, insertPackages, storeBytes } from '@longshore/stack/longshore/bulk-packages'
import { objectsIn } from '#bucket'
import { endOf, expireNow, type Ground, newGround, until } from '#ground'
import { allIsWell } from '#invariants'
import { sendPackage } from '#sender'

const count = 3_000

const openLink = (ground: Ground, pkg: BulkPackage) =>
  ground.client.raw(
    lookUpLink,
    { params: { link_id: pkg.linkId }, query: { secret: pkg.id } },
    { credential: undefined },
  )

const askAddress = (ground: Ground, pkg: BulkPackage, packageToken: string) =>
  ground.client.raw(fileUrl, { params: { package_id: pkg.id, file_id: pkg.fileId } }, { credential: { packageToken } })

const countOf = async (ground: Ground, query: string) => Number((await ground.ask(`select count(*) ${query}`))[0])
const purges = (ground: Ground, last: boolean) =>
  countOf(
    ground,
    `from queue.job where name = 'purge-package' and (data->>'last')::boolean = ${last} and state = 'completed'`,
  )

test(`${count} packages that end at one instant: none is reached after it, none leaves a byte, whoever is killed`, {
  timeout: 600_000,
}, async (t) => {
  const ground = await newGround(t)
  const bystander = await sendPackage(ground)
  const farAhead = new Date(Date.now() + 3_600_000)
  const packages = await insertPackages(ground.databaseUrl, {
    teamId: ground.team.team_id,
    bucket: ground.bucket,
    count,
    expiry: farAhead,
  })
  await storeBytes(
    ground.stack,
    ground.bucket,
    packages.map(({ key }) => key),
  )
  const watched = packages.filter((_, index) => index % 60 === 0)
  const readers = new Map<string, string>()

  await t.test(
    'until the instant links open and addresses are given, after it neither, without any worker',
    async () => {
      for (const pkg of watched) {
        const opened = await openLink(ground, pkg)
        assert.equal(opened.status, 200)
        readers.set(pkg.id, ((await opened.json()) as { package_token: string }).package_token)
        assert.equal((await askAddress(ground, pkg, readers.get(pkg.id) ?? '')).status, 200)
      }
      const end = Date.now() + 1_000
      const all = `name = 'made by sql'`
      await ground.ask(`update packages set expiry = '${new Date(end).toISOString()}' where ${all}`)
      await sleep(Math.max(0, end - Date.now()) + 5)
      for (const pkg of watched) {
        assert.equal((await openLink(ground, pkg)).status, 410)
        assert.equal((await askAddress(ground, pkg, readers.get(pkg.id) ?? '')).status, 410)
      }
      assert.equal(await countOf(ground, `from packages where ${all} and state = 'finalized'`), count)
    },
  )

  await t.test('workers are killed three times on the way; the objects go all the same', async (t) => {
    await ground.ask(expireNow)
    const beganAt = performance.now()
    const milestones: readonly (() => Promise<boolean>)[] = [
      async () => (await countOf(ground, `from packages where state = 'expired'`)) >= count / 3,
      async () => (await purges(ground, false)) >= count / 10,
      async () => (await purges(ground, false)) >= count / 2,
    ]
    for (const [index, reached] of milestones.entries()) {
      const doomed = ground.startWorker()
      await until(`milestone ${index + 1}`, reached, 180)
      await doomed.kill()
      assert.equal(await endOf(doomed), 'SIGKILL')
    }
    ground.startWorker()
    await until('all are purged', async () => (await purges(ground, false)) === count, 180)
    const seconds = (performance.now() - beganAt) / 1000
    // Jobs that are fetched together are done together. Those of the dead say nothing about the rate: they come back when
    // their silence was noticed.
    const [rate] = await ground.ask(`
      select round(sum(jobs) / sum(seconds))
        from (select count(*) as jobs, extract(epoch from completed_on - started_on) as seconds
                from queue.job where name = 'purge-package' and state = 'completed' and retry_count = 0
               group by started_on, completed_on) batches`)
    t.diagnostic(
      `${count} packages ended and purged in ${seconds.toFixed(0)} s with three kills; ${rate}/s in each of two lanes`,
    )
    assert.equal((await objectsIn(ground)).length, bystander.files.length)
  })

  await t.test('each ended once, the second pass forgets the files, and the reconciler finds nothing', async (t) => {
    assert.equal(await countOf(ground, `from events where type = 'package.expired'`), count)
    await ground.ask(`update queue.job set start_after = now() where name = 'purge-package' and state = 'created'`)
    const beganAt = performance.now()
    await until('the second pass is through', async () => (await purges(ground, true)) === count, 180)
    t.diagnostic(`the second pass: ${(count / ((performance.now() - beganAt) / 1000)).toFixed(0)}/s`)
    assert.equal(await countOf(ground, 'from files'), bystander.files.length)
    const { code, output } = await ground.operate('reconcile', '--older-than', '0')
    assert.equal(code, 0, output)
    const files = bystander.files.length
    assert.deepEqual(JSON.parse(output.split('\n').find((line) => line.startsWith('{"objects"')) ?? ''), {
      objects: files,
      files,
      orphans: 0,
      orphan_bytes: 0,
      orphan_uploads: 0,
      removed: 0,
      missing: 0,
      foreign_objects: 0,
    })
    await allIsWell(ground, [bystander])
  })
})
