import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import * as wire from '@longshore/contract/agent/settings'
import { type Agent, makeFiles, sendAsTeam, startAgent } from '#agent'
import { ask, refused, show, use } from '#calls'
import { test } from '#record'

let agent = await startAgent()

const disk = (priority: string, readers: number, writers: number) => ({
  priority: priority as 'prioritize_writes',
  max_concurrent_readers: readers,
  max_concurrent_writers: writers,
})

/** All of what is kept, as the agent shows it. */
const everything = async ({ at }: Agent) =>
  Promise.all([
    use(wire.readDiskDefault, {}, at),
    use(wire.readFifoMode, {}, at),
    use(wire.readWorkers, {}, at),
    use(wire.readUploadLimit, {}, at),
    use(wire.readDownloadLimit, {}, at),
  ])

test('a new agent is set as the specification says', async () => {
  assert.deepEqual(await show(wire.readDiskDefault, {}, agent.at), disk('mixed_read_writes', 8, 8))
  assert.deepEqual(await show(wire.readFifoMode, {}, agent.at), {
    enabled: false,
    active_upload_count: 1,
    active_download_count: 1,
  })
  assert.deepEqual(await show(wire.readWorkers, {}, agent.at), { upload: 8, download: 8 })
  const noLimit = {
    rate_limit_bps: 0,
    enabled: false,
    schedule_enabled: false,
    schedule: {},
    active_now: false,
    effective_bps: null,
  }
  assert.deepEqual(await show(wire.readUploadLimit, {}, agent.at), noLimit)
  assert.deepEqual(await show(wire.readDownloadLimit, {}, agent.at), noLimit)
  assert.equal((await show(wire.multiconnectStatus, {}, agent.at)).enabled, false)
})

test('disks are configured by default and one by one, and their status tells', async () => {
  const byDefault = disk('prioritize_writes', 3, 2)
  assert.deepEqual(await show(wire.setDiskDefault, { body: byDefault }, agent.at), byDefault)
  const own = disk('prioritize_reads', 1, 4)
  const id = `disk-${randomBytes(4).toString('hex')}`
  assert.deepEqual(await show(wire.setDiskConfigs, { body: { [id]: own } }, agent.at), { [id]: own })
  const other = disk('mixed_read_writes', 5, 5)
  assert.deepEqual(await use(wire.setDiskConfigs, { body: { other } }, agent.at), { [id]: own, other })

  await sendAsTeam(agent, makeFiles({ 'a.txt': 'a' }))
  const status = await show(wire.diskStatus, {}, agent.at)
  const idle = { active_read_jobs: 0, active_write_jobs: 0 }
  assert.deepEqual(
    status.find(({ disk_id }) => disk_id === id),
    { disk_id: id, ...idle, ...own },
  )
  const used = status.filter(({ disk_id }) => disk_id !== id && disk_id !== 'other')
  assert.ok(used.length > 0, 'the disk that was read from is not told of')
  for (const { disk_id, ...rest } of used) assert.deepEqual(rest, { ...idle, ...byDefault }, disk_id)
})

test('queue, workers and limits are set, answered as they were, and there after a restart', async () => {
  const fifo = { enabled: true, active_upload_count: 2, active_download_count: 3 }
  assert.deepEqual(await show(wire.setFifoMode, { body: fifo }, agent.at), fifo)
  assert.deepEqual(await show(wire.setWorkers, { body: { upload: 3, download: 5 } }, agent.at), {
    upload: 3,
    download: 5,
  })
  const up = { rate_limit_bps: 160_000_000, enabled: true }
  assert.deepEqual(await show(wire.setUploadLimit, { body: up }, agent.at), {
    ...up,
    schedule_enabled: false,
    schedule: {},
    active_now: true,
    effective_bps: 160_000_000,
  })
  const never = { mon: { enabled: false, start: '09:00', end: '17:30' } }
  const down = { rate_limit_bps: 80_000_000, enabled: true, schedule_enabled: true, schedule: never }
  assert.deepEqual(await show(wire.setDownloadLimit, { body: down }, agent.at), {
    ...down,
    active_now: false,
    effective_bps: null,
  })
  const day = { enabled: true, start: '00:00', end: '00:00' }
  const always = { mon: day, tue: day, wed: day, thu: day, fri: day, sat: day, sun: day }
  const scheduled = await use(wire.setDownloadLimit, { body: { ...down, schedule: always } }, agent.at)
  assert.deepEqual([scheduled.active_now, scheduled.effective_bps], [true, 80_000_000])

  const before = await everything(agent)
  await agent.stop()
  agent = await agent.again()
  assert.deepEqual(await everything(agent), before)
})

test('interfaces of the host are listed, used or not, and limited one by one', async () => {
  const { interfaces } = await show(wire.setMulticonnect, { body: { enabled: true } }, agent.at)
  assert.equal((await use(wire.multiconnectStatus, {}, agent.at)).enabled, true)
  const [one] = interfaces
  assert.ok(one !== undefined, 'this host has no network interface')
  assert.ok(one.addresses.length > 0)
  const params = { iface_id: one.id }
  assert.equal((await show(wire.setInterface, { params, body: { enabled: false } }, agent.at)).enabled, false)
  const { interfaces: now } = await use(wire.multiconnectStatus, {}, agent.at)
  assert.equal(now.find(({ id }) => id === one.id)?.enabled, false)
  await use(wire.setInterface, { params, body: { enabled: true } }, agent.at)

  const limit = { rate_limit_bps: 8_000_000, enabled: true }
  for (const [set, read] of [
    [wire.setInterfaceUploadLimit, wire.readInterfaceUploadLimit],
    [wire.setInterfaceDownloadLimit, wire.readInterfaceDownloadLimit],
  ] as const) {
    const shown = await show(set, { params, body: limit }, agent.at)
    assert.equal(shown.effective_bps, 8_000_000)
    assert.deepEqual(await show(read, { params }, agent.at), shown)
    await refused(read, { params: { iface_id: 'nowhere0' } }, agent.at, 'interface_not_found')
    await refused(set, { params: { iface_id: 'nowhere0' }, body: limit }, agent.at, 'interface_not_found')
  }
  const nowhere = { params: { iface_id: 'nowhere0' }, body: { enabled: true } }
  await refused(wire.setInterface, nowhere, agent.at, 'interface_not_found')
  await use(wire.setMulticonnect, { body: { enabled: false } }, agent.at)
})

test('case 212: what makes no sense is refused and changes nothing', async () => {
  const before = await everything(agent)
  const limit = { rate_limit_bps: 1, enabled: true }
  const hours = (start: string) => ({ ...limit, schedule: { mon: { enabled: true, start, end: '10:00' } } })
  for (const [endpoint, body] of [
    [wire.setUploadLimit, { ...limit, rate_limit_bps: -1 }],
    [wire.setUploadLimit, { ...limit, rate_limit_bps: 0 }],
    [wire.setUploadLimit, { ...limit, rate_limit_bps: 1e18 }],
    [wire.setDownloadLimit, { ...limit, rate_limit_bps: 0 }],
    [wire.setUploadLimit, hours('25:99')],
    [wire.setUploadLimit, hours('9:00')],
    [wire.setWorkers, { upload: 1e9, download: 1 }],
    [wire.setWorkers, { upload: 0, download: 1 }],
    [wire.setFifoMode, { enabled: true, active_upload_count: 0, active_download_count: 1 }],
    [wire.setDiskDefault, disk('whenever', 1, 1)],
    [wire.setDiskConfigs, { a: disk('mixed_read_writes', 0, 1) }],
  ] as const) {
    const answer = await ask(endpoint, { body }, agent.at)
    assert.equal(answer.status, 422, `${endpoint.path} ${JSON.stringify(body)}`)
  }
  assert.deepEqual(await everything(agent), before)
})
