import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { listFiles, waybill } from '@longshore/contract/cloud/files'
import { endOf, type Ground, newGround, until } from '#ground'
import { allIsWell } from '#invariants'
import { type OpenPackage, sendPackage } from '#sender'

const listed = (ground: Ground, pkg: OpenPackage) =>
  ground.client.call(listFiles, { params: { package_id: pkg.id } }, { credential: pkg.token })

const filesOf = async (ground: Ground, pkg: OpenPackage) =>
  (await listed(ground, pkg)).filter(({ kind }) => kind === 'file')

const waybillOf = (ground: Ground, pkg: OpenPackage) =>
  ground.client.call(waybill, { params: { package_id: pkg.id } }, { credential: pkg.token })

const allVerified = (ground: Ground, pkg: OpenPackage) => async () =>
  (await filesOf(ground, pkg)).every(({ integrity, scan }) => integrity === 'verified' && scan === 'clean')

suite('a worker killed over what was stored', { concurrency: true }, () => {
  test('a worker killed over an inspection: nothing is called clean, and another reads the files again', async (t) => {
    const ground = await newGround(t)
    const pkg = await sendPackage(ground)
    const dying = ground.startWorker({ LONGSHORE_CRASH_AT: 'inspect.read:1' })
    assert.equal(await endOf(dying), 'SIGKILL')
    assert.ok(
      (await filesOf(ground, pkg)).every(({ scan, integrity }) => scan === 'pending' && integrity === 'pending'),
    )
    assert.equal((await waybillOf(ground, pkg)).verified, false)
    ground.startWorker()
    const taken = await until('another worker has read them', allVerified(ground, pkg), 60)
    t.diagnostic(`taken up again after ${taken.toFixed(1)} s`)
    const { verified, files } = await waybillOf(ground, pkg)
    assert.equal(verified, true)
    assert.deepEqual(
      files.map(({ sha256 }) => sha256),
      pkg.files.map(({ sha256 }) => sha256),
    )
    await allIsWell(ground, [pkg])
  })

  test('a worker killed while it freezes a long list: the list reads the same at every moment', async (t) => {
    const ground = await newGround(t)
    const pkg = await sendPackage(ground)
    // Rows as adding and reading so many files leaves them.
    await ground.ask(`
      insert into files (team_id, package_id, id, kind, path, name, size, last_modified, chunk_size, state, object_key,
                         sha256, crc32, scan, inspected_at)
      select team_id, id, new_id(), 'file', 'many', 'clip ' || n, 0, now(), 1, 'finalized', 'none/' || n,
             sha256(''), '\\x00000000', 'clean', now()
        from packages, generate_series(1, 4500) n where id = '${pkg.id}'`)
    const live = async () => (await ground.ask(`select count(*) from files where package_id = '${pkg.id}'`))[0]
    const atOnce = { LONGSHORE_FREEZE_AFTER_SECONDS: '0' }
    const dying = ground.startWorker({ ...atOnce, LONGSHORE_CRASH_AT: 'freeze-files.block:2' })
    assert.equal(await endOf(dying), 'SIGKILL')
    const whole = 4_500 + pkg.files.length
    assert.equal(await live(), String(whole - 2_000))
    const half = await waybillOf(ground, pkg)
    assert.equal(half.files.length, whole)
    ground.startWorker(atOnce)
    const taken = await until('the rest is frozen', async () => (await live()) === '0', 60)
    t.diagnostic(`the rest was frozen after ${taken.toFixed(1)} s`)
    assert.deepEqual(await waybillOf(ground, pkg), half)
    assert.equal((await filesOf(ground, pkg)).length, whole)
  })
})
