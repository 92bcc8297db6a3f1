import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { listFiles } from '#domain/downloads/list-files'
import { deletePackage } from '#domain/packages/delete-package'
import { finalizePackage } from '#domain/packages/finalize-package'
import { mailIncident } from '#domain/notices/mail-incident'
import { finalizeFiles } from '#domain/uploads/finalize-files'
import { removeFile } from '#domain/uploads/remove-file'
import { clamd } from '#outbound/scanner'
import { sql } from '#platform/db'
import { type TestCx, testCx } from '#test-kit/cx'
import { eicar } from '#test-kit/eicar'
import { inspectAll } from '#test-kit/inspect'
import { eventsOf, queuedJobs } from '#test-kit/look'
import { mailsTo } from '#test-kit/mails'
import { makeFile, makePackage, type MadePackage } from '#test-kit/make'
import { testStack } from '#test-kit/stack'
import { inspectBatch, takeBatch } from './inspect-batch.ts'

const never = new AbortController().signal

const scanning = (cx: TestCx): TestCx => ({ ...cx, scanner: clamd(testStack().clamd) })

async function listed(cx: TestCx, pkg: MadePackage) {
  let text = ''
  for await (const piece of await listFiles(cx, pkg.manager, pkg.id)) text += piece
  const entries = JSON.parse(text) as { kind: string; name: string; scan: string; integrity: string }[]
  return entries.filter(({ kind }) => kind === 'file')
}

const findings = async (cx: TestCx, pkg: MadePackage) =>
  (await listed(cx, pkg)).map(({ name, scan, integrity }) => `${name}: ${scan}, ${integrity}`)

const row = (cx: TestCx, id: string) =>
  cx.db.row<{ sha256: Buffer; crc32: Buffer }>(sql`select sha256, crc32 from files where id = ${id}`)

const freezesOrdered = async (cx: TestCx) =>
  (await cx.db.rows<{ package_id: string }>(sql`select package_id from freezes`)).map(({ package_id }) => package_id)

const makeDue = (cx: TestCx) => cx.db.transaction((tx) => tx.run(sql`update files set inspect_after = now()`))

test('a file is read once: its checksums are known, and it is verified and clean', async (t) => {
  const cx = scanning(await testCx(t))
  const pkg = await makePackage(cx, {
    files: [{ name: 'a', pieces: [Buffer.alloc(9 * 1024 * 1024, 'large')] }, { name: 'b' }, { name: 'c', pieces: [] }],
  })
  assert.deepEqual(await findings(cx, pkg), ['a: pending, pending', 'b: pending, pending', 'c: pending, pending'])
  assert.equal(await inspectAll(cx), 3)
  assert.deepEqual(await findings(cx, pkg), ['a: clean, verified', 'b: clean, verified', 'c: clean, verified'])
  for (const file of pkg.files) {
    const known = await row(cx, file.id)
    assert.deepEqual(known?.sha256, createHash('sha256').update(file.bytes).digest())
    assert.equal(known?.crc32.readUInt32BE(), crc32(file.bytes))
  }
  assert.equal(await inspectAll(cx), 0)
})

test('a virus is found: that file is quarantined, the package flagged, the event written, the sender told once', async (t) => {
  const cx = scanning(await testCx(t))
  const pkg = await makePackage(cx, {
    files: [{ name: 'good' }, { name: 'bad.com', pieces: [eicar] }, { name: 'fine' }],
    finalized: true,
  })
  await inspectAll(cx)
  assert.deepEqual(await findings(cx, pkg), [
    'good: clean, verified',
    'bad.com: infected, verified',
    'fine: clean, verified',
  ])
  assert.deepEqual(await cx.db.rows(sql`select contains_virus from packages where id = ${pkg.id}`), [
    { contains_virus: true },
  ])
  const told = (await eventsOf(cx, pkg.id)).filter(({ type }) => type === 'file.infected')
  assert.equal(told.length, 1)
  assert.equal((told[0]?.object['file'] as { name: string } | undefined)?.name, 'bad.com')
  const orders = (await queuedJobs(cx)).filter(({ order }) => order === 'mail-incident')
  assert.equal(orders.length, 1)
  for (let again = 0; again < 2; again++)
    await mailIncident(cx, orders[0]?.payload as Parameters<typeof mailIncident>[1])
  const [mail, ...more] = await mailsTo(pkg.owner.email)
  assert.equal(more.length, 0)
  assert.equal(mail?.subject, 'A virus was found in Rushes')
  for (const part of [mail?.text, mail?.html]) {
    assert.match(part ?? '', /bad\.com/)
    assert.doesNotMatch(part ?? '', /good|fine|not what was sent/)
  }
})

test('bytes that are not what the sender named are an incident: flagged, told, never verified', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const wrong = await makeFile(cx, pkg, { name: 'wrong', finalized: false })
  const right = await makeFile(cx, pkg, { name: 'right', finalized: false })
  const sum = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  await finalizeFiles(cx, pkg.manager, pkg.id, [
    { ...wrong.claim, checksums: { sha256: sum(Buffer.from('something else')) } },
    {
      ...right.claim,
      checksums: { sha256: sum(right.bytes), crc32: crc32(right.bytes).toString(16).padStart(8, '0') },
    },
  ])
  await finalizePackage(cx, pkg.manager, pkg.id)
  await inspectAll(cx)
  assert.deepEqual(await findings(cx, pkg), ['wrong: not_scanned, damaged', 'right: not_scanned, verified'])
  assert.deepEqual(
    (await eventsOf(cx, pkg.id)).map(({ type }) => type),
    ['package.created', 'package.finalized', 'file.damaged'],
  )
  // What the sender named stays: a recipient who compares must find that it differs.
  assert.equal((await row(cx, wrong.id))?.sha256.toString('hex'), sum(Buffer.from('something else')))
})

test('a byte flipped in the store, an object cut short, and one gone from it are found', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const flipped = await makeFile(cx, pkg, { name: 'flipped', finalized: false })
  const cut = await makeFile(cx, pkg, { name: 'cut' })
  const gone = await makeFile(cx, pkg, { name: 'gone' })
  const checksums = { sha256: createHash('sha256').update(flipped.bytes).digest('hex') }
  await finalizeFiles(cx, pkg.manager, pkg.id, [{ ...flipped.claim, checksums }])
  const bytes = Buffer.from(flipped.bytes)
  bytes.writeUInt8(bytes.readUInt8(3) ^ 1, 3)
  await cx.blob.write(flipped.key, bytes)
  await cx.blob.write(cut.key, cut.bytes.subarray(0, 5))
  await cx.blob.remove([gone.key])
  await inspectAll(cx)
  assert.deepEqual(
    await findings(cx, pkg),
    ['flipped', 'cut', 'gone'].map((name) => `${name}: not_scanned, damaged`),
  )
})

test('without a scanner, and beyond its limit, nothing is called clean', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{ name: 'unscanned', pieces: [eicar] }] })
  await inspectAll(cx)
  assert.deepEqual(await findings(cx, pkg), ['unscanned: not_scanned, verified'])
  const small: TestCx = { ...cx, scanner: clamd(testStack().clamd, 10) }
  const other = await makePackage(small, {
    files: [
      { name: 'too long', pieces: [eicar] },
      { name: 'short', pieces: [Buffer.from('1234567890')] },
    ],
  })
  await inspectAll(small)
  assert.deepEqual(await findings(small, other), ['too long: not_scanned, verified', 'short: clean, verified'])
})

test('while the scanner is away nothing is called clean, and the pass catches up when it is back', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{ name: 'waits' }], finalized: true })
  const away: TestCx = { ...cx, scanner: clamd({ host: '127.0.0.1', port: 1 }) }
  const taken = await takeBatch(away, 'small')
  await inspectBatch(away, taken, never)
  assert.deepEqual(await findings(cx, pkg), ['waits: pending, pending'])
  assert.deepEqual(await takeBatch(cx, 'small'), [], 'it is not tried all the time')
  await makeDue(cx)
  await inspectAll(scanning(cx))
  assert.deepEqual(await findings(cx, pkg), ['waits: clean, verified'])
})

test('what a dead worker took falls due again; what somebody has in hand does not', async (t) => {
  const cx = await testCx(t)
  await makePackage(cx, { files: [{}, {}] })
  assert.equal((await takeBatch(cx, 'small')).length, 2)
  assert.equal((await takeBatch(cx, 'small')).length, 0)
  const lease = await cx.db.row<{ seconds: number }>(
    sql`select extract(epoch from min(inspect_after) - now())::float8 as seconds from files`,
  )
  assert.ok(lease !== undefined && lease.seconds > 35 && lease.seconds <= 40)
  await makeDue(cx)
  assert.equal(await inspectAll(cx), 2)
})

test('a worker that is told to end gives back what it was reading', async (t) => {
  const cx = await testCx(t)
  await makePackage(cx, { files: [{}] })
  await inspectBatch(cx, await takeBatch(cx, 'small'), AbortSignal.abort())
  assert.equal(await inspectAll(cx), 1)
})

test('files that were removed, and packages that ended, while they were read change nothing', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{ name: 'stays' }, { name: 'goes' }] })
  const ended = await makePackage(cx, { files: [{}], finalized: true })
  const taken = await takeBatch(cx, 'small')
  assert.equal(taken.length, 3)
  await removeFile(cx, pkg.manager, pkg.id, pkg.files[1]?.id ?? '')
  await deletePackage(cx, ended.manager, ended.id)
  await inspectBatch(cx, taken, never)
  assert.deepEqual(await findings(cx, pkg), ['stays: not_scanned, verified'])
  assert.deepEqual(await freezesOrdered(cx), [])
})

test('a list can be frozen once the package is finalized and all is read, whichever comes last', async (t) => {
  const cx = await testCx(t)
  const early = await makePackage(cx, { files: [{}] })
  await inspectAll(cx)
  assert.deepEqual(await freezesOrdered(cx), [])
  await finalizePackage(cx, early.manager, early.id)
  assert.deepEqual(await freezesOrdered(cx), [early.id])
  const late = await makePackage(cx, { files: [{}], finalized: true })
  assert.deepEqual(await freezesOrdered(cx), [early.id])
  await inspectAll(cx)
  assert.deepEqual((await freezesOrdered(cx)).toSorted(), [early.id, late.id].toSorted())
})
