import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gatewayCloses, gatewayPath } from '@longshore/contract/gateway'
import { newId } from '@longshore/kit/ids'
import { fastify } from 'fastify'
import { openChannel } from '#domain/gateways/channel'
import { identifyByPackageToken, identifyByTransferToken } from '#domain/access/identify'
import { browseConnection } from '#domain/connections/browse'
import { createConnection, deleteConnection, rotateGatewaySecret } from '#domain/connections/connections'
import { tryConnection } from '#domain/connections/try-connection'
import { finalizePackage } from '#domain/packages/finalize-package'
import { cancelTransfer, readTransfer, retryTransfer } from '#domain/transfers/control-transfer'
import { startTransfer } from '#domain/transfers/start-transfer'
import { addFile } from '#domain/uploads/add-files'
import { type TestCx, testCx } from '#test-kit/cx'
import { connectGateway, inAnotherProcess, type Introduction } from '#test-kit/gateway'
import { inspectAll } from '#test-kit/inspect'
import { fileRows, onlyTransfer, packageRow } from '#test-kit/look'
import { makeFile, type MadeTeam, makePackage, makeTeam } from '#test-kit/make'
import { makePortal, makePortalPackage } from '#test-kit/make-portals'
import { carryAll, makeDue } from '#test-kit/transfers'
import { addGatewayChannel } from './gateway-channel.ts'

/** An API process with nothing but the channel. */
async function startApi(t: TestContext, cx: TestCx): Promise<{ url: string; close(): Promise<void> }> {
  const app = fastify()
  addGatewayChannel(app, cx)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => app.close())
  return { url, close: () => app.close() }
}

async function makeGateway(cx: TestCx, team: MadeTeam, direction: 'export' | 'import' | 'both' = 'both') {
  const made = { name: 'NAS', provider: 'storage_gateway', direction, target_directory: 'in' } as const
  const { id, secret = '' } = await createConnection(cx, team.owner.caller, team.id, made)
  return { id, secret }
}

async function world(t: TestContext) {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  return { cx, team, api: await startApi(t, cx), gateway: await makeGateway(cx, team) }
}

test('B216: who does not know the secret is refused, in the same way whatever is wrong', async (t) => {
  const { cx, team, api, gateway } = await world(t)
  const wrong: Record<string, Introduction> = {
    'another secret': { ...gateway, secret: 'lsg_wrong' },
    'no such gateway': { ...gateway, id: newId() },
    'the secret of another': { ...gateway, secret: (await makeGateway(cx, team)).secret },
  }
  for (const [what, introduction] of Object.entries(wrong)) {
    const { closed, heard } = await connectGateway(t, api.url, introduction)
    assert.deepEqual(await closed, { code: gatewayCloses.refused, reason: 'refused' }, what)
    assert.deepEqual(heard, [])
  }
  const { next } = await connectGateway(t, api.url, gateway)
  assert.equal((await next('welcome')).version, 1)
})

test('what is no message of ours ends the channel, and pages get none', async (t) => {
  const { api, gateway } = await world(t)
  const open = await connectGateway(t, api.url, gateway)
  await open.next('welcome')
  open.say({ type: 'drop tables' })
  assert.equal((await open.closed).code, gatewayCloses.malformed)
  const upgrade = (path: string, headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const asked = request(`${api.url}${path}`, {
        headers: {
          connection: 'upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
          ...headers,
        },
      })
      asked.on('response', (reply) => resolve(reply.resume().statusCode ?? 0))
      asked.on('upgrade', (_reply, socket) => (socket.destroy(), resolve(101)))
      asked.on('error', reject).end()
    })
  assert.equal(await upgrade(gatewayPath, { origin: 'https://page.example' }), 403)
  assert.equal(await upgrade('/v1/other', {}), 404)
  assert.equal(await upgrade(gatewayPath, {}), 101)
})

test('folders behind a gateway are looked into from any process, page by page', async (t) => {
  const { cx, team, gateway } = await world(t)
  const [one, other] = [inAnotherProcess(t, cx), inAnotherProcess(t, cx)]
  const api = await startApi(t, one)
  const browse = (query: object) => browseConnection(other, team.owner.caller, gateway.id, query)
  await assert.rejects(browse({}), { code: 'gateway_offline' })
  const names = Array.from({ length: 5 }, (_, index) => `clip ${index}`)
  const open = await connectGateway(t, api.url, gateway, (question) => {
    if (question.ask !== 'list' || question.path === 'gone') return { kind: 'no', reason: 'not_found' }
    const start = question.after === '' ? 0 : names.indexOf(question.after) + 1
    const page = names.slice(start, start + question.count)
    const entries = page.map((name) => ({ kind: 'file' as const, name, size: 1 }))
    return { kind: 'listing', listing: { entries, next: start + page.length < 5 ? (page.at(-1) ?? '') : '' } }
  })
  await open.next('welcome')
  await sleep(300)
  const first = await browse({ prefix: 'a/b', count: 3 })
  assert.deepEqual(
    first.files.map(({ name, path }) => [name, path]),
    names.slice(0, 3).map((name) => [name, `a/b/${name}`]),
  )
  assert.deepEqual((await browse({ count: 3, after: first.next })).files.length, 2)
  await assert.rejects(browse({ prefix: 'gone' }), { code: 'connection_refused' })
  assert.deepEqual(await tryConnection(other, team.owner.caller, gateway.id), { ok: true, message: '' })
  await open.hangUp()
  await sleep(300)
  await assert.rejects(browse({}), { code: 'gateway_offline' })
})

test('what a gateway may do is what its agent allows', async (t) => {
  const { cx, team, api, gateway } = await world(t)
  const open = await connectGateway(t, api.url, { ...gateway, permissions: 'r' })
  await open.next('welcome')
  assert.deepEqual(await tryConnection(cx, team.owner.caller, gateway.id), {
    ok: false,
    message: "Its agent allows 'r', and 'rw' is needed.",
  })
})

async function sentPackage(cx: TestCx, team: MadeTeam) {
  const pkg = await makePackage(cx, {
    team,
    files: [{ name: 'a.mov', path: 'day 1' }, { name: 'b.mov' }],
    finalized: true,
  })
  await inspectAll(cx)
  return pkg
}

test('a package is handed to its gateway as an order with signed addresses, and is complete when that says so', async (t) => {
  const { cx, team, api, gateway } = await world(t)
  const pkg = await sentPackage(cx, team)
  const wish = { cloud_connection_id: gateway.id }
  await assert.rejects(startTransfer(cx, pkg.manager, pkg.id, wish), { code: 'gateway_offline' })
  const open = await connectGateway(t, api.url, gateway)
  await open.next('welcome')
  const { id, size, access_token } = await startTransfer(cx, pkg.manager, pkg.id, wish)
  const holder = await identifyByTransferToken(cx, access_token)
  const order = await open.next('deliver')
  assert.deepEqual(order, {
    type: 'deliver',
    transfer_id: id,
    package_id: pkg.id,
    folder: `in/Rushes-${pkg.id.slice(-8)}`,
    size,
  })
  open.say({ type: 'files_wanted', request_id: '1', transfer_id: id, after: '' })
  const { files, next } = await open.next('files')
  for (const [index, file] of files.entries()) {
    const reply = await fetch(file.url)
    assert.ok(Buffer.from(await reply.arrayBuffer()).equals(pkg.files[index]?.bytes ?? Buffer.alloc(1)))
  }
  assert.deepEqual(
    files.map(({ path, name }) => [path, name]),
    [
      ['day 1', 'a.mov'],
      ['', 'b.mov'],
    ],
  )
  open.say({ type: 'files_wanted', request_id: '2', transfer_id: id, after: next })
  assert.deepEqual((await open.next('files')).files, [])
  open.say({ type: 'files_wanted', request_id: '3', transfer_id: newId(), after: '' })
  assert.equal((await open.next('no_files')).request_id, '3')
  open.say({ type: 'progress', transfer_id: id, progress: 5 })
  open.say({ type: 'delivered', transfer_id: id })
  while ((await readTransfer(cx, holder, id)).state !== 'complete') await sleep(20)
  assert.equal((await readTransfer(cx, holder, id)).progress, size)
})

test('packages of a Portal wait for their gateway, and an order that was not done is handed out again', async (t) => {
  const { cx, team, api, gateway } = await world(t)
  const portal = await makePortal(cx, { team, cloud_connections: [{ id: gateway.id }] })
  const pkg = await makePortalPackage(cx, portal)
  await makeFile(cx, pkg, { name: 'clip' })
  await finalizePackage(cx, pkg.manager, pkg.id)
  await inspectAll(cx)
  const first = await connectGateway(t, api.url, gateway)
  const order = await first.next('deliver')
  const second = await connectGateway(t, api.url, gateway)
  assert.deepEqual(await first.closed, { code: gatewayCloses.replaced, reason: 'replaced' })
  assert.deepEqual(await second.next('deliver'), order)
  await second.hangUp()
  const third = await connectGateway(t, api.url, gateway)
  assert.deepEqual(await third.next('deliver'), order)
  third.say({ type: 'failed', transfer_id: order.transfer_id, message: 'The disk is full.', passing: false })
  while ((await onlyTransfer(cx))?.state !== 'error') await sleep(20)
  assert.equal((await onlyTransfer(cx))?.error, 'The disk is full.')
})

test('a gateway hears when an order is cancelled, when it is wanted again, and when the connection is deleted', async (t) => {
  const { cx, team, api, gateway } = await world(t)
  const pkg = await sentPackage(cx, team)
  const open = await connectGateway(t, api.url, gateway)
  await open.next('welcome')
  const wish = { cloud_connection_id: gateway.id }
  const { id, access_token } = await startTransfer(cx, pkg.manager, pkg.id, wish)
  const holder = await identifyByTransferToken(cx, access_token)
  await open.next('deliver')
  const startedAt = performance.now()
  await cancelTransfer(cx, holder, id)
  assert.equal((await open.next('stop')).transfer_id, id)
  t.diagnostic(`told after ${Math.round(performance.now() - startedAt)} ms`)
  // What it says of an order that is no longer its own changes nothing.
  open.say({ type: 'delivered', transfer_id: id })
  open.say({ type: 'files_wanted', request_id: '1', transfer_id: id, after: '' })
  await open.next('no_files')
  assert.equal((await readTransfer(cx, holder, id)).state, 'cancelled')
  await retryTransfer(cx, holder, id)
  assert.equal((await open.next('deliver')).transfer_id, id)
  await deleteConnection(cx, team.owner.caller, gateway.id)
  assert.equal((await open.closed).code, gatewayCloses.deleted)
  assert.equal((await readTransfer(cx, holder, id)).error, 'The cloud connection was deleted.')
})

test('a renewed secret lets the agent go at once; it goes on with its orders by the new one alone', async (t) => {
  const { cx, team, api, gateway } = await world(t)
  const pkg = await sentPackage(cx, team)
  const open = await connectGateway(t, api.url, gateway)
  await open.next('welcome')
  const { id, access_token } = await startTransfer(cx, pkg.manager, pkg.id, { cloud_connection_id: gateway.id })
  const order = await open.next('deliver')
  const { secret } = await rotateGatewaySecret(cx, team.owner.caller, gateway.id)
  assert.deepEqual(await open.closed, { code: gatewayCloses.renewed, reason: 'renewed' })
  await assert.rejects(tryConnection(cx, team.owner.caller, gateway.id), { code: 'gateway_offline' })
  const late = await connectGateway(t, api.url, gateway)
  assert.equal((await late.closed).code, gatewayCloses.refused)

  const again = await connectGateway(t, api.url, { ...gateway, secret })
  assert.deepEqual(await again.next('deliver'), order)
  again.say({ type: 'delivered', transfer_id: id })
  const holder = await identifyByTransferToken(cx, access_token)
  while ((await readTransfer(cx, holder, id)).state !== 'complete') await sleep(20)
})

test('who was let in while the secret was being renewed is let go all the same', async (t) => {
  const { cx, team, gateway } = await world(t)
  const { promise: closed, resolve } = Promise.withResolvers<string>()
  const said: string[] = []
  const line = { address: '127.0.0.1', send: (text: string) => void said.push(text), close: resolve }
  // Admitted by what the database said before; told of nothing, as it listened for nothing yet.
  const channel = openChannel(
    { ...cx, db: afterwards(cx, () => rotateGatewaySecret(cx, team.owner.caller, gateway.id)) },
    line,
  )
  await channel.heard(JSON.stringify({ type: 'hello', version: 1, ...gateway, permissions: 'rw' }))
  assert.equal(await closed, 'renewed')
  const heard = said.length
  await channel.heard(JSON.stringify({ type: 'files_wanted', request_id: '1', transfer_id: newId(), after: '' }))
  assert.equal(said.length, heard, 'what it still says counts no more')
  await channel.gone()
})

/** A database that does something else right after the first row was read from it. */
function afterwards(cx: TestCx, work: () => Promise<unknown>): TestCx['db'] {
  let isFirst = true
  return {
    ...cx.db,
    async row<Row>(query: Parameters<TestCx['db']['row']>[0]) {
      const found = await cx.db.row<Row>(query)
      if (isFirst) {
        isFirst = false
        await work()
      }
      return found
    },
  }
}

test('a package is filled from behind a gateway: its agent gets a token for it, and says when all is there', async (t) => {
  const { cx, team, api, gateway } = await world(t)
  const pkg = await makePackage(cx, { team })
  const wish = { cloud_connection_id: gateway.id, paths: ['day 1/', 'notes.txt'], finalize: true }
  const start = () => startTransfer(cx, pkg.manager, pkg.id, wish)
  await assert.rejects(start(), { code: 'gateway_offline' })
  for (const cannot of [{ collects: false }, { permissions: 'w' }] as const) {
    const closed = await connectGateway(t, api.url, { ...gateway, ...cannot })
    await closed.next('welcome')
    await assert.rejects(start(), { code: 'validation_failed' })
    await closed.hangUp()
  }
  const open = await connectGateway(t, api.url, gateway)
  await open.next('welcome')
  const { id, access_token } = await start()
  const holder = await identifyByTransferToken(cx, access_token)
  const { token, ...order } = await open.next('collect')
  const { package_id, paths } = { package_id: pkg.id, paths: wish.paths }
  assert.deepEqual(order, { type: 'collect', transfer_id: id, package_id, folder: 'in', paths })
  await assert.rejects(finalizePackage(cx, pkg.manager, pkg.id), { code: 'files_unfinished' })
  const agent = await identifyByPackageToken(cx, token)
  assert.equal(agent.level, 'write')
  const { bytes } = await makeFile(cx, { ...pkg, manager: agent }, { name: 'notes.txt' })
  open.say({ type: 'progress', transfer_id: id, progress: 3, size: bytes.length })
  // What is said of another kind of order changes nothing.
  open.say({ type: 'delivered', transfer_id: id })
  open.say({ type: 'collected', transfer_id: id })
  while ((await readTransfer(cx, holder, id)).state !== 'complete') await sleep(20)
  const done = await readTransfer(cx, holder, id)
  assert.deepEqual([done.progress, done.size], [bytes.length, bytes.length])
  assert.equal((await packageRow(cx, pkg.id))?.state, 'finalized')
})

test('an agent that says all is there when something is not leaves the package open', async (t) => {
  const { cx, team, api, gateway } = await world(t)
  const pkg = await makePackage(cx, { team })
  const open = await connectGateway(t, api.url, gateway)
  await open.next('welcome')
  await startTransfer(cx, pkg.manager, pkg.id, { cloud_connection_id: gateway.id, paths: [''], finalize: true })
  const { transfer_id } = await open.next('collect')
  await makeFile(cx, pkg, { name: 'half', finalized: false })
  open.say({ type: 'collected', transfer_id })
  while ((await onlyTransfer(cx))?.state !== 'error') await sleep(20)
  assert.match((await onlyTransfer(cx))?.error ?? '', /1 file\(s\) still uploading/)
  assert.equal((await packageRow(cx, pkg.id))?.state, 'new')
})

test('an agent that cannot bring what is wanted is told to clear up behind itself', async (t) => {
  const { cx, team, api, gateway } = await world(t)
  const pkg = await makePackage(cx, { team })
  const open = await connectGateway(t, api.url, gateway)
  await open.next('welcome')
  await startTransfer(cx, pkg.manager, pkg.id, { cloud_connection_id: gateway.id, paths: [''] })
  const { transfer_id } = await open.next('collect')
  open.say({ type: 'failed', transfer_id, message: 'There is no such folder.', passing: false })
  assert.equal((await open.next('stop')).transfer_id, transfer_id)
  assert.equal((await onlyTransfer(cx))?.error, 'There is no such folder.')
})

test('an import that is cancelled while its agent is away takes back what was begun, and the agent adds no more', async (t) => {
  const { cx, team, api, gateway } = await world(t)
  const pkg = await makePackage(cx, { team })
  const open = await connectGateway(t, api.url, gateway)
  await open.next('welcome')
  const wish = { cloud_connection_id: gateway.id, paths: [''] }
  const { id, access_token } = await startTransfer(cx, pkg.manager, pkg.id, wish)
  const agent = await identifyByPackageToken(cx, (await open.next('collect')).token)
  await makeFile(cx, { ...pkg, manager: agent }, { name: 'brought' })
  await makeFile(cx, { ...pkg, manager: agent }, { name: 'begun', finalized: false })
  await makeFile(cx, pkg, { name: 'by somebody else', finalized: false })
  await open.hangUp()
  while ((await onlyTransfer(cx))?.due !== true) await sleep(20)
  await cancelTransfer(cx, await identifyByTransferToken(cx, access_token), id)
  await makeDue(cx)
  assert.equal(await carryAll(cx), 0, 'its agent may be back any moment')
  await makeDue(cx, 31)
  assert.equal(await carryAll(cx), 1)
  assert.deepEqual((await fileRows(cx, pkg.id)).map(({ name }) => name).sort(), ['brought', 'by somebody else'])
  assert.equal((await onlyTransfer(cx))?.due, false)
  const more = { name: 'more', path: '', kind: 'file', last_modified: '2026-01-01T00:00:00.000Z' } as const
  await assert.rejects(addFile(cx, agent, pkg.id, more), { code: 'token_revoked' })
})

test('a process that ends says so, and gives back what it had handed out', async (t) => {
  const { cx, team, api, gateway } = await world(t)
  const pkg = await sentPackage(cx, team)
  const open = await connectGateway(t, api.url, gateway)
  await open.next('welcome')
  await startTransfer(cx, pkg.manager, pkg.id, { cloud_connection_id: gateway.id })
  await open.next('deliver')
  await api.close()
  assert.equal((await open.closed).code, gatewayCloses.restarting)
  assert.equal((await onlyTransfer(cx))?.due, true)
})
