import assert from 'node:assert/strict'
import { hash, randomFillSync } from 'node:crypto'
import { test } from 'node:test'
import { cancelTransfer, startTransfer } from '@longshore/contract/cloud/connections'
import { waybill } from '@longshore/contract/cloud/files'
import { readPackage } from '@longshore/contract/cloud/packages'
import { fillCustomerBucket } from '@longshore/stack/stack'
import { bytesRead, complete, connect, fallsDue, inSmallParts, look, type Transfer, working } from '#carrying'
import { endOf, type Ground, newGround, until } from '#ground'
import { type OpenPackage, openPackage } from '#sender'

// Small in the gate; IMPORT_MIB=1024 IMPORT_FILES=10000 shows the same with a whole GiB and many files.
const largeMiB = Number(process.env['IMPORT_MIB'] ?? 24)
const smallFiles = Number(process.env['IMPORT_FILES'] ?? 100)
const MiB = 1024 * 1024
const patience = 60 + largeMiB + smallFiles / 50

/** One large object and many small ones. */
function someObjects(): ReadonlyMap<string, Buffer> {
  const objects = new Map([['reel/large.mov', randomFillSync(Buffer.allocUnsafe(largeMiB * MiB))]])
  for (let index = 0; index < smallFiles; index++) {
    objects.set(`reel/${index % 10}/still ${index}.jpg`, randomFillSync(Buffer.allocUnsafe(1 + index)))
  }
  return objects
}

const digestsOf = (objects: ReadonlyMap<string, Buffer>) =>
  new Map([...objects].map(([key, content]) => [key, hash('sha256', content)]))

test('imports from other stores', async (t) => {
  const ground = await newGround(t)
  // What is inspected is read, too; only the bytes of the import shall be counted, and nobody is to be killed over others.
  await ground.ask(`alter table files alter column inspect_after set default now() + interval '1 hour'`)
  const objects = someObjects()
  const expected = digestsOf(objects)
  const [open, closed] = [`${ground.bucket}-open`, `${ground.bucket}-closed`]
  const [fromOpen, fromClosed] = [await connect(ground, open, true), await connect(ground, closed, false)]
  for (const bucket of [open, closed]) await fillCustomerBucket(ground.stack, bucket, objects)

  async function begin(connection: string, paths = ['reel/']): Promise<{ pkg: OpenPackage; transfer: Transfer }> {
    const pkg = await openPackage(ground)
    const body = { cloud_connection_id: connection, paths, finalize: true }
    const input = { params: { package_id: pkg.id }, body }
    return { pkg, transfer: await ground.client.call(startTransfer, input, { credential: pkg.token }) }
  }

  await t.test('inside one store objects become files without their bytes passing by the worker', async (t) => {
    const worker = await working(ground)
    const before = bytesRead(worker)
    const { transfer } = await begin(fromOpen, ['reel/large.mov'])
    const seconds = await until('the import is complete', complete(ground, transfer), patience)
    const passed = bytesRead(worker) - before
    t.diagnostic(`${largeMiB} MiB in ${seconds.toFixed(1)} s; the worker read ${passed} bytes meanwhile`)
    assert.ok(passed < 1 * MiB, `${passed} bytes came by`)
    await worker.kill()
  })

  await t.test('a worker killed over an import: another goes on with what has arrived', async (t) => {
    const { pkg, transfer } = await begin(fromClosed)
    const dying = ground.startWorker({ ...inSmallParts, LONGSHORE_CRASH_AT: 'transfer.part:3' })
    assert.equal(await endOf(dying), 'SIGKILL')
    assert.equal((await look(ground, transfer)).state, 'started')
    await fallsDue(ground, transfer, "now() + interval '1 hour'")
    const worker = await working(ground, inSmallParts)
    const before = bytesRead(worker)
    await fallsDue(ground, transfer, 'now()')
    const seconds = await until('another worker has brought it', complete(ground, transfer), patience)
    const passed = (bytesRead(worker) - before) / MiB
    t.diagnostic(`done after ${seconds.toFixed(1)} s; ${passed.toFixed(1)} of ${largeMiB} MiB were read for it`)
    assert.ok(passed < largeMiB - 10, 'parts that had arrived were fetched again')
    await assertIs(ground, pkg, expected)
    await worker.kill()
  })

  for (const [point, connection] of [
    ['import.page:1', fromClosed],
    ['transfer.joined:1', fromClosed],
    ['import.fetched:1', fromOpen],
  ] as const) {
    await t.test(`a worker killed at ${point}: nothing is there twice or half`, async () => {
      const { pkg, transfer } = await begin(connection)
      const dying = ground.startWorker({ ...inSmallParts, LONGSHORE_CRASH_AT: point })
      assert.equal(await endOf(dying), 'SIGKILL')
      await fallsDue(ground, transfer, 'now()')
      const worker = ground.startWorker(inSmallParts)
      await until('another worker has brought it', complete(ground, transfer), patience)
      await assertIs(ground, pkg, expected)
      await worker.kill()
    })
  }

  await t.test(
    'a worker killed over an import that is then cancelled: what has not arrived is taken back',
    async () => {
      const { pkg, transfer } = await begin(fromClosed)
      const dying = ground.startWorker({ ...inSmallParts, LONGSHORE_CRASH_AT: 'transfer.part:1' })
      assert.equal(await endOf(dying), 'SIGKILL')
      const credential = { transferToken: transfer.access_token }
      await ground.client.call(cancelTransfer, { params: { transfer_id: transfer.id } }, { credential })
      const worker = ground.startWorker()
      const unfinished = `select count(*) from files where package_id = '${pkg.id}' and state <> 'finalized'`
      await until('nothing is awaited any more', async () => (await ground.ask(unfinished))[0] === '0', 60)
      assert.equal((await look(ground, transfer)).state, 'cancelled')
      const { state } = await ground.client.call(
        readPackage,
        { params: { package_id: pkg.id } },
        { credential: pkg.token },
      )
      assert.equal(state, 'new')
      await worker.kill()
    },
  )
})

/** Has every file of the package read, and compares what its waybill says. */
async function assertIs(ground: Ground, pkg: OpenPackage, expected: ReadonlyMap<string, string>): Promise<void> {
  const read = () => ground.client.call(waybill, { params: { package_id: pkg.id } }, { credential: pkg.token })
  await ground.ask(`update files set inspect_after = now() where package_id = '${pkg.id}'`)
  await until('the files are inspected', async () => (await read()).verified, patience)
  const { files } = await read()
  assert.equal(files.length, expected.size)
  assert.deepEqual(new Map(files.map(({ path, sha256 }) => [path, sha256])), expected)
}
