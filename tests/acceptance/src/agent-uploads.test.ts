import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import * as wire from '@longshore/contract/agent/uploads'
import { listFiles } from '@longshore/contract/cloud/files'
import { lookUpLink } from '@longshore/contract/cloud/links'
import { readTeamPackage } from '@longshore/contract/cloud/packages'
import { createSpace } from '@longshore/contract/cloud/spaces'
import { MiB } from '@longshore/contract/limits'
import { isIn, makeFiles, makeFolder, sendAsTeam, startAgent, untilUpload } from '#agent'
import { refused, show, use } from '#calls'
import { mailsTo } from '#mail'
import { asOwner } from '#portals'
import { test } from '#record'
import { target } from '#target'
import { someName } from '#walk'

const agent = await startAgent()
const team = { team_id: target.team_id }

/** As the Team sees it. */
const packageOf = (package_id: string) => use(readTeamPackage, { params: { ...team, package_id } }, asOwner)

const filesOf = async (package_id: string) => {
  const { access_token: packageToken = '' } = await packageOf(package_id)
  const files = await use(listFiles, { params: { package_id } }, { as: { packageToken } })
  return files.filter(({ kind }) => kind === 'file' || kind === 'directory')
}

const placeOf = ({ path, name }: { path: string; name: string }) => (path === '' ? name : `${path}/${name}`)

test('files and folders are sent as a Team with all that was asked for, and the recipients are told', async () => {
  const folder = makeFiles({ 'a.txt': 'a', 'deep/down/b.bin': randomBytes(6 * MiB), 'empty.txt': '' })
  const single = join(makeFiles({ 'single.mov': 'film' }), 'single.mov')
  const recipient = `agent-${randomBytes(6).toString('hex')}@example.test`
  const space = await use(createSpace, { params: team, body: { name: someName('Editors') } }, asOwner)
  const tag = someName('dailies')
  const body = {
    ...team,
    paths: [folder, single],
    recipients: [recipient],
    package_name: someName('Day 12'),
    package_description: 'Two\nlines',
    chunk_size: 5 * MiB,
    priority: 3,
    password: 'the password',
    delete_after: 3,
    download_limit: 7,
    tag: { name: tag },
    teamspace_id: space.id,
  }
  const { upload_id, package_id } = await show(wire.startUpload, { body }, agent.at)
  const upload = await untilUpload(agent, upload_id, isIn('complete'))
  assert.deepEqual(
    [upload.package_id, upload.name, upload.package_name, upload.type, upload.priority, upload.total_files],
    [package_id, body.package_name, body.package_name, 'team', 3, 4],
  )
  assert.deepEqual([upload.progress, upload.size, upload.files_done], [6 * MiB + 5, 6 * MiB + 5, 4])
  assert.ok(upload.items.every(({ state, size, progress }) => state === 'complete' && size === progress))

  const pkg = await packageOf(package_id)
  assert.deepEqual(
    [pkg.state, pkg.name, pkg.description, pkg.access_limit, pkg.chunk_size, pkg.tag?.name, pkg.teamspace?.id],
    ['finalized', body.package_name, body.package_description, 7, 5 * MiB, tag, space.id],
  )
  assert.equal(Math.round((Date.parse(pkg.expiry) - Date.parse(pkg.created_at)) / 86_400_000), 3)
  const top = basename(folder)
  assert.deepEqual(
    (await filesOf(package_id)).map(placeOf).sort(),
    [top, 'a.txt', 'deep', 'deep/down', 'deep/down/b.bin', 'empty.txt']
      .map((path, index) => (index === 0 ? path : `${top}/${path}`))
      .concat('single.mov')
      .sort(),
  )
  const [mail] = await mailsTo(recipient, 1)
  assert.match(mail?.text ?? '', /\?secret=/)
})

test('what nobody means to send is left out, and the upload says so', async () => {
  const folder = makeFiles({ 'a.txt': 'a', '.DS_Store': 'x', 'sub/Thumbs.db': 'x', 'sub/desktop.ini': 'x' })
  symlinkSync('/etc/hostname', join(folder, 'way-out'))
  const { items, total_files, package_id, upload_id } = await sendAsTeam(agent, folder)
  const skipped = items.filter(isIn('skipped'))
  const troubled: ['skipped', 'error'] = ['skipped', 'error']
  const query = { items_states: troubled, items_offset: 1, items_limit: 2 }
  const some = await use(wire.readUpload, { params: { upload_id }, query }, agent.at)
  assert.deepEqual([some.items, some.items_total], [skipped.slice(1, 3), 4])
  assert.deepEqual(skipped.map(({ name }) => name).sort(), ['.DS_Store', 'Thumbs.db', 'desktop.ini', 'way-out'])
  for (const { error } of skipped) assert.ok((error?.message.length ?? 0) > 10)
  assert.equal(total_files, 1)
  assert.equal((await filesOf(package_id)).filter(({ kind }) => kind === 'file').length, 1)
})

test('case 207: the agent never sends what it keeps itself', async () => {
  const inside = { ...team, paths: [join(agent.dataDir, 'agent.db')] }
  const { details } = await refused(wire.startUpload, { body: inside }, agent.at, 'path_not_found')
  assert.match(details?.[0]?.reason ?? '', /belongs to the agent/)
  const { items } = await sendAsTeam(agent, join(agent.dataDir, '..'))
  assert.deepEqual(
    items.filter(({ name }) => name.startsWith('agent.db')).map(({ state }) => state),
    items.filter(({ name }) => name.startsWith('agent.db')).map(() => 'skipped'),
  )
  assert.ok(items.some(isIn('skipped')))
})

test('an upload of nothing, or of what is not there, is refused before a package is made', async () => {
  const missing = join(makeFolder(), 'missing')
  const body = { ...team, paths: [makeFiles({ 'a.txt': 'a' }), missing, 'relative/path'] }
  const { details } = await refused(wire.startUpload, { body }, agent.at, 'path_not_found')
  assert.deepEqual(
    details?.map(({ field }) => field),
    ['paths/1', 'paths/2'],
  )
  await refused(wire.startUpload, { body: { ...team, paths: [] } }, agent.at, 'validation_failed')
})

test('a Team that is not theirs is refused in the words of the cloud', async () => {
  const paths = [makeFiles({ 'a.txt': 'a' })]
  const { code } = await refused(
    wire.startUpload,
    { body: { team_id: randomUUID(), paths } },
    agent.at,
    'team_not_found',
  )
  assert.equal(code, 1_441_793)
  const teamspace_id = randomUUID()
  await refused(wire.startUpload, { body: { ...team, paths, teamspace_id } }, agent.at, 'validation_failed')
})

test('a link is made for a complete upload, with its limits, and opens the package', async () => {
  const { upload_id, package_id } = await sendAsTeam(agent, makeFiles({ 'a.txt': 'a' }))
  const params = { upload_id }
  const link = await show(wire.createUploadLink, { params }, agent.at)
  assert.equal(link.locked, false)
  assert.ok(link.url.endsWith(`/${link.id}?secret=${link.secret}`))
  const opened = await use(lookUpLink, { params: { link_id: link.id }, query: { secret: link.secret } })
  assert.equal(opened.package_id, package_id)

  const expiry = new Date(Date.now() + 3_600_000).toISOString()
  const body = { active: 'false', access_limit: 2, expiry, password: 'open sesame' } as const
  const closed = await use(wire.createUploadLink, { params, body }, agent.at)
  assert.equal(closed.expiry, expiry)
  const query = { secret: closed.secret }
  await refused(lookUpLink, { params: { link_id: closed.id }, query }, {}, 'link_inactive')
  const yes = await use(wire.createUploadLink, { params, body: { active: 'true' } }, agent.at)
  await use(lookUpLink, { params: { link_id: yes.id }, query: { secret: yes.secret } })
  await refused(wire.createUploadLink, { params: { upload_id: randomUUID() } }, agent.at, 'upload_not_found')
  await refused(wire.createUploadLink, { params, body: { active: 'maybe' } }, agent.at, 'validation_failed')
})

test('uploads are listed, the newest first, by state and by pages, and their items too', async () => {
  const own = await startAgent()
  const ids: string[] = []
  for (const name of ['one', 'two', 'three']) {
    ids.push((await sendAsTeam(own, makeFiles({ [`${name}.txt`]: name, 'b.txt': 'b' }))).upload_id)
  }
  const all = await show(wire.listUploads, {}, own.at)
  assert.equal(all.total, 3)
  assert.deepEqual(
    all.transfers.map(({ upload_id }) => upload_id),
    ids.toReversed(),
  )
  const listed = (query: object) => use(wire.listUploads, { query }, own.at)
  assert.equal((await listed({ states: ['paused', 'error'] })).total, 0)
  const page = await listed({ states: ['complete'], offset: 1, limit: 1 })
  assert.deepEqual([page.total, page.transfers[0]?.upload_id], [3, ids[1]])

  const params = { upload_id: ids[0] ?? '' }
  const read = await show(wire.readUpload, { params }, own.at)
  assert.deepEqual([read.items.length, read.items_total], [3, 3])
  const some = await use(wire.readUpload, { params, query: { items_offset: 1, items_limit: 1 } }, own.at)
  assert.deepEqual([some.items, some.items_total], [[read.items[1]], 3])
  await refused(wire.readUpload, { params: { upload_id: randomUUID() } }, own.at, 'upload_not_found')

  await show(wire.deleteUpload, { params }, own.at)
  await refused(wire.deleteUpload, { params }, own.at, 'upload_not_found')
  assert.equal((await packageOf(read.package_id)).state, 'finalized')
  assert.deepEqual(await show(wire.deleteUploads, {}, own.at), { code: 200, affected: 2 })
  assert.equal((await listed({})).total, 0)
})
