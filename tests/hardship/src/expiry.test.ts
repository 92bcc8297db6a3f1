import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { listFiles } from '@longshore/contract/cloud/files'
import { setPackageExpiry } from '@longshore/contract/cloud/packages'
import { endOf, expireNow, newGround, until } from '#ground'
import { allIsWell, noBytesWithoutOwner, nothingStored } from '#invariants'
import { addressOf, readerOf, sendPackage } from '#sender'

test('a package ends to the second at the door, and a worker that is killed over it does no harm', {
  timeout: 300_000,
}, async (t) => {
  const ground = await newGround(t)
  const [due, kept] = [await sendPackage(ground), await sendPackage(ground)]
  const [file] = due.files
  assert.ok(file !== undefined)
  const reader = await readerOf(ground, due)

  await t.test('without any worker, addresses are given until the end and not after it', async () => {
    const end = Date.now() + 2_000
    await ground.client.call(
      setPackageExpiry,
      { params: { package_id: due.id }, body: { expiry: new Date(end).toISOString() } },
      { credential: due.token },
    )
    let given = 0
    let refused = 0
    while (refused < 5) {
      const askedAt = Date.now()
      const reply = await addressOf(ground, due.id, file.id, reader)
      const answeredAt = Date.now()
      if (reply.ok) {
        given++
        assert.ok(askedAt <= end + 20, `an address was given ${askedAt - end} ms after the end`)
        const { url } = (await reply.json()) as { url: string }
        assert.ok(Number(new URL(url).searchParams.get('X-Amz-Expires')) <= 2)
      } else {
        refused++
        assert.equal(reply.status, 410)
        assert.ok(answeredAt >= end - 20, `refused ${end - answeredAt} ms before the end`)
      }
      await sleep(25)
    }
    assert.ok(given > 10, `only ${given} addresses were given before the end`)
    const listed = await ground.client.raw(listFiles, { params: { package_id: due.id } }, { credential: reader })
    assert.equal(listed.status, 410)
    assert.deepEqual(await ground.ask(`select state from packages where id = '${due.id}'`), ['finalized'])
  })

  await t.test(
    'a worker killed between two batches has ended whole packages only; another ends the rest',
    async (t) => {
      // More than one batch of 500. They never had an object.
      await ground.ask(`
      insert into packages (team_id, id, name, description, state, sender, recipients, expiry, storage_location)
      select '${ground.team.team_id}', gen_random_uuid(), 'made by sql', '', 'finalized', 's', '{}',
             now() - interval '1 second', '${ground.bucket}'
        from generate_series(1, 520)`)
      const left = async () => Number((await ground.ask(`select count(*) from packages where state = 'finalized'`))[0])
      const orders = async () =>
        Number(
          (
            await ground.ask(`select count(distinct data->>'packageId') from queue.job where name = 'purge-package'`)
          )[0],
        )
      const doomed = ground.startWorker({ LONGSHORE_CRASH_AT: 'expire-packages.batch' })
      await ground.ask(expireNow)
      assert.equal(await endOf(doomed), 'SIGKILL')
      assert.equal(await left(), 522 - 500)
      assert.equal(await orders(), 500, 'each ended package has its orders, and no other')

      ground.startWorker()
      const seconds = await until('all that is due has ended', async () => (await left()) === 1, 120)
      t.diagnostic(
        `the rest was ended ${seconds.toFixed(1)} s after the kill, by the next full minute of the timetable`,
      )
      assert.equal(await orders(), 521)
    },
  )

  await t.test('its objects are gone, and the other package is whole', async () => {
    // Ahead of the 520 that have nothing to remove.
    await ground.ask(
      `update queue.job set priority = 1 where name = 'purge-package' and data->>'packageId' = '${due.id}'`,
    )
    const done = `select 1 from queue.job where name = 'purge-package' and data->>'packageId' = '${due.id}' and state = 'completed'`
    await until('the package is purged', async () => (await ground.ask(done)).length > 0, 60)
    await nothingStored(ground, due)
    await noBytesWithoutOwner(ground)
    await allIsWell(ground, [kept])
  })
})
