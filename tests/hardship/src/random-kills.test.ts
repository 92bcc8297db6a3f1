import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { deletePackage } from '@longshore/contract/cloud/packages'
import { newGround, until } from '#ground'
import { allIsWell, noBytesWithoutOwner, nothingStored } from '#invariants'
import { type SentPackage, sendStubbornly, stubbornly } from '#sender'

const clients = 8
const kills = 10

/** Mulberry32: small, and the same on every machine. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

test('whatever is killed whenever, what was acknowledged is there', { timeout: 600_000 }, async (t) => {
  const seed = Number(process.env['LONGSHORE_SEED'] ?? randomInt(2 ** 31))
  const chance = seeded(seed)
  console.log(`seed ${seed} (repeat with LONGSHORE_SEED=${seed})`)
  const ground = await newGround(t)
  let api = ground.api
  let worker = ground.startWorker()

  const sent: SentPackage[] = []
  const deleted: SentPackage[] = []
  const enough = new AbortController()
  const client = async () => {
    while (!enough.signal.aborted) {
      const pkg = await sendStubbornly(ground)
      // One in four is deleted again, so that the worker has something to be killed over.
      if (chance() < 0.25) {
        await stubbornly(() =>
          ground.client.call(deletePackage, { params: { package_id: pkg.id } }, { credential: pkg.token }),
        )
        deleted.push(pkg)
      } else {
        sent.push(pkg)
      }
    }
  }
  const working = Promise.all(Array.from({ length: clients }, client))
  // A client that fails ends the run at once, and not after all kills.
  const failed = new AbortController()
  working.catch(() => failed.abort())

  for (let kill = 0; kill < kills && !failed.signal.aborted; kill++) {
    await sleep(300 + chance() * 1200)
    if (chance() < 0.7) {
      await api.kill()
      api = await ground.startApi()
    } else {
      await worker.kill()
      worker = ground.startWorker()
    }
  }
  enough.abort()
  await working
  console.log(`${kills} kills; ${sent.length} packages kept and ${deleted.length} deleted, all acknowledged`)
  assert.ok(sent.length >= 8, `only ${sent.length} packages got through, which proves little`)

  const unfinished = `select 1 from queue.job where name = 'purge-package' and (data->>'last') = 'false' and state <> 'completed'`
  const seconds = await until(
    'every deleted package is purged',
    async () => (await ground.ask(unfinished)).length === 0,
    90,
  )
  console.log(`the last purge was done ${seconds.toFixed(1)} s after the last kill`)
  for (const pkg of deleted) await nothingStored(ground, pkg)
  await noBytesWithoutOwner(ground)
  await allIsWell(ground, sent)

  const states = await ground.ask(`select state, count(*) from packages group by state order by state`)
  const expected = [...(deleted.length > 0 ? [`expired|${deleted.length}`] : []), `finalized|${sent.length}`]
  assert.deepEqual(states, expected, 'no package was made twice, and none is there that nobody knows of')
})
