import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linuxNumbers, mountedAs } from '#host/disk-id'
import { type DiskRules, type DiskUse, mayBegin } from '#host/disk-turns'
import { createDisks } from '#host/disks'

const idle: DiskUse = { readers: 0, writers: 0, waitingReaders: 0, waitingWriters: 0 }
const rules = (priority: DiskRules['priority']): DiskRules => ({ priority, maxReaders: 2, maxWriters: 1 })

test('mixed, readers and writers have their own numbers and do not mind each other', () => {
  const mixed = rules('mixed_read_writes')
  assert.ok(mayBegin('read', { ...idle, readers: 1, writers: 1, waitingWriters: 5 }, mixed))
  assert.ok(!mayBegin('read', { ...idle, readers: 2 }, mixed))
  assert.ok(mayBegin('write', { ...idle, readers: 2, waitingReaders: 5 }, mixed))
  assert.ok(!mayBegin('write', { ...idle, writers: 1 }, mixed))
})

test('with writes first, reading waits for writers at work and for those who wait', () => {
  const first = rules('prioritize_writes')
  assert.ok(mayBegin('read', { ...idle, readers: 1 }, first))
  assert.ok(!mayBegin('read', { ...idle, writers: 1 }, first))
  assert.ok(!mayBegin('read', { ...idle, waitingWriters: 1 }, first))
  assert.ok(mayBegin('write', { ...idle, readers: 2, waitingReaders: 3 }, first))
})

test('with reads first it is the other way round', () => {
  const first = rules('prioritize_reads')
  assert.ok(mayBegin('write', idle, first))
  assert.ok(!mayBegin('write', { ...idle, readers: 1 }, first))
  assert.ok(!mayBegin('write', { ...idle, waitingReaders: 1 }, first))
  assert.ok(mayBegin('read', { ...idle, writers: 1, waitingWriters: 3 }, first))
})

const motion = (signal = new AbortController().signal) => ({
  signal,
  pace: () => undefined,
  moved: () => {},
  waiting: <Result>(wait: Promise<Result>) => wait,
})
const ended = async (turn: Promise<unknown>) => {
  const still = Symbol('still')
  return (await Promise.race([turn, new Promise((resolve) => setTimeout(resolve, 20, still))])) !== still
}

test('each disk has turns of its own; one that is given back goes to who waits; new rules hold at once', async () => {
  let maxReaders = 1
  const disks = createDisks({
    idOf: async (device) => `disk-${device}`,
    rulesFor: () => ({ priority: 'mixed_read_writes', maxReaders, maxWriters: 1 }),
  })
  const leave = await disks.reading(1n, motion())
  const second = disks.reading(1n, motion())
  const third = disks.reading(1n, motion())
  assert.ok(await ended(disks.reading(2n, motion())), 'another disk')
  assert.ok(!(await ended(second)))
  assert.deepEqual(disks.use().get('disk-1'), { ...idle, readers: 1, waitingReaders: 2 })
  leave()
  assert.ok(await ended(second))
  assert.ok(!(await ended(third)))
  maxReaders = 2
  disks.rulesChanged()
  assert.ok(await ended(third))
})

test('whoever waits and is called off leaves no turn behind', async () => {
  const disks = createDisks({
    idOf: async () => 'disk',
    rulesFor: () => ({ priority: 'prioritize_writes', maxReaders: 1, maxWriters: 1 }),
  })
  const leave = await disks.writing(1n, motion())
  const stop = new AbortController()
  const writer = disks.writing(1n, motion(stop.signal))
  const reader = disks.reading(1n, motion())
  leave()
  const leaveSecond = await writer
  assert.ok(!(await ended(reader)), 'while somebody writes')
  const late = disks.writing(1n, motion(stop.signal))
  stop.abort(new Error('paused'))
  await assert.rejects(late, /paused/)
  leaveSecond()
  assert.ok(await ended(reader))
})

test('device numbers are read as Linux writes them', () => {
  assert.equal(linuxNumbers(0x801n), '8:1')
  assert.equal(linuxNumbers(0x10300n | 0x2n), '259:2')
  assert.equal(linuxNumbers(0x100000n), '0:256')
})

test('a file system that is on no block device is named by what was mounted, or by where', () => {
  const mountinfo = [
    '22 28 0:21 / /proc rw,nosuid shared:12 - proc proc rw',
    '90 28 0:45 / /mnt/footage rw,relatime shared:30 - nfs4 nas.example.test:/footage rw,vers=4.2',
    '91 28 0:46 / /dev/shm rw - tmpfs tmpfs rw',
  ].join('\n')
  assert.equal(mountedAs(mountinfo, '0:45'), 'nas.example.test:/footage')
  assert.equal(mountedAs(mountinfo, '0:46'), 'tmpfs at /dev/shm')
  assert.equal(mountedAs(mountinfo, '0:99'), undefined)
})
