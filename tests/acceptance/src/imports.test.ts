import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import * as wire from '@longshore/contract/cloud/connections'
import { listFiles } from '@longshore/contract/cloud/files'
import { finalizePackage, readPackage } from '@longshore/contract/cloud/packages'
import { refused, show, use } from '#calls'
import { ended, holding, makeConnection, of } from '#carried'
import { elsewhere } from '#elsewhere'
import { makePortal, sendTo } from '#portals'
import { test } from '#record'
import {
  fetchFile,
  finalize,
  inPackage,
  inspected,
  makeLink,
  makePackage,
  makeSent,
  managing,
  type Package,
  readTokenOf,
  upload,
} from '#walk'

const clip = randomBytes(6 * 1024 * 1024)

/** A folder in somebody else's bucket with two files in it: a package that was sent there. */
async function filledFolder(bucket: 'open' | 'closed') {
  const connection = await makeConnection({
    authorization: elsewhere(bucket),
    target_directory: `imports/${randomUUID()}`,
  })
  const pkg = await makePackage()
  await upload(pkg, clip, { name: 'clip.mov', path: 'day 1' })
  await upload(pkg, Buffer.from('Ahoy.'), { name: 'note.txt' })
  await finalize(pkg)
  const sent = { params: inPackage(pkg), body: { cloud_connection_id: connection.id } }
  const done = await ended(await use(wire.startTransfer, sent, managing(pkg)))
  assert.equal(done.state, 'complete')
  const folder = `${connection.target_directory}/${pkg.name}-${pkg.id.slice(-8)}`
  return { connection, folder }
}

const stateOf = async (pkg: Package) => (await use(readPackage, { params: inPackage(pkg) }, managing(pkg))).state

/** What was put into a package; archives of it are not meant. */
const namesIn = async (pkg: Package) =>
  (await use(listFiles, { params: inPackage(pkg) }, managing(pkg)))
    .filter(({ kind }) => kind === 'file')
    .map(({ path, name }) => `${path}|${name}`)
    .toSorted()

for (const bucket of ['open', 'closed'] as const) {
  test(`files come from a connection into a package and are sent on: a bucket that our store may copy from is ${bucket}`, async () => {
    const { connection, folder } = await filledFolder(bucket)
    const pkg = await makePackage()
    const body = {
      cloud_connection_id: connection.id,
      target_directory: folder,
      paths: ['day 1/', 'note.txt'],
      finalize: true,
    }
    const started = await show(wire.startTransfer, { params: inPackage(pkg), body }, managing(pkg))
    assert.deepEqual([started.direction, started.state, started.package_id], ['import', 'pending', pkg.id])
    const done = await ended(started)
    assert.deepEqual(
      [done.state, done.error, done.progress, done.size],
      ['complete', '', clip.length + 5, clip.length + 5],
    )
    const files = await inspected(pkg)
    assert.deepEqual(await namesIn(pkg), ['day 1|clip.mov', '|note.txt'].toSorted())
    const readToken = await readTokenOf(await makeLink(pkg))
    const large = files.find(({ name }) => name === 'clip.mov')
    assert.ok((await fetchFile(pkg, large?.id ?? '', readToken)).body.equals(clip))
    const listed = await show(wire.listTransfers, { params: inPackage(pkg) }, managing(pkg))
    assert.deepEqual(
      listed.map(({ direction }) => direction),
      ['import'],
    )
    await refused(wire.retryTransfer, { params: of(started) }, holding(started), 'transfer_not_retryable')
    await refused(wire.startTransfer, { params: inPackage(pkg), body }, managing(pkg), 'package_not_new')
  })
}

test('a package is filled by its own sender alone, and only from where its Team may take files', async () => {
  const connection = await makeConnection({ direction: 'import' })
  const pkg = await makePackage()
  const start = (more: object, name: Parameters<typeof refused>[3]) => {
    const body = { cloud_connection_id: connection.id, paths: [''], ...more }
    return refused(wire.startTransfer, { params: inPackage(pkg), body }, managing(pkg), name)
  }
  const onlyExport = await makeConnection({ direction: 'export' })
  await start({ cloud_connection_id: onlyExport.id }, 'validation_failed')
  await start({ cloud_connection_id: randomUUID() }, 'validation_failed')
  await start({ authorization: elsewhere('open') }, 'validation_failed')
  await start({ paths: [] }, 'validation_failed')
  await start({ paths: Array.from({ length: 1_001 }, (_, index) => `${index}`) }, 'validation_failed')
  await start({ paths: ['fine', '../x'] }, 'validation_failed')
  const { pkg: sent } = await makeSent()
  const body = { cloud_connection_id: onlyExport.id, finalize: true }
  await refused(wire.startTransfer, { params: inPackage(sent), body }, managing(sent), 'validation_failed')
  const received = await sendTo(await makePortal({}))
  const imported = { params: inPackage(received), body: { cloud_connection_id: connection.id, paths: [''] } }
  await refused(wire.startTransfer, imported, managing(received), 'token_level_insufficient')
})

test('an import that does not find what is wanted says what, leaves nothing behind, and can be tried again', async () => {
  const { connection, folder } = await filledFolder('closed')
  const pkg = await makePackage()
  const body = { cloud_connection_id: connection.id, target_directory: folder, paths: ['note.txt', 'missing.txt'] }
  const started = await use(wire.startTransfer, { params: inPackage(pkg), body }, managing(pkg))
  const failed = await ended(started)
  assert.deepEqual([failed.state, failed.error], ['error', `There is no '${folder}/missing.txt'.`])
  assert.deepEqual([await stateOf(pkg), await namesIn(pkg)], ['new', []])
  assert.equal((await show(wire.retryTransfer, { params: of(started) }, holding(started))).state, 'pending')
  assert.equal((await ended(started)).state, 'error')
})

test('while an import is under way its package cannot be finalized; cancelled, it can', async () => {
  const away = { ...elsewhere('closed'), endpoint: 'http://127.0.0.1:1025' }
  const pkg = await makePackage()
  await upload(pkg, Buffer.from('mine'), { name: 'mine.txt' })
  const wish = { params: inPackage(pkg), body: { authorization: away, paths: [''], finalize: true } }
  const started = await use(wire.startTransfer, wish, managing(pkg))
  assert.equal(started.cloud_connection_id, '')
  await refused(finalizePackage, { params: inPackage(pkg) }, managing(pkg), 'files_unfinished')
  assert.equal((await show(wire.cancelTransfer, { params: of(started) }, holding(started))).state, 'cancelled')
  await finalize(pkg)
  assert.deepEqual([await stateOf(pkg), await namesIn(pkg)], ['finalized', ['|mine.txt']])
  await refused(wire.retryTransfer, { params: of(started) }, holding(started), 'package_not_new')
})
