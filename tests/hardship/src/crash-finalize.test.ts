import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerProcess } from '@longshore/stack/longshore/server-process'
import { endOf, type Ground, newGround } from '#ground'
import { allIsWell } from '#invariants'
import { finalizeOne, finalizeWhole, openPackage, type SentPackage, uploadFile } from '#sender'

/** A call that the server does not live to answer. */
async function killedBy(call: Promise<Response>, api: ServerProcess): Promise<void> {
  await assert.rejects(call, TypeError, 'the call was answered')
  assert.equal(await endOf(api), 'SIGKILL')
}

const statesOf = async (ground: Ground, id: string) => [
  ...(await ground.ask(`select state from packages where id = '${id}'`)),
  ...(await ground.ask(`select state from files where package_id = '${id}'`)),
]

test('an API killed around a finalize is healed by the same call sent again', { timeout: 300_000 }, async (t) => {
  const ground = await newGround(t)
  const packages: SentPackage[] = []
  await ground.api.kill()

  for (const [point, left] of [
    // Written down what the object must be; the store was not asked yet.
    ['finalize-file.marked', ['new', 'completing']],
    // The store has joined the parts; nobody wrote that down.
    ['finalize-file.completed', ['new', 'completing']],
    // All is done; only the answer is missing.
    ['finalize-file.committed', ['new', 'finalized']],
  ] as const) {
    await t.test(`killed at ${point}`, async () => {
      const api = await ground.startApi({ LONGSHORE_CRASH_AT: point })
      const pkg = await openPackage(ground)
      const sent = await uploadFile(ground, pkg, 'a', 100_000)
      await killedBy(finalizeOne(ground, pkg, sent), api)
      assert.deepEqual(await statesOf(ground, pkg.id), left)

      const again = await ground.startApi()
      assert.equal((await finalizeOne(ground, pkg, sent)).status, 204)
      assert.equal((await finalizeOne(ground, pkg, sent)).status, 204)
      assert.equal((await finalizeWhole(ground, pkg)).status, 204)
      packages.push({ ...pkg, files: [sent.file] })
      await allIsWell(ground, packages)
      await again.kill()
    })
  }

  await t.test('killed at finalize-package.committed', async () => {
    const api = await ground.startApi({ LONGSHORE_CRASH_AT: 'finalize-package.committed' })
    const pkg = await openPackage(ground)
    const sent = await uploadFile(ground, pkg, 'a', 100_000)
    assert.equal((await finalizeOne(ground, pkg, sent)).status, 204)
    await killedBy(finalizeWhole(ground, pkg), api)
    assert.deepEqual(await statesOf(ground, pkg.id), ['finalized', 'finalized'])

    await ground.startApi()
    assert.equal((await finalizeWhole(ground, pkg)).status, 204)
    packages.push({ ...pkg, files: [sent.file] })
    await allIsWell(ground, packages)
  })
})
