import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import * as wire from '@longshore/contract/cloud/connections'
import { deletePackage } from '@longshore/contract/cloud/packages'
import { refused, show, use } from '#calls'
import { ended, holding, makeConnection, of, owner } from '#carried'
import { elsewhere } from '#elsewhere'
import { makePortal, sendTo } from '#portals'
import { test } from '#record'
import { target } from '#target'
import { finalize, inPackage, makePackage, makeSent, managing, type Package, readTokenOf, upload } from '#walk'

const folderOf = (pkg: { readonly id: string; readonly name: string }) => `${pkg.name}-${pkg.id.slice(-8)}`

async function listed(connection: { readonly id: string }, prefix: string) {
  const input = { params: { cloud_connection_id: connection.id }, query: { prefix } }
  return (await use(wire.listConnectionFiles, input, owner)).files.map(({ name, size }) => [name, size])
}

for (const bucket of ['open', 'closed'] as const) {
  test(`a package goes to a connection: a bucket that our store may copy into is ${bucket}`, async () => {
    const connection = await makeConnection({ authorization: elsewhere(bucket), target_directory: 'in' })
    const pkg = await makePackage()
    await upload(pkg, Buffer.alloc(6 * 1024 * 1024, 'x'), { name: 'clip.mov' })
    await upload(pkg, Buffer.from('Ahoy.'), { name: 'note.txt' })
    await finalize(pkg)
    const body = { cloud_connection_id: connection.id }
    const started = await show(wire.startTransfer, { params: inPackage(pkg), body }, managing(pkg))
    assert.deepEqual([started.state, started.package_id], ['pending', pkg.id])
    const done = await ended(started)
    assert.deepEqual([done.state, done.progress, done.size, done.error], ['complete', 6_291_461, 6_291_461, ''])
    assert.deepEqual(await listed(connection, `in/${folderOf(pkg)}`), [
      ['clip.mov', 6 * 1024 * 1024],
      ['note.txt', 5],
    ])
    const [only] = await show(wire.listTransfers, { params: inPackage(pkg) }, managing(pkg))
    assert.equal(only?.id, started.id)
    assert.equal((await show(wire.readTransfer, { params: of(started) }, holding(started))).state, 'complete')
    await refused(wire.retryTransfer, { params: of(started) }, holding(started), 'transfer_not_retryable')
    assert.equal((await show(wire.cancelTransfer, { params: of(started) }, holding(started))).state, 'complete')
  })
}

test('a transfer that failed is tried again once what was wrong is right', async () => {
  const wrong = { ...elsewhere('closed'), secret_access_key: 'not-the-right-one' }
  const connection = await makeConnection({ authorization: wrong })
  const { pkg } = await makeSent()
  const started = await use(
    wire.startTransfer,
    { params: inPackage(pkg), body: { cloud_connection_id: connection.id } },
    managing(pkg),
  )
  assert.deepEqual(await ended(started).then(({ state, error }) => [state, error]), [
    'error',
    'The store refused (SignatureDoesNotMatch).',
  ])
  const right = { params: { cloud_connection_id: connection.id }, body: { authorization: elsewhere('closed') } }
  await use(wire.updateConnection, right, owner)
  await show(wire.retryTransfer, { params: of(started) }, holding(started))
  assert.equal((await ended(started)).state, 'complete')
})

test('a transfer is cancelled, and stays so until it is wanted again', async () => {
  const away = { ...elsewhere('closed'), endpoint: 'http://127.0.0.1:1025' }
  const connection = await makeConnection({ authorization: away })
  const { pkg } = await makeSent()
  const body = { cloud_connection_id: connection.id }
  const started = await use(wire.startTransfer, { params: inPackage(pkg), body }, managing(pkg))
  assert.equal((await show(wire.cancelTransfer, { params: of(started) }, holding(started))).state, 'cancelled')
  assert.equal((await ended(started)).state, 'cancelled')
  const right = { params: { cloud_connection_id: connection.id }, body: { authorization: elsewhere('closed') } }
  await use(wire.updateConnection, right, owner)
  await use(wire.retryTransfer, { params: of(started) }, holding(started))
  assert.equal((await ended(started)).state, 'complete')
  await use(deletePackage, { params: inPackage(pkg) }, managing(pkg))
  await refused(wire.startTransfer, { params: inPackage(pkg), body }, managing(pkg), 'package_expired')
})

test('a transfer of a package that has ended is not tried again', async () => {
  const away = { ...elsewhere('closed'), endpoint: 'http://127.0.0.1:1025' }
  const { pkg } = await makeSent()
  const started = await use(
    wire.startTransfer,
    { params: inPackage(pkg), body: { authorization: away } },
    managing(pkg),
  )
  await use(wire.cancelTransfer, { params: of(started) }, holding(started))
  await use(deletePackage, { params: inPackage(pkg) }, managing(pkg))
  await refused(wire.retryTransfer, { params: of(started) }, holding(started), 'package_expired')
})

test('only what was finalized is sent, and only where its Team may send', async () => {
  const pkg = await makePackage()
  const start = (body: object, name: Parameters<typeof refused>[3], on: Package = pkg) =>
    refused(wire.startTransfer, { params: inPackage(on), body }, managing(on), name)
  await start({ authorization: elsewhere('closed') }, 'package_not_finalized')
  const { pkg: sent } = await makeSent()
  await start({}, 'validation_failed', sent)
  await start({ cloud_connection_id: randomUUID() }, 'validation_failed', sent)
  const onlyImport = await makeConnection({ direction: 'import' })
  await start({ cloud_connection_id: onlyImport.id }, 'validation_failed', sent)
  await start({ cloud_connection_id: onlyImport.id, authorization: elsewhere('open') }, 'validation_failed', sent)
  await start({ authorization: elsewhere('open'), target_directory: '../x' }, 'validation_failed', sent)
})

test('a recipient sends with keys of their own, as one access of the link', async () => {
  const connection = await makeConnection()
  const { pkg, readToken } = await makeSent({ access_limit: 1 })
  const as = { packageToken: readToken }
  const own = { params: inPackage(pkg), body: { authorization: elsewhere('closed'), target_directory: 'mine' } }
  const keyed = { as, idempotencyKey: randomUUID() }
  await refused(
    wire.startTransfer,
    { params: inPackage(pkg), body: { cloud_connection_id: connection.id } },
    { as },
    'token_level_insufficient',
  )
  const started = await show(wire.startTransfer, own, keyed)
  assert.equal(started.cloud_connection_id, '')
  assert.deepEqual(await show(wire.startTransfer, own, keyed), started)
  const other = { ...own, body: { ...own.body, target_directory: 'other' } }
  await refused(wire.startTransfer, other, keyed, 'idempotency_conflict')
  assert.equal((await ended(started)).state, 'complete')
  assert.deepEqual(await listed(connection, `mine/${folderOf(pkg)}`), [['note.txt', 5]])
  await refused(wire.listTransfers, { params: inPackage(pkg) }, { as }, 'token_level_insufficient')
})

test('a link that was used up sends nothing', async () => {
  const { pkg, link, readToken } = await makeSent({ access_limit: 1 })
  const late = await readTokenOf(link)
  const own = { params: inPackage(pkg), body: { authorization: elsewhere('closed') } }
  await use(wire.startTransfer, own, { as: { packageToken: readToken } })
  await refused(wire.startTransfer, own, { as: { packageToken: late } }, 'link_locked')
})

test('what comes through a Portal goes to its connections', async () => {
  const connection = await makeConnection({ target_directory: 'from portal' })
  const portal = await makePortal({ cloud_connections: [{ id: connection.id }] })
  assert.deepEqual(portal.cloud_connections, [{ id: connection.id }])
  const pkg = await sendTo(portal)
  await upload(pkg, Buffer.from('Ahoy.'), { name: 'note.txt' })
  await finalize(pkg)
  const deadline = Date.now() + 60_000
  let there: unknown[] = []
  while (there.length === 0 && Date.now() < deadline) {
    await sleep(200)
    there = await listed(connection, `from portal/${folderOf(pkg)}`)
  }
  assert.deepEqual(there, [['note.txt', 5]])
})

test('nothing is sent to a storage gateway whose agent is not connected', async () => {
  const fields = { name: 'NAS', provider: 'storage_gateway', direction: 'export', target_directory: 'in' } as const
  const gateway = await use(wire.createConnection, { params: { team_id: target.team_id }, body: fields }, owner)
  const { pkg } = await makeSent()
  const wish = { params: inPackage(pkg), body: { cloud_connection_id: gateway.id } }
  await refused(wire.startTransfer, wish, managing(pkg), 'gateway_offline')
})
