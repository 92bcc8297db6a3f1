import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import * as wire from '@longshore/contract/agent/gateway'
import { listDownloads } from '@longshore/contract/agent/downloads'
import { setDownloadLimit } from '@longshore/contract/agent/settings'
import {
  cancelTransfer,
  deleteConnection,
  listConnectionFiles,
  retryTransfer,
  rotateGatewaySecret,
  testConnection,
} from '@longshore/contract/cloud/connections'
import { makeFiles, makeFolder, sendAsTeam, startAgent } from '#agent'
import { eventually, sentAs } from '#automations'
import { refused, show, use } from '#calls'
import {
  connectFolder,
  deliver,
  folderOf,
  gatewayOf,
  holding,
  makeGateway,
  ofTransfer,
  untilState,
  untilTransfer,
} from '#gateways'
import { asOwner, makePortal, sendTo } from '#portals'
import { test } from '#record'
import { finalize, lastModified, makePackage, makeSent, someName, upload } from '#walk'

const agent = await startAgent()
const isRoot = process.geteuid?.() === 0

const aFolder = (files: Readonly<Record<string, string>> = {}) => {
  const folder = makeFiles(files)
  mkdirSync(folder, { recursive: true })
  return realpathSync(folder)
}

const registering = (root_path: string, more: object = {}) => ({
  body: { id: randomUUID(), name: 'NAS', permissions: 'rw', root_path, secret: 'not-the-secret-of-any', ...more },
})

const browse = (id: string, prefix = '', more: object = {}) =>
  show(listConnectionFiles, { params: { cloud_connection_id: id }, query: { prefix, ...more } }, asOwner)

const filesBelow = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))

const partsBelow = (root: string): number => filesBelow(root).filter((name) => name.endsWith('.part')).length

/** A folder behind an agent of its own, which fetches so many bytes a second. */
async function slowFolder(rate_limit_bps: number) {
  const slow = await startAgent()
  const root = aFolder()
  const gateway = await makeGateway()
  await connectFolder(slow, root, gateway)
  await use(setDownloadLimit, { body: { rate_limit_bps, enabled: true } }, slow.at)
  return { slow, root, gateway }
}

/** Everything below a folder that nobody writes to any more, files with their content. */
const treeOf = (root: string): Record<string, string> =>
  Object.fromEntries(filesBelow(root).map((path) => [path, readFileSync(join(root, path), 'utf8')]))

test('a folder is registered, listed, changed and unregistered, and its secret is never shown', async () => {
  const [root, other] = [aFolder(), aFolder()]
  const gateway = await makeGateway()
  const body = { ...gateway, name: 'NAS', permissions: 'rw' as const, root_path: root }
  const made = await show(wire.registerGateway, { body }, agent.at)
  assert.deepEqual(
    { ...made, state: '' },
    { id: gateway.id, name: 'NAS', permissions: 'rw', root_path: root, state: '', last_error: '' },
  )
  const connected = await untilState(agent, gateway.id, 'connected')
  assert.equal(connected.last_error, '')
  await refused(wire.registerGateway, { body }, agent.at, 'gateway_exists')

  const changed = await show(wire.updateGateway, { body: { id: gateway.id, root_path: other } }, agent.at)
  assert.equal(changed.root_path, other)
  await untilState(agent, gateway.id, 'connected')
  if (isRoot) {
    const given = await use(
      wire.updateGateway,
      { body: { id: gateway.id, user_id: 12_345, group_id: 54_321 } },
      agent.at,
    )
    assert.deepEqual([given.user_id, given.group_id], [12_345, 54_321])
    const taken = await use(wire.updateGateway, { body: { id: gateway.id, user_id: -1 } }, agent.at)
    assert.deepEqual([taken.user_id, taken.group_id], [undefined, 54_321])
  }
  const listed = await show(wire.listGateways, {}, agent.at)
  assert.ok(!JSON.stringify([made, changed, listed]).includes(gateway.secret))

  assert.deepEqual(await show(wire.unregisterGateway, { body: { id: gateway.id } }, agent.at), { code: 200 })
  assert.equal(await gatewayOf(agent, gateway.id), undefined)
  const gone = { body: { id: gateway.id } }
  await refused(wire.unregisterGateway, gone, agent.at, 'gateway_not_found')
  await refused(wire.updateGateway, gone, agent.at, 'gateway_not_found')
})

test('only a folder that is there can be registered, and none with the tokens of the agent in it', async () => {
  const folder = aFolder({ 'a.txt': 'a' })
  for (const root of [join(folder, 'gone'), join(folder, 'a.txt'), 'relative/path']) {
    const { details } = await refused(wire.registerGateway, registering(root), agent.at, 'path_not_found')
    assert.equal(details?.[0]?.field, 'root_path')
  }
  for (const root of ['/', agent.dataDir, join(agent.dataDir, '..')]) {
    await refused(wire.registerGateway, registering(root), agent.at, 'validation_failed')
  }
  const gateway = await makeGateway()
  await connectFolder(agent, folder, gateway)
  const elsewhere = { body: { id: gateway.id, root_path: join(folder, 'gone') } }
  await refused(wire.updateGateway, elsewhere, agent.at, 'path_not_found')
  assert.equal((await gatewayOf(agent, gateway.id))?.root_path, folder)
})

test('case 209: a link is registered as what it leads to, so that turning it later turns nothing', async () => {
  const [real, holder] = [aFolder({ 'a.txt': 'a' }), aFolder()]
  symlinkSync(real, join(holder, 'link'))
  const gateway = await makeGateway()
  assert.equal((await connectFolder(agent, join(holder, 'link'), gateway)).root_path, real)
})

test('case 218: no override of 0 or below is taken, nor where nothing is written, nor by an agent that is not root', async () => {
  const folder = aFolder()
  for (const wrong of [
    { user_id: 0 },
    { group_id: 0 },
    { user_id: -1 },
    { user_id: -2 },
    { group_id: 4_294_967_295 },
  ]) {
    await refused(wire.registerGateway, registering(folder, wrong), agent.at, 'validation_failed')
  }
  const reading = registering(folder, { permissions: 'r', user_id: 12_345 })
  await refused(wire.registerGateway, reading, agent.at, 'validation_failed')
  const gateway = await makeGateway()
  await connectFolder(agent, folder, gateway)
  for (const wrong of [{ user_id: 0 }, { group_id: -2 }]) {
    await refused(wire.updateGateway, { body: { id: gateway.id, ...wrong } }, agent.at, 'validation_failed')
  }
  if (!isRoot) await refused(wire.registerGateway, registering(folder, { user_id: 1 }), agent.at, 'validation_failed')
})

test('what is behind a gateway is seen by its Team, page by page', async () => {
  const files = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`Day 1/${n}.mov`, 'x'.repeat(n)]))
  const root = aFolder({ ...files, 'note.txt': 'Ahoy.' })
  const gateway = await makeGateway()
  await connectFolder(agent, root, gateway)
  const tried = await show(testConnection, { params: { cloud_connection_id: gateway.id } }, asOwner)
  assert.deepEqual(tried, { ok: true, message: '' })
  const { files: top } = await browse(gateway.id)
  assert.deepEqual(
    top.map(({ kind, path, size }) => [kind, path, size]),
    [
      ['directory', 'Day 1', undefined],
      ['file', 'note.txt', 5],
    ],
  )
  const first = await browse(gateway.id, 'Day 1', { count: 3 })
  const rest = await browse(gateway.id, 'Day 1', { count: 3, after: first.next })
  assert.deepEqual(
    [...first.files, ...rest.files].map(({ path, size }) => [path, size]),
    [0, 1, 2, 3, 4].map((n) => [`Day 1/${n}.mov`, n]),
  )
  assert.equal(rest.next, '')
  for (const prefix of ['gone', 'note.txt', '../..']) {
    const input = { params: { cloud_connection_id: gateway.id }, query: { prefix } }
    await refused(listConnectionFiles, input, asOwner, 'connection_refused')
  }
})

test('case 213: links below the root are neither shown nor followed, and nothing is delivered through them', async () => {
  const [root, outside] = [aFolder({ 'a.txt': 'a' }), aFolder({ 'secret.txt': 'secret' })]
  symlinkSync(outside, join(root, 'in'))
  symlinkSync('..', join(root, 'up'))
  const gateway = await makeGateway({ target_directory: 'in' })
  await connectFolder(agent, root, gateway)
  assert.deepEqual(
    (await browse(gateway.id)).files.map(({ name }) => name),
    ['a.txt'],
  )
  for (const prefix of ['in', 'up']) {
    const input = { params: { cloud_connection_id: gateway.id }, query: { prefix } }
    await refused(listConnectionFiles, input, asOwner, 'connection_refused')
  }
  const { pkg } = await makeSent()
  const { state, error } = await untilTransfer(await deliver(pkg, gateway))
  assert.equal(state, 'error')
  assert.match(error, /nothing is written through it/)
  assert.match(error, /'\/in'/)
  assert.ok(!error.includes(root), 'what is above the root is no business of the cloud')
  assert.deepEqual(readdirSync(outside), ['secret.txt'])
})

test('a package arrives below the root of the gateway, as a download of the agent', async () => {
  const root = aFolder()
  const gateway = await makeGateway({ direction: 'export', target_directory: 'in/today' })
  await connectFolder(agent, root, gateway, isRoot ? { user_id: 12_345, group_id: 54_321 } : {})
  const pkg = await makePackage()
  const clip = randomBytes(6 * 1024 * 1024)
  await upload(pkg, clip, { name: 'clip.mov', path: 'Day 1' })
  await upload(pkg, Buffer.from('Ahoy.'), { name: 'note.txt' })
  await finalize(pkg)
  const transfer = await untilTransfer(await deliver(pkg, gateway))
  const size = clip.length + 5
  assert.deepEqual([transfer.state, transfer.progress, transfer.size, transfer.error], ['complete', size, size, ''])
  const folder = join(root, 'in/today', folderOf(pkg))
  const there = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  assert.deepEqual(there.toSorted(), ['Day 1', 'Day 1/clip.mov', 'note.txt'])
  assert.ok(readFileSync(join(folder, 'Day 1/clip.mov')).equals(clip))
  const { mtime, uid, gid } = statSync(join(folder, 'note.txt'))
  assert.equal(mtime.toISOString(), lastModified)
  if (isRoot) {
    assert.deepEqual([uid, gid], [12_345, 54_321])
    for (const made of ['in', 'in/today', 'in/today/' + folderOf(pkg)])
      assert.equal(statSync(join(root, made)).uid, 12_345)
    assert.equal(statSync(root).uid, process.geteuid?.(), 'the root was there before')
  }
  const { transfers } = await use(listDownloads, { query: {} }, agent.at)
  const download = transfers.find(({ download_id }) => download_id === transfer.id)
  assert.deepEqual([download?.state, download?.dst_folder, download?.size], ['complete', folder, size])
})

test('a package of more files than the cloud tells of at once arrives whole', async () => {
  const files = Object.fromEntries(Array.from({ length: 1_100 }, (_, n) => [`Day ${n % 7}/${n}.txt`, `file ${n}`]))
  const source = makeFiles(files)
  const name = someName('Many')
  await sendAsTeam(agent, source, { package_name: name })
  const [pkg] = await sentAs(name)
  assert.ok(pkg !== undefined)
  const root = aFolder()
  const gateway = await makeGateway()
  await connectFolder(agent, root, gateway)
  assert.equal((await untilTransfer(await deliver(pkg, gateway))).state, 'complete')
  assert.deepEqual(treeOf(join(root, folderOf(pkg), basename(source))), files)
})

test('what comes through a Portal arrives behind its gateway; each gateway of an agent works for itself', async () => {
  const [one, other] = [await makeGateway(), await makeGateway()]
  const [oneRoot, otherRoot] = [aFolder(), aFolder()]
  await connectFolder(agent, oneRoot, one)
  await connectFolder(agent, otherRoot, other)
  const portal = await makePortal({ cloud_connections: [{ id: one.id }, { id: other.id }] })
  const pkg = await sendTo(portal)
  await upload(pkg, Buffer.from('Ahoy.'), { name: 'note.txt' })
  await finalize(pkg)
  const expected = { [`${folderOf(pkg)}/note.txt`]: 'Ahoy.' }
  for (const root of [oneRoot, otherRoot]) {
    await eventually('the package is there and no part of it', async () => {
      const names = filesBelow(root)
      return names.length > 0 && !names.some((name) => name.endsWith('.part'))
    })
    assert.deepEqual(treeOf(root), expected)
  }
})

test('case 215: a gateway that may only be read is never written to, and one that may only be written is not shown', async () => {
  const root = aFolder({ 'a.txt': 'a' })
  const reading = await makeGateway()
  await connectFolder(agent, root, reading, { permissions: 'r' })
  const { pkg } = await makeSent()
  const started = await deliver(pkg, reading)
  const { state, error } = await untilTransfer(started)
  assert.equal(state, 'error')
  assert.match(error, /Nothing may be written here/)
  assert.deepEqual(treeOf(root), { 'a.txt': 'a' })
  await use(wire.unregisterGateway, { body: { id: reading.id } }, agent.at)
  await eventually('the cloud has noticed', async () => {
    const { ok } = await tryGateway(reading.id)
    return !ok
  })
  await refused(retryTransfer, { params: ofTransfer(started) }, holding(started), 'gateway_offline')

  const writing = await makeGateway({ direction: 'export' })
  await connectFolder(agent, root, writing, { permissions: 'w' })
  const input = { params: { cloud_connection_id: writing.id }, query: {} }
  await refused(listConnectionFiles, input, asOwner, 'connection_refused')
  assert.equal((await tryGateway(writing.id)).ok, true)
})

/** Whether the cloud can reach it. */
const tryGateway = async (id: string): Promise<{ ok: boolean }> => {
  try {
    return await use(testConnection, { params: { cloud_connection_id: id } }, asOwner)
  } catch {
    return { ok: false }
  }
}

test('case 216: a wrong secret, and the right one of a connection that was deleted, are refused in words', async () => {
  const root = aFolder()
  const gateway = await makeGateway()
  await use(wire.registerGateway, registering(root, { id: gateway.id }) as never, agent.at)
  const wrong = await untilState(agent, gateway.id, 'error')
  assert.match(wrong.last_error, /another secret/)
  await use(wire.unregisterGateway, { body: { id: gateway.id } }, agent.at)

  await connectFolder(agent, root, gateway)
  await use(deleteConnection, { params: { cloud_connection_id: gateway.id } }, asOwner)
  assert.match((await untilState(agent, gateway.id, 'error')).last_error, /deleted/)
  await use(wire.updateGateway, { body: { id: gateway.id } }, agent.at)
  const again = await eventually('it was tried again', async () => {
    const one = await gatewayOf(agent, gateway.id)
    return one?.state === 'error' && one
  })
  assert.match(again.last_error, /no such gateway/)
})

test('a delivery that is cancelled leaves whole files and no parts; tried again, it brings what is missing, once', async () => {
  const { slow, root, gateway } = await slowFolder(1_000_000)
  const pkg = await makePackage()
  const clip = randomBytes(3 * 1024 * 1024)
  await upload(pkg, Buffer.from('Ahoy.'), { name: 'note.txt' })
  await upload(pkg, clip, { name: 'clip.mov' })
  await finalize(pkg)
  const started = await deliver(pkg, gateway)
  const note = join(root, folderOf(pkg), 'note.txt')
  await eventually('the first is there, the second under way', async () => existsSync(note) && partsBelow(root) === 1)
  await use(cancelTransfer, { params: ofTransfer(started) }, holding(started))
  await eventually('no part is left', async () => partsBelow(root) === 0)
  assert.deepEqual(treeOf(root), { [`${folderOf(pkg)}/note.txt`]: 'Ahoy.' })
  const [stopped] = (await use(listDownloads, { query: {} }, slow.at)).transfers
  assert.deepEqual([stopped?.state, stopped?.error?.error], ['error', 'delivery_stopped'])

  await use(setDownloadLimit, { body: { rate_limit_bps: 0, enabled: false } }, slow.at)
  await use(retryTransfer, { params: ofTransfer(started) }, holding(started))
  assert.equal((await untilTransfer(started)).state, 'complete')
  assert.ok(readFileSync(join(root, folderOf(pkg), 'clip.mov')).equals(clip))
  assert.deepEqual(readdirSync(join(root, folderOf(pkg))).toSorted(), ['clip.mov', 'note.txt'])
})

test('what is under way over a connection that is deleted ends at its agent as well, and leaves no parts', async () => {
  const { slow, root, gateway } = await slowFolder(100_000)
  const pkg = await makePackage()
  await upload(pkg, randomBytes(3 * 1024 * 1024), { name: 'clip.mov' })
  await finalize(pkg)
  const started = await deliver(pkg, gateway)
  await eventually('it is under way', async () => partsBelow(root) === 1)
  await use(deleteConnection, { params: { cloud_connection_id: gateway.id } }, asOwner)
  await eventually('no part is left', async () => partsBelow(root) === 0)
  const [stopped] = (await use(listDownloads, { query: {} }, slow.at)).transfers
  assert.deepEqual([stopped?.state, stopped?.error?.error], ['error', 'delivery_stopped'])
  assert.deepEqual(treeOf(root), {})
  await refused(retryTransfer, { params: ofTransfer(started) }, holding(started), 'transfer_not_retryable')
})

test('a renewed secret disconnects the agent, which says what to do; with the new one its delivery goes on and ends well', async () => {
  const { slow, root, gateway } = await slowFolder(100_000)
  const pkg = await makePackage()
  const clip = randomBytes(3 * 1024 * 1024)
  await upload(pkg, clip, { name: 'clip.mov' })
  await finalize(pkg)
  const started = await deliver(pkg, gateway)
  await eventually('it is under way', async () => partsBelow(root) === 1)

  const { secret } = await use(rotateGatewaySecret, { params: { cloud_connection_id: gateway.id } }, asOwner)
  const told = await untilState(slow, gateway.id, 'error')
  assert.match(told.last_error, new RegExp(`renewed.* longshore gateway set ${gateway.id.slice(-8)} --secret$`))
  assert.equal((await tryGateway(gateway.id)).ok, false)
  assert.equal(partsBelow(root), 1, 'it is still under way')
  // What is said again is no better, and what is wrong is not kept from being mended.
  const wrong = { body: { id: gateway.id, secret: gateway.secret } }
  await use(wire.updateGateway, wrong, slow.at)
  assert.match((await untilState(slow, gateway.id, 'error')).last_error, /another secret.*longshore gateway set/)
  await slow.stop('SIGKILL')
  const again = await slow.again()
  assert.match((await untilState(again, gateway.id, 'error')).last_error, /another secret/)

  const { last_error, ...shown } = await show(wire.updateGateway, { body: { id: gateway.id, secret } }, again.at)
  assert.deepEqual([shown.root_path, last_error], [root, ''])
  await untilState(again, gateway.id, 'connected')
  await use(setDownloadLimit, { body: { rate_limit_bps: 0, enabled: false } }, again.at)
  assert.equal((await untilTransfer(started)).state, 'complete')
  assert.ok(readFileSync(join(root, folderOf(pkg), 'clip.mov')).equals(clip))
  assert.deepEqual(readdirSync(join(root, folderOf(pkg))), ['clip.mov'])
})

test('gateways are there again after a start of the agent, and a root that is away is waited for', async () => {
  const first = await startAgent()
  const [root, away] = [aFolder({ 'a.txt': 'a' }), join(makeFolder(), 'share')]
  const [gateway, other] = [await makeGateway(), await makeGateway()]
  mkdirSync(away)
  await connectFolder(first, root, gateway)
  await connectFolder(first, away, other)
  await first.stop('SIGKILL')
  rmdirSync(away)
  const again = await first.again()
  await untilState(again, gateway.id, 'connected')
  assert.deepEqual(
    (await browse(gateway.id)).files.map(({ name }) => name),
    ['a.txt'],
  )
  const missing = await eventually('it says what is missing', async () => {
    const one = await gatewayOf(again, other.id)
    return one !== undefined && one.last_error !== '' && one
  })
  assert.equal(missing.state, 'connecting')
  assert.match(missing.last_error, /There is no folder/)
  mkdirSync(away)
  await untilState(again, other.id, 'connected')
})
