import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { setWorkers } from '@longshore/contract/agent/settings'
import { MiB } from '@longshore/contract/limits'
import { newAgentGround, sha256Of, writeRandom } from '#agent-ground'

const run = promisify(execFile)

test('a download that fills the disk says so, and goes on where it was once there is room', async (t) => {
  const ground = await newAgentGround(t)
  const source = join(ground.folder, 'reel.mov')
  const size = 40 * MiB
  await writeRandom(source, size)
  const into = await mkdtemp(join(tmpdir(), 'longshore-small-disk-'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', into])
  } catch (error) {
    t.skip(`This machine lets us mount nothing: ${(error as Error).message}`)
    return
  }
  t.after(async () => {
    await ground.kill()
    await run('umount', [into])
    await rm(into, { recursive: true })
  })

  // Two stretches at a time, so that some are whole before the disk is full.
  await ground.local().call(setWorkers, { body: { upload: 8, download: 2 } })
  const uploadId = await ground.send([source])
  assert.equal((await ground.uploaded(uploadId)).state, 'complete')
  const id = await ground.fetch(uploadId, into)
  const full = await ground.downloaded(id)
  assert.equal(full.state, 'error')
  assert.match(full.error?.message ?? '', /no room/)
  assert.equal(full.error?.recoverable, true)

  const before = ground.proxy.bytes.down
  await run('mount', ['-o', 'remount,size=64m', into])
  await ground.resumeDownload(id)
  const done = await ground.downloaded(id)
  assert.equal(done.state, 'complete', JSON.stringify(done.error))
  assert.equal(await sha256Of(join(into, 'reel.mov')), await sha256Of(source))
  assert.ok(ground.proxy.bytes.down - before < size, 'what had arrived was not fetched again')
})

test('an agent whose own disk is full still answers, and goes on once there is room', async (t) => {
  const ground = await newAgentGround(t)
  const source = join(ground.folder, 'reel.mov')
  await writeRandom(source, 12 * MiB)
  await ground.kill()
  const state = join(ground.folder, 'state')
  await rm(state, { recursive: true })
  await mkdir(state, { mode: 0o700 })
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=0700', 'tmpfs', state])
  } catch (error) {
    t.skip(`This machine lets us mount nothing: ${(error as Error).message}`)
    return
  }
  try {
    await ground.start()
    const { held, release } = ground.proxy.hold()
    const id = await ground.send([source])
    await held
    const filler = join(state, 'filler')
    await assert.rejects(writeRandom(filler, 16 * MiB), { code: 'ENOSPC' })
    release()
    for (let look = 0; look < 20; look++) {
      assert.equal((await ground.upload(id)).state, 'transferring')
      await sleep(100)
    }

    await rm(filler)
    const upload = await ground.uploaded(id)
    assert.equal(upload.state, 'complete', JSON.stringify(upload.error))
  } finally {
    await ground.kill()
    await run('umount', [state])
  }
})
