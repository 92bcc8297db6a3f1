import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import * as wire from '@longshore/contract/agent/downloads'
import { setDownloadLimit, setFifoMode } from '@longshore/contract/agent/settings'
import { listFiles } from '@longshore/contract/cloud/files'
import { updateLink } from '@longshore/contract/cloud/links'
import { deletePackage } from '@longshore/contract/cloud/packages'
import { MiB } from '@longshore/contract/limits'
import { type Agent, isIn, makeFolder, startAgent, untilDownload } from '#agent'
import { refused, show, use } from '#calls'
import { send } from '#http'
import { test } from '#record'
import { target } from '#target'
import { finalize, inPackage, lastModified, makeLink, makePackage, makeSent, managing, upload } from '#walk'

// Nobody: a link is all that it takes.
const agent = await startAgent({ apiKey: null })

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const big = randomBytes(9 * MiB)

/** A package with a file in a folder and a large one, sent and linked. */
async function makeRushes(name = 'Rushes: day/12') {
  const pkg = await makePackage({ name })
  await upload(pkg, Buffer.from('ahoy'), { name: 'note.txt', path: 'deep/down' })
  await upload(pkg, big, { name: 'big.bin' })
  await finalize(pkg)
  return { pkg, link: await makeLink(pkg) }
}

const begin = (url: string, more: object = {}, from: Agent = agent) =>
  use(wire.startDownload, { body: { url, dst_folder: makeFolder(), ...more } }, from.at)

const unlimited = { rate_limit_bps: 0, enabled: false }
const crawling = { rate_limit_bps: 8_000, enabled: true }

test('a package is fetched by its link: every byte, every folder, every time of change', async () => {
  const { pkg, link } = await makeRushes()
  const dst_folder = makeFolder()
  const { download_id } = await show(wire.startDownload, { body: { url: link.url, dst_folder } }, agent.at)
  const download = await untilDownload(agent, download_id, isIn('complete'))
  assert.deepEqual(
    [download.package_id, download.size, download.progress, download.total_files, download.files_done],
    [pkg.id, 9 * MiB + 4, 9 * MiB + 4, 2, 2],
  )
  const [folder = ''] = readdirSync(dst_folder)
  assert.equal(download.dst_folder, join(dst_folder, folder))
  assert.equal(sha256(readFileSync(join(dst_folder, folder, 'big.bin'))), sha256(big))
  const note = join(dst_folder, folder, 'deep/down/note.txt')
  assert.equal(readFileSync(note, 'utf8'), 'ahoy')
  assert.equal(statSync(note).mtime.toISOString(), lastModified)
  assert.deepEqual(readdirSync(join(dst_folder, folder)).sort(), ['big.bin', 'deep'])

  const listed = await show(wire.listDownloads, {}, agent.at)
  assert.ok(listed.transfers.some((one) => one.download_id === download_id))
  assert.equal((await use(wire.listDownloads, { query: { states: ['paused'] } }, agent.at)).total, 0)
  const params = { download_id }
  const read = await show(wire.readDownload, { params, query: { items_limit: 1 } }, agent.at)
  assert.equal(read.items.length, 1)
  await refused(wire.pauseDownload, { params }, agent.at, 'transfer_not_running')
  await refused(wire.resumeDownload, { params }, agent.at, 'transfer_not_resumable')
  const rank = { params, body: { fifo_rank: 0 } }
  await refused(wire.setDownloadRank, rank, agent.at, 'transfer_not_queued')
  await show(wire.deleteDownload, { params }, agent.at)
  await refused(wire.readDownload, { params }, agent.at, 'download_not_found')
  assert.ok(existsSync(note))
})

test('single files are fetched, without a folder of the package, and conflicts end as was asked', async () => {
  const { pkg, link } = await makeRushes()
  const files = await use(listFiles, { params: inPackage(pkg) }, managing(pkg))
  const id = files.find(({ name }) => name === 'big.bin')?.id ?? ''
  const more = { create_package_folder: false, file_ids: [id] }
  const fetchInto = async (dst_folder: string, on_conflict?: string) => {
    const { download_id } = await begin(link.url, { ...more, dst_folder, ...(on_conflict && { on_conflict }) })
    return untilDownload(agent, download_id, isIn('complete'))
  }
  const dst = makeFolder()
  writeFileSync(join(dst, 'big.bin'), 'mine')
  await fetchInto(dst)
  assert.equal(readFileSync(join(dst, 'big.bin'), 'utf8'), 'mine')
  assert.deepEqual(readdirSync(dst).sort(), ['big (2).bin', 'big.bin'])

  const { items, total_files } = await fetchInto(dst, 'skip')
  assert.deepEqual([items[0]?.state, total_files], ['skipped', 0])
  assert.equal(readFileSync(join(dst, 'big.bin'), 'utf8'), 'mine')

  await fetchInto(dst, 'overwrite')
  assert.equal(sha256(readFileSync(join(dst, 'big.bin'))), sha256(big))
  const body = { url: link.url, dst_folder: dst, file_ids: [randomUUID()] }
  await refused(wire.startDownload, { body }, agent.at, 'file_not_found')
})

test('downloads are paused, resumed, ranked and deleted; what is unfinished leaves nothing behind', async () => {
  const { link } = await makeRushes()
  await use(setDownloadLimit, { body: crawling }, agent.at)
  const fifo = { enabled: true, active_upload_count: 1, active_download_count: 1 }
  await use(setFifoMode, { body: fifo }, agent.at)
  const dst_folder = makeFolder()
  const first = await begin(link.url, { dst_folder })
  const second = await begin(link.url, { dst_folder })
  const read = (download_id: string) => use(wire.readDownload, { params: { download_id } }, agent.at)
  assert.deepEqual([(await read(first.download_id)).queued, (await read(second.download_id)).queued], [false, true])
  const rank = { params: second, body: { fifo_rank: 0 } }
  assert.deepEqual(await show(wire.setDownloadRank, rank, agent.at), { fifo_rank: 0 })
  assert.deepEqual([(await read(first.download_id)).queued, (await read(second.download_id)).queued], [true, false])
  await use(setFifoMode, { body: { ...fifo, enabled: false } }, agent.at)

  await show(wire.pauseDownload, { params: first }, agent.at)
  assert.equal((await read(first.download_id)).state, 'paused')
  assert.equal((await show(wire.pauseDownloads, {}, agent.at)).affected, 1)
  assert.equal((await show(wire.resumeDownloads, {}, agent.at)).affected, 2)
  await use(wire.pauseDownload, { params: first }, agent.at)
  await show(wire.resumeDownload, { params: first }, agent.at)

  await use(setDownloadLimit, { body: unlimited }, agent.at)
  const { dst_folder: folder } = await untilDownload(agent, first.download_id, isIn('complete'))
  assert.equal(sha256(readFileSync(join(folder, 'big.bin'))), sha256(big))
  await untilDownload(agent, second.download_id, isIn('complete'))

  await use(setDownloadLimit, { body: crawling }, agent.at)
  const single = await makePackage({ name: 'Single' })
  await upload(single, big, { name: 'big.bin', path: 'deep/down' })
  await finalize(single)
  const third = await begin((await makeLink(single)).url, { dst_folder })
  const begun = await untilDownload(agent, third.download_id, ({ items }) => items.some(isIn('transferring')))
  const { dst_folder: left } = begun
  await use(wire.pauseDownload, { params: third }, agent.at)
  assert.equal((await show(wire.deleteDownloads, { query: { states: ['paused'] } }, agent.at)).affected, 1)
  assert.equal(existsSync(left), false)

  const fourth = await begin(link.url, { dst_folder })
  const under = await untilDownload(agent, fourth.download_id, ({ items }) => items.some(isIn('transferring')))
  const { dst_folder: unwanted } = under
  await use(wire.pauseDownload, { params: fourth }, agent.at)
  renameSync(unwanted, join(dst_folder, 'put away'))
  await use(wire.deleteDownload, { params: fourth }, agent.at)
  assert.equal(existsSync(unwanted), false)
  await use(setDownloadLimit, { body: unlimited }, agent.at)
  for (const endpoint of [wire.pauseDownload, wire.resumeDownload, wire.deleteDownload]) {
    await refused(endpoint, { params: third }, agent.at, 'download_not_found')
  }
  await refused(wire.setDownloadRank, { params: third, body: { fifo_rank: 0 } }, agent.at, 'download_not_found')
})

test('a killed agent goes on with a download where it was', async () => {
  const { link } = await makeRushes()
  const own = await startAgent({ apiKey: null })
  await use(setDownloadLimit, { body: { rate_limit_bps: 8 * 4 * MiB, enabled: true } }, own.at)
  const { download_id } = await begin(link.url, {}, own)
  await untilDownload(own, download_id, ({ progress }) => progress > 0)
  await own.stop('SIGKILL')
  const again = await own.again()
  const { dst_folder } = await untilDownload(again, download_id, isIn('complete'))
  assert.equal(sha256(readFileSync(join(dst_folder, 'big.bin'))), sha256(big))
})

test('a link with a password takes the password', async () => {
  const { link } = await makeSent({ password: 'open sesame' })
  const body = { url: link.url, dst_folder: makeFolder() }
  await refused(wire.startDownload, { body }, agent.at, 'link_password_required')
  await refused(wire.startDownload, { body: { ...body, password: 'wrong' } }, agent.at, 'link_password_wrong')
  const { download_id } = await begin(link.url, { password: 'open sesame' })
  const { dst_folder } = await untilDownload(agent, download_id, isIn('complete'))
  assert.equal(readFileSync(join(dst_folder, 'note.txt'), 'utf8'), 'Ahoy.')
})

test('whatever is wrong with a link is told at once, in the words of the cloud', async () => {
  const { pkg, link } = await makeSent()
  const start = (url: string) => ({ body: { url, dst_folder: makeFolder() } })
  for (const url of ['nonsense', 'https://example.test/', `https://example.test/${link.id}`]) {
    await refused(wire.startDownload, start(url), agent.at, 'download_url_invalid')
  }
  await refused(wire.startDownload, start(link.url.replace(link.secret, 'no')), agent.at, 'link_not_found')

  const once = await makeLink(pkg, { access_limit: 1 })
  const { download_id } = await begin(once.url)
  await untilDownload(agent, download_id, isIn('complete'))
  await refused(wire.startDownload, start(once.url), agent.at, 'link_locked')

  const params = { ...inPackage(pkg), link_id: link.id }
  await use(updateLink, { params, body: { active: false } }, managing(pkg))
  await refused(wire.startDownload, start(link.url), agent.at, 'link_inactive')

  const gone = await makeSent()
  await use(deletePackage, { params: inPackage(gone.pkg) }, managing(gone.pkg))
  await refused(wire.startDownload, start(gone.link.url), agent.at, 'package_expired')
})

test('case 208: a destination that cannot be written to is refused, and so is a path that is not absolute', async () => {
  const { link } = await makeSent()
  const occupied = join(makeFolder(), 'file')
  writeFileSync(occupied, '')
  for (const dst_folder of ['relative', '../up', occupied, agent.dataDir, join(agent.dataDir, 'deep')]) {
    await refused(wire.startDownload, { body: { url: link.url, dst_folder } }, agent.at, 'destination_refused')
  }
})

/** A cloud whose waybills were changed on their way. */
async function startForger(): Promise<Server> {
  const forge = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', url: path = '', headers } = request
    const sent = Object.entries(headers).filter(([name]) => name.startsWith('x-') || name === 'accept')
    const answer = await send({ method, url: target.cloud_url + path, headers: sent as [string, string][] })
    const text = path.endsWith('/waybill') ? answer.text.replace(/"size":(\d+)/, '"size":1$1') : answer.text
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  }
  const forger = createServer((request, response) => void forge(request, response))
  await once(forger.listen(0, '127.0.0.1'), 'listening')
  return forger
}

test('a waybill that the server did not sign is refused, and nothing is fetched', async (t) => {
  const forger = await startForger()
  t.after(() => forger.close())
  const { port } = forger.address() as { port: number }
  const own = await startAgent({ apiKey: null, cloudUrl: `http://127.0.0.1:${port}` })
  const { link } = await makeSent()
  const body = { url: link.url, dst_folder: makeFolder() }
  const { message } = await refused(wire.startDownload, { body }, own.at, 'content_mismatch')
  assert.match(message, /signature/)
  assert.deepEqual(readdirSync(body.dst_folder), [])
})

test('a link cannot be opened without the cloud', async () => {
  const alone = await startAgent({ apiKey: null, cloudUrl: 'http://127.0.0.1:9' })
  const url = `http://127.0.0.1:9/d/${randomUUID()}?secret=abc`
  await refused(wire.startDownload, { body: { url, dst_folder: makeFolder() } }, alone.at, 'cloud_unreachable')
})
