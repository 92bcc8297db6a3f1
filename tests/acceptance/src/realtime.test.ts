import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApiKey, deleteApiKey } from '@longshore/contract/cloud/api-keys'
import { removeFile } from '@longshore/contract/cloud/files'
import { createLink, updateLink } from '@longshore/contract/cloud/links'
import { deletePackage } from '@longshore/contract/cloud/packages'
import {
  PackageChange,
  PackageProgress,
  packageEvents,
  reportProgress,
  teamEvents,
} from '@longshore/contract/cloud/realtime'
import { removeMember } from '@longshore/contract/cloud/team'
import { Value } from 'typebox/value'
import { refused, show, use } from '#calls'
import { send } from '#http'
import { type Listening, listen, until } from '#listening'
import { makeMember } from '#members'
import { now, packageToken } from '#mint'
import { makePortal, sender, sendTo } from '#portals'
import { test } from '#record'
import { makeEnded } from '#scene'
import { startSecondServer } from '#second-server'
import { setting, target } from '#target'
import { add, finalize, inPackage, makeLink, makePackage, makeSent, managing, readTokenOf, upload } from '#walk'

// Another process of the same installation: the Redis is the target's.
const second = await startSecondServer({
  LONGSHORE_REDIS_URL: setting('LONGSHORE_REDIS_URL'),
  LONGSHORE_STREAM_HEARTBEAT_SECONDS: '1',
})
after(() => second.stop())

const both = [target.cloud_url, second.url]
const inTeam = { params: { team_id: target.team_id } }
const asOwner = { as: { userToken: target.user_token } }
const lastId = ({ events }: Listening) => events.findLast(({ id }) => id !== '')?.id ?? ''

test('followers at two processes see an upload come on, byte by byte and file by file, to its end', async (t) => {
  const pkg = await makePackage()
  const params = inPackage(pkg)
  const readers = await Promise.all(both.map((at) => listen(t, packageEvents, { params }, { ...managing(pkg), at })))
  const see = async (what: string, expected: object) => {
    for (const reader of readers) {
      await until(what, () => {
        const seen = reader.last('package.progress') ?? {}
        return Object.entries(expected).every(([name, value]) => seen[name] === value)
      })
    }
  }
  await see('nothing yet', { state: 'new', uploaded_bytes: 0, size: 0, files_done: 0, total_files: 0 })
  const file = await add(pkg, { size: 1_000 })
  await see('the announced file', { size: 1_000, total_files: 1, files_done: 0 })
  for (const uploaded_bytes of [300, 700, 200]) {
    await show(reportProgress, { params, body: { uploaded_bytes } }, managing(pkg))
  }
  await see('the furthest report', { uploaded_bytes: 700 })
  await show(reportProgress, { params, body: { uploaded_bytes: 5_000_000 } }, managing(pkg))
  await see('no more than there is', { uploaded_bytes: 1_000 })
  await use(removeFile, { params: { ...params, file_id: file.file.id } }, managing(pkg))
  await upload(pkg, Buffer.from('Ahoy.'))
  await finalize(pkg)
  await see('the end', { state: 'finalized', uploaded_bytes: 5, size: 5, files_done: 1, total_files: 1 })
  for (const reader of readers) {
    assert.equal(reader.types().filter((type) => type === 'package.finalized').length, 1)
    for (const { type, data } of reader.events) {
      const schema = type === 'package.progress' ? PackageProgress : PackageChange
      assert.ok(Value.Check(schema, JSON.parse(data)), data)
    }
  }
})

test('a stream says what it is, to browsers and to proxies', async (t) => {
  const pkg = await makePackage()
  const { headers } = await listen(t, packageEvents, { params: inPackage(pkg) }, managing(pkg))
  assert.match(headers.get('content-type') ?? '', /^text\/event-stream/)
  assert.equal(headers.get('cache-control'), 'no-store, no-transform')
  assert.equal(headers.get('x-accel-buffering'), 'no')
  const head = await send({
    method: 'HEAD',
    url: `${target.cloud_url}/v1/packages/${pkg.id}/events`,
    headers: [['x-package-token', pkg.access_token]],
  })
  assert.equal(head.status, 405)
})

test('a stream that has nothing to tell still shows that it lives', async () => {
  const pkg = await makePackage()
  const reply = await fetch(`${second.url}/v1/packages/${pkg.id}/events`, {
    headers: { 'x-package-token': pkg.access_token },
  })
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (text.split('\n').filter((line) => line.startsWith(':')).length < 2) {
    const piece = await reader?.read()
    assert.ok(piece?.done === false)
    text += piece.value
  }
  assert.match(text, /^retry: \d+\n/)
  await reader?.cancel()
})

test('who comes back with Last-Event-ID, to either process, has missed nothing', async (t) => {
  const pkg = await makePackage()
  const params = inPackage(pkg)
  const first = await listen(t, packageEvents, { params }, managing(pkg))
  await makeLink(pkg)
  await until('the link', () => first.types().includes('link.created'))
  first.close()
  await makeLink(pkg)
  await upload(pkg, Buffer.from('Ahoy.'))
  await finalize(pkg)
  for (const at of both) {
    const back = await listen(t, packageEvents, { params }, { ...managing(pkg), at, lastEventId: lastId(first) })
    await until('the rest', () => back.types().includes('package.finalized'))
    const changes = back.types().filter((type) => type !== 'package.progress')
    assert.deepEqual(changes, ['link.created', 'package.finalized'])
  }
  const lost = await listen(t, packageEvents, { params }, { ...managing(pkg), lastEventId: '5-0' })
  await until(
    'a new beginning',
    () => lost.types().includes('stream.missed') && lost.last('package.progress') !== undefined,
  )
})

test('the Team hears of all its packages, a plain member of those they see', async (t) => {
  const member = await makeMember('member')
  const owner = await listen(t, teamEvents, inTeam, asOwner)
  const seen = await Promise.all(
    both.map((at) => listen(t, teamEvents, inTeam, { as: { userToken: member.token }, at })),
  )
  const hidden = await makePortal({ access_level: 'private', access_code: 'open sesame', access_list: [] })
  const secret = await sendTo(hidden, {}, sender('open sesame'))
  const open = await makePackage()
  const ids = (reader: Listening) =>
    reader.events.map(({ data }) => (JSON.parse(data) as { object?: { id: string } }).object?.id)
  await until('both', () => ids(owner).includes(secret.id) && ids(owner).includes(open.id))
  for (const reader of seen) {
    await until('the open one', () => ids(reader).includes(open.id))
    assert.equal(ids(reader).includes(secret.id), false)
  }
  const created = owner.events.find(({ data }) => data.includes(open.id))
  assert.equal(created?.type, 'package.created')
  assert.match(created?.id ?? '', /^\d+-\d+$/)
})

test('a stream ends soon after its link, its member, its key or its package', async (t) => {
  const { pkg, link, readToken } = await makeSent()
  const member = await makeMember('admin')
  const key = await use(createApiKey, { ...inTeam, body: { state: 'active' } }, { as: { userToken: member.token } })
  const params = inPackage(pkg)
  const streams = {
    link: await listen(t, packageEvents, { params }, { as: { packageToken: readToken } }),
    member: await listen(t, teamEvents, inTeam, { as: { userToken: member.token }, at: second.url }),
    key: await listen(t, teamEvents, inTeam, { as: { apiKey: key.key } }),
    expiring: await listen(
      t,
      packageEvents,
      { params },
      { as: { packageToken: packageToken(pkg, 'manage', { exp: now() + 3 }) }, at: second.url },
    ),
    manager: await listen(t, packageEvents, { params }, managing(pkg)),
  }
  await use(updateLink, { params: { ...params, link_id: link.id }, body: { active: false } }, managing(pkg))
  await until('the link', streams.link.ended)
  await refused(packageEvents, { params }, { as: { packageToken: readToken } }, 'token_revoked')
  await use(deleteApiKey, { params: { api_key_id: key.id } }, { as: { userToken: member.token } })
  await until('the key', streams.key.ended)
  const membership = { params: { team_id: target.team_id, membership_id: member.membership_id } }
  await use(removeMember, membership, asOwner)
  await until('the member', streams.member.ended)
  await until('the token', streams.expiring.ended)
  assert.equal(streams.manager.ended(), false)
  await use(deletePackage, { params }, managing(pkg))
  await until('the package', streams.manager.ended)
  assert.equal(streams.manager.types().at(-1), 'package.deleted')
})

test('an ended package is followed by nobody, and takes no reports; nor does a finalized one', async () => {
  const ended = await makeEnded()
  await refused(packageEvents, { params: inPackage(ended) }, managing(ended), 'package_expired')
  const report = (pkg: { id: string }) => ({ params: inPackage(pkg), body: { uploaded_bytes: 1 } })
  await refused(reportProgress, report(ended), managing(ended), 'package_expired')
  const { pkg } = await makeSent()
  await refused(reportProgress, report(pkg), managing(pkg), 'package_not_new')
  for (const uploaded_bytes of [-1, 1.5, '1', null, Number.MAX_SAFE_INTEGER + 1]) {
    const open = await makePackage()
    const wrong = { params: inPackage(open), body: { uploaded_bytes } }
    await refused(reportProgress, wrong, managing(open), 'validation_failed')
  }
})

test('one credential holds so many streams open and no more', async (t) => {
  const pkg = await makePackage()
  const params = inPackage(pkg)
  const streams = []
  for (let nth = 0; nth < 20; nth += 1) streams.push(await listen(t, packageEvents, { params }, managing(pkg)))
  await refused(packageEvents, { params }, managing(pkg), 'rate_limited')
  streams[0]?.close()
  await sleep(300)
  await listen(t, packageEvents, { params }, managing(pkg))
  // Whoever has another token is not concerned.
  await listen(t, packageEvents, { params }, { as: { packageToken: packageToken(pkg, 'write') } })
})

test('a listener who reads nothing harms nobody', async (t) => {
  const pkg = await makePackage()
  const { hostname, port } = new URL(target.cloud_url)
  const deaf = connect(Number(port), hostname)
  t.after(() => deaf.destroy())
  deaf.on('error', () => {})
  deaf.pause()
  deaf.write(
    `GET /v1/packages/${pkg.id}/events HTTP/1.1\r\nHost: ${hostname}\r\nX-Package-Token: ${pkg.access_token}\r\n\r\n`,
  )
  const reader = await listen(t, packageEvents, { params: inPackage(pkg) }, managing(pkg))
  for (let nth = 0; nth < 20; nth += 1) await use(createLink, { params: inPackage(pkg) }, managing(pkg))
  await until('all links', () => reader.types().filter((type) => type === 'link.created').length === 20)
})

test('a read token of a link follows its package and nothing else', async (t) => {
  const { pkg, link } = await makeSent()
  const reading = { as: { packageToken: await readTokenOf(link) } }
  const reader = await listen(t, packageEvents, { params: inPackage(pkg) }, reading)
  await makeLink(pkg)
  await until('how far it is', () => reader.last('package.progress') !== undefined)
  await sleep(300)
  assert.deepEqual(new Set(reader.types()), new Set(['package.progress']))
  const other = await makePackage()
  await refused(packageEvents, { params: inPackage(other) }, reading, 'package_not_found')
})
