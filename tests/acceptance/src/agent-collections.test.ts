import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listUploads } from '@longshore/contract/agent/uploads'
import { setUploadLimit } from '@longshore/contract/agent/settings'
import { cancelTransfer, retryTransfer, startTransfer } from '@longshore/contract/cloud/connections'
import { listFiles, waybill } from '@longshore/contract/cloud/files'
import { readPackage } from '@longshore/contract/cloud/packages'
import { makeFiles, makeFolder, startAgent } from '#agent'
import { eventually } from '#automations'
import { refused, use } from '#calls'
import { connectFolder, holding, makeGateway, ofTransfer, untilTransfer } from '#gateways'
import { test } from '#record'
import { fetchFile, inPackage, inspected, makeLink, makePackage, managing, type Package, readTokenOf } from '#walk'

const agent = await startAgent()

const wish = (gateway: { readonly id: string }, pkg: Package, more: object = {}) => ({
  params: inPackage(pkg),
  body: { cloud_connection_id: gateway.id, paths: [''], ...more },
})

const stateOf = async (pkg: Package) => (await use(readPackage, { params: inPackage(pkg) }, managing(pkg))).state

const filesOf = async (pkg: Package) =>
  (await use(listFiles, { params: inPackage(pkg) }, managing(pkg))).filter(({ kind }) => kind === 'file')

test('a package is filled from the folder behind a gateway and sent on; a link in it leads nowhere', async () => {
  const folder = realpathSync(
    makeFiles({ 'out/day 1/clip.mov': 'from the NAS', 'out/note.txt': 'Ahoy.', 'other.txt': 'x' }),
  )
  const secret = realpathSync(makeFiles({ 'key.txt': 'not for you' }))
  symlinkSync(secret, join(folder, 'out', 'way'))
  writeFileSync(join(folder, 'out', 'two\nlines'), 'no name for a package')
  writeFileSync(join(folder, 'out', '.DS_Store'), 'nobody misses it')
  const gateway = await makeGateway({ direction: 'import', target_directory: 'out' })
  const pkg = await makePackage()
  await refused(startTransfer, wish(gateway, pkg), managing(pkg), 'gateway_offline')
  await connectFolder(agent, folder, gateway, { permissions: 'r' })
  const started = await use(startTransfer, wish(gateway, pkg, { finalize: true }), managing(pkg))
  const done = await untilTransfer(started)
  assert.deepEqual(
    [done.direction, done.state, done.error, done.progress, done.size, done.left_out],
    ['import', 'complete', '', 17, 17, 2],
  )
  assert.equal(await stateOf(pkg), 'finalized')
  await inspected(pkg)
  const { files } = await use(waybill, { params: inPackage(pkg) }, managing(pkg))
  assert.deepEqual(files.map(({ path }) => path).toSorted(), ['day 1/clip.mov', 'note.txt'])
  const readToken = await readTokenOf(await makeLink(pkg))
  const clip = (await filesOf(pkg)).find(({ name }) => name === 'clip.mov')
  assert.equal((await fetchFile(pkg, clip?.id ?? '', readToken)).text, 'from the NAS')
  const { transfers } = await use(listUploads, { query: {} }, agent.at)
  const mine = transfers.find(({ upload_id }) => upload_id === started.id)
  assert.deepEqual([mine?.type, mine?.state], ['gateway', 'complete'])
})

test('what is not there, or may not be read, is told, and nothing is left in the package', async () => {
  const gateway = await makeGateway()
  await connectFolder(agent, realpathSync(makeFiles({ 'a.txt': 'a' })), gateway)
  const pkg = await makePackage()
  const started = await use(startTransfer, wish(gateway, pkg, { paths: ['a.txt', 'gone.txt'] }), managing(pkg))
  const failed = await untilTransfer(started)
  assert.equal(failed.state, 'error')
  assert.match(failed.error, /gone\.txt' is not there any more/)
  const unfinished = async () => (await filesOf(pkg)).every(({ state }) => state === 'finalized')
  await eventually('what was begun has left the package', unfinished)
  const closed = await makeGateway()
  await connectFolder(agent, realpathSync(makeFiles({ 'a.txt': 'a' })), closed, { permissions: 'w' })
  await refused(startTransfer, wish(closed, pkg), managing(pkg), 'validation_failed')
})

test('a collection that is cancelled leaves the package as far as it had come, and goes on when it is wanted again', async () => {
  const folder = realpathSync(makeFolder())
  const content = randomBytes(12 * 1024 * 1024)
  mkdirSync(join(folder, 'reel'))
  writeFileSync(join(folder, 'reel', 'large.mov'), content)
  writeFileSync(join(folder, 'a.txt'), 'a')
  const gateway = await makeGateway()
  await connectFolder(agent, folder, gateway)
  const pkg = await makePackage()
  await use(setUploadLimit, { body: { enabled: true, rate_limit_bps: 8 * 1024 * 1024 } }, agent.at)
  const started = await use(startTransfer, wish(gateway, pkg, { finalize: true }), managing(pkg))
  await untilTransfer(started, ({ progress }) => progress > 0)
  await use(cancelTransfer, { params: ofTransfer(started) }, holding(started))
  await eventually('what had not come has left the package', async () =>
    (await filesOf(pkg)).every(({ state }) => state === 'finalized'),
  )
  assert.equal(await stateOf(pkg), 'new')
  await use(setUploadLimit, { body: { enabled: false, rate_limit_bps: 8 * 1024 * 1024 } }, agent.at)
  await use(retryTransfer, { params: ofTransfer(started) }, holding(started))
  assert.equal((await untilTransfer(started)).state, 'complete')
  const sizes = (await filesOf(pkg)).map(({ name, size }) => `${name} ${size}`).toSorted()
  assert.deepEqual(sizes, ['a.txt 1', `large.mov ${content.length}`])
})
