import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cancelTransfer, startTransfer } from '@longshore/contract/cloud/connections'
import { readCustomerBucket } from '@longshore/stack/stack'
import { bytesRead, complete, connect, fallsDue, inSmallParts, look, working } from '#carrying'
import { endOf, type Ground, newGround, until } from '#ground'
import { type Sent, sendInspected } from '#inspected-package'

// Small in the gate; TRANSFER_MIB=1024 shows the same with a whole GiB.
const totalMiB = Number(process.env['TRANSFER_MIB'] ?? 24)
const fileMiB = Math.min(96, totalMiB / 2)
const MiB = 1024 * 1024

const start = (ground: Ground, { pkg }: Sent, cloud_connection_id: string) =>
  ground.client.call(
    startTransfer,
    { params: { package_id: pkg.id }, body: { cloud_connection_id } },
    { credential: pkg.token },
  )

async function assertArrived(ground: Ground, bucket: string, { pkg, files }: Sent): Promise<void> {
  const { digests, openUploads } = await readCustomerBucket(ground.stack, bucket)
  const expected = [...files].map(([name, { sha256 }]) => [`Rushes-${pkg.id.slice(-8)}/${name}`, sha256] as const)
  assert.deepEqual(digests, new Map(expected))
  assert.equal(openUploads, 0)
}

test('transfers to other stores', async (t) => {
  const ground = await newGround(t)
  const sent = await sendInspected(ground, totalMiB, fileMiB)

  await t.test('inside one store a package is copied without its bytes passing by the worker', async (t) => {
    const bucket = `${ground.bucket}-open`
    const connection = await connect(ground, bucket, true)
    const worker = await working(ground)
    const before = bytesRead(worker)
    const transfer = await start(ground, sent, connection)
    const seconds = await until('the transfer is complete', complete(ground, transfer), 120)
    const passed = bytesRead(worker) - before
    t.diagnostic(`${totalMiB} MiB in ${seconds.toFixed(1)} s; the worker read ${passed} bytes meanwhile`)
    assert.ok(passed < 1 * MiB, `${passed} bytes came by`)
    await assertArrived(ground, bucket, sent)
    await worker.kill()
  })

  await t.test('a worker killed over a transfer: another goes on with what has arrived', async (t) => {
    const bucket = `${ground.bucket}-closed`
    const connection = await connect(ground, bucket, false)
    const transfer = await start(ground, sent, connection)
    const dying = ground.startWorker({ ...inSmallParts, LONGSHORE_CRASH_AT: 'transfer.part:3' })
    assert.equal(await endOf(dying), 'SIGKILL')
    assert.equal((await look(ground, transfer)).state, 'started')
    const [lease] = await ground.ask(
      `select due <= now() + interval '40 seconds' from transfers where id = '${transfer.id}'`,
    )
    assert.equal(lease, 't', 'nobody else would take it within the minute that we promise')
    // The time until then is spent on starting the other one, so that all it does can be seen.
    await fallsDue(ground, transfer, "now() + interval '1 hour'")
    const worker = await working(ground, inSmallParts)
    const before = bytesRead(worker)
    await fallsDue(ground, transfer, 'now()')
    const seconds = await until('another worker has carried it', complete(ground, transfer), 60 + totalMiB)
    const passed = (bytesRead(worker) - before) / MiB
    t.diagnostic(`done after ${seconds.toFixed(1)} s; ${passed.toFixed(1)} of ${totalMiB} MiB were read for it`)
    // Between its end and the note of it, the first may have sent them all.
    assert.ok(passed < totalMiB - 10, 'parts that had arrived were sent again')
    await assertArrived(ground, bucket, sent)
    const { progress, size } = await look(ground, transfer)
    assert.deepEqual([progress, size], [totalMiB * MiB, totalMiB * MiB])
    await worker.kill()
  })

  for (const [point, open] of [
    ['begun', false],
    ['joined', false],
    ['copied', true],
  ] as const) {
    await t.test(`a worker killed when a file was ${point}: nothing is there twice or half`, async () => {
      const bucket = `${ground.bucket}-${point}`
      const connection = await connect(ground, bucket, open)
      const transfer = await start(ground, sent, connection)
      const dying = ground.startWorker({ ...inSmallParts, LONGSHORE_CRASH_AT: `transfer.${point}:1` })
      assert.equal(await endOf(dying), 'SIGKILL', point)
      await fallsDue(ground, transfer, 'now()')
      const worker = ground.startWorker(inSmallParts)
      await until('another worker has carried it', complete(ground, transfer), 60 + totalMiB)
      await assertArrived(ground, bucket, sent)
      await worker.kill()
    })
  }

  await t.test('a worker killed over a transfer that is then cancelled: what it began is taken back', async () => {
    const bucket = `${ground.bucket}-cancelled`
    const connection = await connect(ground, bucket, false)
    const transfer = await start(ground, sent, connection)
    const dying = ground.startWorker({ ...inSmallParts, LONGSHORE_CRASH_AT: 'transfer.part:1' })
    assert.equal(await endOf(dying), 'SIGKILL')
    assert.ok((await readCustomerBucket(ground.stack, bucket)).openUploads > 0)
    await ground.client.call(
      cancelTransfer,
      { params: { transfer_id: transfer.id } },
      { credential: { transferToken: transfer.access_token } },
    )
    ground.startWorker()
    const isTidy = async () => (await readCustomerBucket(ground.stack, bucket)).openUploads === 0
    await until('no upload is left', isTidy, 60)
    assert.equal((await look(ground, transfer)).state, 'cancelled')
  })
})
