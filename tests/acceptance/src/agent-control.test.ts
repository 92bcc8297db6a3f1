import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFifoMode, setUploadLimit } from '@longshore/contract/agent/settings'
import * as wire from '@longshore/contract/agent/uploads'
import { deletePackage, readTeamPackage } from '@longshore/contract/cloud/packages'
import { MiB } from '@longshore/contract/limits'
import { type Agent, isIn, makeFiles, startAgent, untilUpload } from '#agent'
import { refused, show, use } from '#calls'
import { asOwner } from '#portals'
import { sql } from '#members'
import { test } from '#record'
import { target } from '#target'

const team = { team_id: target.team_id }
const nobody = 'http://127.0.0.1:9'
const unlimited = { rate_limit_bps: 0, enabled: false }
// After the first piece of a body nothing more comes for minutes.
const crawling = { rate_limit_bps: 8_000, enabled: true }

/** An agent whose uploads stay where they are, neither finished nor finalized. */
const slow = await startAgent({ args: ['--auto-finalize', 'false', '--chunk-size', String(5 * MiB)] })
await use(setUploadLimit, { body: crawling }, slow.at)

const begin = (agent: Agent, content = randomBytes(MiB)) =>
  use(wire.startUpload, { body: { ...team, paths: [makeFiles({ 'a.bin': content })] } }, agent.at)

const stateOf = async (agent: Agent, upload_id: string) =>
  (await use(wire.readUpload, { params: { upload_id } }, agent.at)).state

test('an upload is paused, stays so, and goes on where it was', async () => {
  const { upload_id } = await begin(slow)
  const params = { upload_id }
  await refused(wire.finalizeUpload, { params }, slow.at, 'upload_not_idle')
  await refused(wire.createUploadLink, { params }, slow.at, 'upload_not_complete')
  assert.deepEqual(await show(wire.pauseUpload, { params }, slow.at), { code: 200 })
  assert.equal(await stateOf(slow, upload_id), 'paused')
  await use(wire.pauseUpload, { params }, slow.at)
  assert.deepEqual(await show(wire.resumeUpload, { params }, slow.at), { code: 200 })
  assert.equal(await stateOf(slow, upload_id), 'transferring')

  await use(setUploadLimit, { body: unlimited }, slow.at)
  await untilUpload(slow, upload_id, isIn('idle'))
  await refused(wire.pauseUpload, { params }, slow.at, 'transfer_not_running')
  await refused(wire.resumeUpload, { params }, slow.at, 'transfer_not_resumable')
  assert.deepEqual(await show(wire.finalizeUpload, { params }, slow.at), { code: 200 })
  assert.equal(await stateOf(slow, upload_id), 'complete')
  await use(wire.finalizeUpload, { params }, slow.at)
  await refused(wire.resumeUpload, { params }, slow.at, 'transfer_not_resumable')
  await use(setUploadLimit, { body: crawling }, slow.at)
})

test('all uploads are paused and resumed, and deleted by state', async () => {
  await use(wire.deleteUploads, {}, slow.at)
  const first = await begin(slow)
  const second = await begin(slow)
  await use(wire.pauseUpload, { params: { upload_id: first.upload_id } }, slow.at)
  assert.deepEqual(await show(wire.pauseUploads, {}, slow.at), { code: 200, affected: 1 })
  assert.deepEqual(await show(wire.resumeUploads, {}, slow.at), { code: 200, affected: 2 })
  await use(wire.pauseUpload, { params: { upload_id: second.upload_id } }, slow.at)
  const query = { states: ['paused', 'complete'] as const }
  assert.equal((await show(wire.deleteUploads, { query: { states: [...query.states] } }, slow.at)).affected, 1)
  assert.equal(await stateOf(slow, first.upload_id), 'transferring')
  await refused(wire.deleteUploads, { query: { states: ['gone'] } }, slow.at, 'validation_failed')

  // A package that nobody will ever finish is taken back.
  const params = { ...team, package_id: second.package_id }
  for (let tries = 0; ; tries++) {
    const { state } = await use(readTeamPackage, { params }, asOwner).catch(() => ({ state: 'gone' }))
    if (state !== 'new') break
    assert.ok(tries < 50, 'the package of a deleted upload is still open')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  for (const endpoint of [wire.pauseUpload, wire.resumeUpload, wire.finalizeUpload]) {
    await refused(endpoint, { params: { upload_id: second.upload_id } }, slow.at, 'upload_not_found')
  }
  await use(wire.deleteUploads, {}, slow.at)
})

test('in FIFO mode the oldest goes first, and a rank changes who is next', async () => {
  const fifo = { enabled: true, active_upload_count: 1, active_download_count: 1 }
  await use(setFifoMode, { body: fifo }, slow.at)
  const ids = [await begin(slow), await begin(slow), await begin(slow)].map(({ upload_id }) => upload_id)
  const standing = async () => {
    const { transfers } = await use(wire.listUploads, {}, slow.at)
    return transfers.toReversed().map(({ fifo_rank, queued }) => [fifo_rank, queued])
  }
  assert.deepEqual(await standing(), [
    [0, false],
    [1, true],
    [2, true],
  ])
  const body = { fifo_rank: 0 }
  assert.deepEqual(await show(wire.setUploadRank, { params: { upload_id: ids[2] ?? '' }, body }, slow.at), body)
  assert.deepEqual(await standing(), [
    [1, true],
    [2, true],
    [0, false],
  ])
  await refused(wire.setUploadRank, { params: { upload_id: randomUUID() }, body }, slow.at, 'upload_not_found')
  await use(wire.pauseUpload, { params: { upload_id: ids[2] ?? '' } }, slow.at)
  assert.deepEqual((await standing())[0], [1, false])

  await use(setFifoMode, { body: { ...fifo, enabled: false } }, slow.at)
  assert.ok((await standing()).every(([, queued]) => queued === false))
  await use(wire.deleteUploads, {}, slow.at)
})

test('who is over has no place in the queue', async () => {
  await use(setUploadLimit, { body: unlimited }, slow.at)
  const { upload_id } = await begin(slow)
  await untilUpload(slow, upload_id, isIn('idle'))
  await use(wire.finalizeUpload, { params: { upload_id } }, slow.at)
  const rank = { params: { upload_id }, body: { fifo_rank: 0 } }
  await refused(wire.setUploadRank, rank, slow.at, 'transfer_not_queued')
  assert.equal((await use(wire.readUpload, { params: { upload_id } }, slow.at)).fifo_rank, -1)
})

test('a file that is gone ends in an error that says so, and goes on when it is back', async () => {
  await use(setUploadLimit, { body: crawling }, slow.at)
  const folder = makeFiles({ 'a.bin': randomBytes(MiB), 'b.bin': 'small' })
  const body = { ...team, paths: [folder] }
  const { upload_id } = await use(wire.startUpload, { body }, slow.at)
  await untilUpload(slow, upload_id, ({ items_total }) => items_total === 3)
  await use(wire.pauseUpload, { params: { upload_id } }, slow.at)
  renameSync(join(folder, 'a.bin'), join(folder, '..', 'away'))
  await use(setUploadLimit, { body: unlimited }, slow.at)
  await use(wire.resumeUpload, { params: { upload_id } }, slow.at)
  const { error, items } = await untilUpload(slow, upload_id, isIn('error'))
  assert.deepEqual([error?.error, error?.recoverable], ['source_gone', true])
  assert.match(error?.message ?? '', /a\.bin/)
  assert.deepEqual(
    items.filter(isIn('error')).map(({ name }) => name),
    ['a.bin'],
  )

  renameSync(join(folder, '..', 'away'), join(folder, 'a.bin'))
  await use(wire.resumeUpload, { params: { upload_id } }, slow.at)
  const idle = await untilUpload(slow, upload_id, isIn('idle'))
  assert.equal(idle.error, undefined)
})

test('a file that changed before its turn is sent as it is, and counted so', async () => {
  for (const content of ['shorter', randomBytes(2 * MiB)]) {
    await use(setUploadLimit, { body: crawling }, slow.at)
    const folder = makeFiles({ 'a.bin': randomBytes(MiB), 'b.bin': 'small' })
    const { upload_id, package_id } = await use(wire.startUpload, { body: { ...team, paths: [folder] } }, slow.at)
    await untilUpload(slow, upload_id, ({ items_total }) => items_total === 3)
    await use(wire.pauseUpload, { params: { upload_id } }, slow.at)
    writeFileSync(join(folder, 'a.bin'), content)
    await use(setUploadLimit, { body: unlimited }, slow.at)
    await use(wire.resumeUpload, { params: { upload_id } }, slow.at)
    const { size, progress, items } = await untilUpload(slow, upload_id, isIn('idle'))
    assert.deepEqual([size, progress], [content.length + 5, content.length + 5])
    assert.deepEqual(items.map((item) => [item.name, item.size, item.progress]).slice(1), [
      ['a.bin', content.length, content.length],
      ['b.bin', 5, 5],
    ])
    await use(wire.finalizeUpload, { params: { upload_id } }, slow.at)
    assert.equal((await use(readTeamPackage, { params: { ...team, package_id } }, asOwner)).size, size)
  }
})

test('an upload whose package was deleted cannot be finalized, linked or resumed', async () => {
  const one = await begin(slow)
  await untilUpload(slow, one.upload_id, isIn('idle'))
  const done = await begin(slow)
  await untilUpload(slow, done.upload_id, isIn('idle'))
  await use(wire.finalizeUpload, { params: { upload_id: done.upload_id } }, slow.at)
  for (const { package_id } of [one, done]) {
    const { access_token: packageToken = '' } = await use(readTeamPackage, { params: { ...team, package_id } }, asOwner)
    await use(deletePackage, { params: { package_id } }, { as: { packageToken } })
  }
  await refused(wire.finalizeUpload, { params: { upload_id: one.upload_id } }, slow.at, 'package_expired')
  await refused(wire.createUploadLink, { params: { upload_id: done.upload_id } }, slow.at, 'package_expired')
  for (const { package_id } of [one, done]) await sql(`delete from packages where id = '${package_id}'`)
  await refused(wire.finalizeUpload, { params: { upload_id: one.upload_id } }, slow.at, 'package_not_found')
  await refused(wire.createUploadLink, { params: { upload_id: done.upload_id } }, slow.at, 'package_not_found')
})

test('a killed agent goes on with what it had, and one that is told not to waits', async () => {
  await use(setUploadLimit, { body: crawling }, slow.at)
  const going = await begin(slow)
  const paused = await begin(slow)
  await use(wire.pauseUpload, { params: { upload_id: paused.upload_id } }, slow.at)
  await slow.stop('SIGKILL')

  const waiting = await slow.again({ args: ['--auto-resume', 'false'] })
  assert.equal(await stateOf(waiting, going.upload_id), 'paused')
  await use(wire.resumeUpload, { params: { upload_id: going.upload_id } }, waiting.at)
  // In the middle of an upload, and in good order: after 5 seconds it would have been ended with another code.
  assert.equal(await waiting.stop(), 0)

  const again = await slow.again({ args: [] })
  assert.equal(await stateOf(again, going.upload_id), 'transferring')
  assert.equal(await stateOf(again, paused.upload_id), 'paused')
  await use(setUploadLimit, { body: unlimited }, again.at)
  await untilUpload(again, going.upload_id, isIn('complete'))
  await use(wire.pauseUploads, {}, again.at)
  await again.stop()
})

test('what needs the cloud says so while it is away', async () => {
  const held = await slow.again({ args: ['--auto-finalize', 'false'] })
  const { upload_id } = await begin(held)
  await untilUpload(held, upload_id, isIn('idle'))
  const done = await begin(held)
  await untilUpload(held, done.upload_id, isIn('idle'))
  await use(wire.finalizeUpload, { params: { upload_id: done.upload_id } }, held.at)
  await held.stop()
  const alone = await slow.again({ cloudUrl: nobody })
  await refused(wire.finalizeUpload, { params: { upload_id } }, alone.at, 'cloud_unreachable')
  await refused(wire.createUploadLink, { params: { upload_id: done.upload_id } }, alone.at, 'cloud_unreachable')
})
