import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { addFile, fileUrl, fileUrls, listFiles } from '@longshore/contract/cloud/files'
import { createLink, listLinks, lookUpLink } from '@longshore/contract/cloud/links'
import * as wire from '@longshore/contract/cloud/packages'
import { maxChunkSize, minChunkSize, zeroTime } from '@longshore/contract/limits'
import { type AnyInput, ask, errorOf, refused, replyOf, show, use } from '#calls'
import { send } from '#http'
import { makeMember } from '#members'
import { packageToken } from '#mint'
import { test } from '#record'
import { makeEnded, makeSceneApart } from '#scene'
import { target } from '#target'
import { add, finalize, inPackage, makePackage, makeSent, managing, newFile, upload } from '#walk'

const owner = { as: { apiKey: target.api_key } }
const team = { team_id: target.team_id }
const fields = { name: 'Dailies', description: '', recipients: [] }
const writing = (pkg: { id: string; team_id: string }) => ({ as: { packageToken: packageToken(pkg, 'write') } })
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const aboutInDays = (time: string, days: number) => Math.abs(Date.parse(time) - Date.parse(inDays(days))) < 60_000

test('a new package has what was asked for and the defaults of its Team', async () => {
  const body = { name: 'Episode 7', description: 'Day one\nand two', recipients: ['a@example.test', 'b@example.test'] }
  const pkg = await show(wire.createTeamPackage, { params: team, body }, owner)
  const { id, access_token, created_at, updated_at, finalized_at, expiry, ...rest } = pkg
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  assert.ok(access_token)
  assert.equal(created_at, updated_at)
  assert.equal(finalized_at, zeroTime)
  assert.ok(aboutInDays(expiry, 10), expiry)
  assert.deepEqual(rest, {
    ...body,
    team_id: target.team_id,
    portal_id: '',
    access_limit: 0,
    contains_virus: false,
    custom_expiry: false,
    custom_metadata_id: '',
    downloads: 0,
    password: '',
    progress_channels: [`package:${id}`],
    sender: target.owner.email,
    size: 0,
    state: 'new',
    teamspace: null,
    teamspace_id: '',
    total_files: 0,
    unlimited_storage: false,
    chunk_size: 0,
  })
})

test('a package is made with everything that can be asked for', async () => {
  const body = {
    ...fields,
    access_limit: 3,
    password: 'Öffne dich! 100%',
    unlimited_storage: true,
    chunk_size: minChunkSize,
    tag: { name: 'Dailies 2026' },
  }
  const pkg = await show(wire.createTeamPackage, { params: team, body }, { as: { userToken: target.user_token } })
  assert.deepEqual(
    [pkg.access_limit, pkg.password, pkg.unlimited_storage, pkg.expiry, pkg.chunk_size, pkg.tag?.name],
    [3, body.password, true, zeroTime, minChunkSize, 'Dailies 2026'],
  )
})

test('every member may send packages, in their own name', async () => {
  for (const role of ['admin', 'integration_manager', 'member'] as const) {
    const member = await makeMember(role)
    const pkg = await show(wire.createTeamPackage, { params: team, body: fields }, { as: { userToken: member.token } })
    assert.equal(pkg.sender, member.email)
  }
})

test('names and descriptions are kept to the code point', async () => {
  for (const name of [
    'naïve',
    'naïve'.normalize('NFD'),
    'Фильм',
    '‮gpj.exe',
    'a​b',
    '👩‍👩‍👧 🏴‍☠️',
    '%_\\',
    "'; drop table packages; --",
  ]) {
    const pkg = await makePackage({ name, description: `${name}\n\t${name}` })
    const read = await show(wire.readPackage, { params: inPackage(pkg) }, managing(pkg))
    assert.deepEqual([read.name, read.description], [name, `${name}\n\t${name}`])
  }
})

test('a tag is found by id, else by name, else made; an unknown id alone means none', async () => {
  const made = await makePackage({ tag: { name: 'Rough cut' } })
  assert.ok(made.tag)
  const byId = await makePackage({ tag: { id: made.tag.id } })
  const byBoth = await makePackage({ tag: { id: made.tag.id, name: 'another name' } })
  const byName = await makePackage({ tag: { name: 'Rough cut' } })
  const byLostId = await makePackage({ tag: { id: randomUUID(), name: 'Rough cut' } })
  assert.deepEqual([byId.tag, byBoth.tag, byName.tag, byLostId.tag], [made.tag, made.tag, made.tag, made.tag])
  for (const tag of [{ id: randomUUID() }, { id: 'no uuid' }, {}]) {
    assert.equal((await makePackage({ tag })).tag, undefined)
  }
})

test("another Team's tag is not attached, and nothing shows that it exists", async () => {
  const other = await makeSceneApart()
  const foreign = await makePackage({ tag: { name: 'Secret project' } }, { userToken: other.owner.token }, other.teamId)
  const body = { ...fields, tag: { id: foreign.tag?.id } }
  const answer = await ask(wire.createTeamPackage, { params: team, body }, owner)
  assert.equal(answer.status, 201)
  assert.equal(replyOf(wire.createTeamPackage, answer).tag, undefined)
  assert.equal(answer.text.includes('Secret project'), false)
})

test('fields of the wrong type or size are refused with their names', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => `r${i}@example.test`)
  const wrong: readonly [Record<string, unknown>, string][] = [
    [{ name: undefined }, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ name: 'two\nlines' }, 'name'],
    [{ name: 7 }, 'name'],
    [{ description: undefined }, 'description'],
    [{ description: null }, 'description'],
    [{ recipients: undefined }, 'recipients'],
    [{ recipients: 'a@example.test' }, 'recipients'],
    [{ recipients: many(101) }, 'recipients'],
    [{ recipients: many(1_001) }, 'recipients'],
    [{ recipients: ['a@example.test', 'a@example.test'] }, 'recipients'],
    [{ recipients: ['a@example.test', 'b@c\r\nBcc: d@e'] }, 'recipients/1'],
    [{ recipients: ['Anna <a@example.test>'] }, 'recipients/0'],
    [{ recipients: ['-oQ/tmp@example.test'] }, 'recipients/0'],
    [{ access_limit: -1 }, 'access_limit'],
    [{ access_limit: '5' }, 'access_limit'],
    [{ access_limit: 1.5 }, 'access_limit'],
    [{ access_limit: 2 ** 31 }, 'access_limit'],
    [{ password: 'x'.repeat(73) }, 'password'],
    [{ unlimited_storage: 'yes' }, 'unlimited_storage'],
    [{ chunk_size: minChunkSize - 1 }, 'chunk_size'],
    [{ chunk_size: maxChunkSize + 1 }, 'chunk_size'],
    [{ tag: 'Dailies' }, 'tag'],
    [{ tag: { name: 'x'.repeat(101) } }, 'tag/name'],
  ]
  for (const [change, field] of wrong) {
    const body = { ...fields, ...change }
    const { details } = await refused(wire.createTeamPackage, { params: team, body }, owner, 'validation_failed')
    assert.equal(details?.[0]?.field, field, JSON.stringify(change).slice(0, 100))
  }
})

test('integers are integers, however they are written', async () => {
  const withLimit = (number: string) => `{"name":"n","description":"","recipients":[],"access_limit":${number}}`
  const send = (number: string) => ask(wire.createTeamPackage, { params: team }, { ...owner, text: withLimit(number) })
  for (const number of ['1e400', '9007199254740993', '-1', '1.5', '"5"', 'true', '[5]']) {
    assert.equal(errorOf(await send(number)).error, 'validation_failed', number)
  }
  for (const number of ['NaN', 'Infinity', '0x10', '05', '+5']) {
    assert.equal(errorOf(await send(number)).error, 'malformed_request', number)
  }
  for (const [number, kept] of [
    ['-0', 0],
    ['5.0', 5],
    ['1e2', 100],
  ] as const) {
    const answer = await send(number)
    assert.equal(replyOf(wire.createTeamPackage, answer).access_limit, kept, number)
  }
})

test('what the server decides is not taken from the caller', async () => {
  const other = await makeSceneApart()
  const pkg = await makePackage()
  const body = {
    ...pkg,
    name: 'New name',
    id: randomUUID(),
    state: 'finalized',
    size: 5,
    total_files: 5,
    downloads: 5,
    team_id: other.teamId,
    portal_id: randomUUID(),
    access_token: 'stolen',
    contains_virus: true,
    unlimited_storage: true,
    custom_expiry: true,
    expiry: zeroTime,
    sender: 'boss@example.test',
    created_at: zeroTime,
    chunk_size: minChunkSize,
  }
  const updated = await show(wire.updatePackage, { params: inPackage(pkg), body }, managing(pkg))
  const same = { access_token: '', updated_at: '' }
  assert.deepEqual({ ...updated, ...same }, { ...pkg, name: 'New name', ...same })
})

test('managers read a package with its token, password and recipients, others without', async () => {
  const { pkg, readToken } = await makeSent({ password: 'open sesame', recipients: ['r@example.test'] })
  const full = await show(wire.readPackage, { params: inPackage(pkg) }, managing(pkg))
  assert.deepEqual([full.password, full.recipients, full.state], ['open sesame', ['r@example.test'], 'finalized'])
  for (const token of [readToken, packageToken(pkg, 'write')]) {
    const { access_token, password, recipients, ...part } = await show(
      wire.readPackage,
      { params: inPackage(pkg) },
      { as: { packageToken: token } },
    )
    assert.deepEqual([access_token, password, recipients], [undefined, undefined, undefined])
    const { access_token: _, password: __, recipients: ___, ...rest } = full
    assert.deepEqual(part, rest)
  }
})

test('an update changes what it names; leaving out the tag removes it', async () => {
  const pkg = await makePackage({ tag: { name: 'Rough cut' }, description: 'kept', password: 'kept password' })
  const body = { name: 'Renamed', tag: { name: 'Final cut' }, access_limit: 2, recipients: ['x@example.test'] }
  const changed = await show(wire.updatePackage, { params: inPackage(pkg), body }, managing(pkg))
  assert.deepEqual(
    [changed.name, changed.tag?.name, changed.access_limit, changed.recipients, changed.description, changed.password],
    ['Renamed', 'Final cut', 2, ['x@example.test'], 'kept', 'kept password'],
  )
  const bare = await show(
    wire.updatePackage,
    { params: inPackage(pkg), body: { name: 'Renamed', password: '' } },
    managing(pkg),
  )
  assert.deepEqual([bare.tag, bare.password, bare.access_limit], [undefined, '', 2])
})

test('who holds a write token changes name, description and tag, and nothing more', async () => {
  const pkg = await makePackage({ password: 'kept password', recipients: ['kept@example.test'] })
  const body = {
    name: 'By the sender',
    description: 'new',
    tag: { name: 'Rough cut' },
    password: 'taken over',
    access_limit: 9,
    recipients: ['thief@example.test'],
  }
  const shown = await show(wire.updatePackage, { params: inPackage(pkg), body }, writing(pkg))
  assert.deepEqual([shown.access_token, shown.password, shown.recipients], [undefined, undefined, undefined])
  const read = await use(wire.readPackage, { params: inPackage(pkg) }, managing(pkg))
  assert.deepEqual(
    [read.name, read.description, read.tag?.name, read.password, read.access_limit, read.recipients],
    ['By the sender', 'new', 'Rough cut', 'kept password', 0, ['kept@example.test']],
  )
})

test('an expiry is set, moved and taken away', async () => {
  const { pkg } = await makeSent()
  const set = (body: { expiry?: string; unlimited_storage?: boolean }) =>
    show(wire.setPackageExpiry, { params: inPackage(pkg), body }, managing(pkg))
  const fixed = await set({ expiry: '2040-02-03T04:05:06.789+01:00' })
  assert.deepEqual([fixed.expiry, fixed.custom_expiry], ['2040-02-03T03:05:06.789Z', true])
  const unlimited = await set({ unlimited_storage: true })
  assert.deepEqual([unlimited.expiry, unlimited.unlimited_storage], [zeroTime, true])
  const limited = await set({ expiry: inDays(1), unlimited_storage: false })
  assert.deepEqual([aboutInDays(limited.expiry, 1), limited.unlimited_storage], [true, false])
})

test('an expiry that makes no sense is refused', async () => {
  const pkg = await makePackage()
  for (const body of [
    {},
    { unlimited_storage: false },
    { expiry: inDays(1), unlimited_storage: true },
    { expiry: inDays(-1) },
    { expiry: zeroTime },
    { expiry: '2040-02-03T04:05:06' },
    { expiry: '2040-02-03T24:61:00Z' },
    { expiry: 5 },
    { unlimited_storage: 'true' },
  ]) {
    const input: AnyInput = { params: inPackage(pkg), body }
    await refused(wire.setPackageExpiry, input, managing(pkg), 'validation_failed')
  }
  assert.equal((await use(wire.readPackage, { params: inPackage(pkg) }, managing(pkg))).expiry, pkg.expiry)
})

test('a finalized package has its totals, is closed, and a repeat announces nothing twice', async () => {
  const pkg = await makePackage({ recipients: ['one@example.test', 'two@example.test'], password: 'open sesame' })
  await upload(pkg, Buffer.from('12345'), { name: 'a' })
  await upload(pkg, Buffer.from('123'), { name: 'b', path: 'x/y' })
  await add(pkg, { kind: 'directory', name: 'empty' })
  await show(wire.finalizePackage, { params: inPackage(pkg) }, managing(pkg))
  const read = await use(wire.readPackage, { params: inPackage(pkg) }, managing(pkg))
  assert.deepEqual([read.state, read.size, read.total_files], ['finalized', 8, 2])
  const links = () => use(listLinks, { params: inPackage(pkg) }, managing(pkg))
  const first = await links()
  assert.deepEqual(first.map(({ email }) => email).toSorted(), ['one@example.test', 'two@example.test'])
  assert.ok(first.every((link) => link.active && link.password === '****'))

  await show(wire.finalizePackage, { params: inPackage(pkg) }, managing(pkg))
  assert.deepEqual(await links(), first)
  const body = newFile({ size: 1 })
  await refused(addFile, { params: inPackage(pkg), body }, managing(pkg), 'package_not_new')
})

test('a package without files, or with a file under way, is not finalized', async () => {
  const pkg = await makePackage()
  await refused(wire.finalizePackage, { params: inPackage(pkg) }, managing(pkg), 'package_empty')
  await add(pkg, { size: 3 })
  await add(pkg, { size: 3 })
  const { message } = await refused(wire.finalizePackage, { params: inPackage(pkg) }, managing(pkg), 'files_unfinished')
  assert.match(message, /\b2\b/)
  assert.equal((await use(wire.readPackage, { params: inPackage(pkg) }, managing(pkg))).state, 'new')
})

test('a package of one directory is a package', async () => {
  const pkg = await makePackage()
  await add(pkg, { kind: 'directory', name: 'later' })
  await finalize(pkg)
  const read = await use(wire.readPackage, { params: inPackage(pkg) }, managing(pkg))
  assert.deepEqual([read.state, read.size, read.total_files], ['finalized', 0, 0])
})

test('finalize takes a JSON header without a body, and a body that is ignored', async () => {
  for (const text of ['', '{}', '{"state":"expired"}']) {
    const pkg = await makePackage()
    await add(pkg, { kind: 'directory' })
    const headers = [['content-type', 'application/json']] as const
    const answer = await ask(wire.finalizePackage, { params: inPackage(pkg) }, { ...managing(pkg), headers, text })
    assert.equal(answer.status, 204, text)
  }
})

test('a call that needs no body takes an empty one, however it is announced', async () => {
  for (const headers of [
    [],
    [['content-type', 'application/json']],
    [['content-type', 'application/x-www-form-urlencoded']],
    [['content-type', 'text/plain']],
    [['transfer-encoding', 'chunked']],
  ] as const) {
    const pkg = await makePackage()
    await add(pkg, { kind: 'directory' })
    const url = `${target.cloud_url}/v1/packages/${pkg.id}/finalize`
    const answer = await send({ method: 'POST', url, headers: [['x-package-token', pkg.access_token], ...headers] })
    assert.equal(answer.status, 204, JSON.stringify(headers))
  }
})

test('a deleted package keeps its name and gives nothing any more; a repeat changes nothing', async () => {
  const { pkg, added, link, readToken } = await makeSent({ recipients: ['r@example.test'] })
  const reading = { as: { packageToken: readToken } }
  const { url } = await use(fileUrl, { params: { package_id: pkg.id, file_id: added.file.id } }, reading)
  await show(wire.deletePackage, { params: inPackage(pkg) }, managing(pkg))

  const read = await use(wire.readPackage, { params: inPackage(pkg) }, managing(pkg))
  assert.deepEqual([read.state, read.name, read.recipients], ['expired', pkg.name, ['r@example.test']])
  assert.ok(Date.parse(read.expiry) <= Date.now())
  const query = { secret: link.secret }
  await refused(lookUpLink, { params: { link_id: link.id }, query }, {}, 'package_expired')
  await refused(wire.readPackage, { params: inPackage(pkg) }, reading, 'package_expired')
  await refused(listFiles, { params: inPackage(pkg) }, reading, 'package_expired')
  await show(wire.deletePackage, { params: inPackage(pkg) }, managing(pkg))
  assert.deepEqual(
    await use(wire.readPackage, { params: inPackage(pkg) }, managing(pkg)).then(({ expiry }) => expiry),
    read.expiry,
  )

  // The worker takes the bytes away right after.
  const deadline = Date.now() + 20_000
  while ((await send({ method: 'GET', url })).status === 200) {
    assert.ok(Date.now() < deadline, 'the file is still in storage')
    await sleep(200)
  }
})

test('a package in its first state can be deleted too, and takes nothing from then on', async () => {
  const pkg = await makeEnded()
  const params = inPackage(pkg)
  assert.equal((await use(wire.readPackage, { params }, managing(pkg))).state, 'expired')
  await refused(wire.updatePackage, { params, body: { name: 'x' } }, managing(pkg), 'package_expired')
  await refused(wire.setPackageExpiry, { params, body: { expiry: inDays(1) } }, managing(pkg), 'package_expired')
  await refused(wire.finalizePackage, { params }, managing(pkg), 'package_expired')
  await refused(createLink, { params, body: {} }, managing(pkg), 'package_expired')
  assert.equal((await use(wire.readPackage, { params }, managing(pkg))).name, pkg.name)
})

test('a package ends at its expiry to the second, before the worker comes by', async () => {
  const { pkg, added, link, readToken } = await makeSent()
  const body = { expiry: new Date(Date.now() + 3_000).toISOString() }
  await use(wire.setPackageExpiry, { params: inPackage(pkg), body }, managing(pkg))
  await use(lookUpLink, { params: { link_id: link.id }, query: { secret: link.secret } })
  await sleep(3_100)
  await refused(lookUpLink, { params: { link_id: link.id }, query: { secret: link.secret } }, {}, 'package_expired')
  const file = { params: { package_id: pkg.id, file_id: added.file.id } }
  await refused(fileUrl, file, { as: { packageToken: readToken } }, 'package_expired')
  const many = { params: inPackage(pkg), body: { file_ids: [file.params.file_id] } }
  await refused(fileUrls, many, { as: { packageToken: readToken } }, 'package_expired')
  await refused(wire.updatePackage, { params: inPackage(pkg), body: { name: 'x' } }, managing(pkg), 'package_expired')
  assert.equal((await use(wire.readPackage, { params: inPackage(pkg) }, managing(pkg))).state, 'expired')
})

test('duplicate keys of a body mean the last one, everywhere', async () => {
  const text = '{"name":"first","description":"","recipients":[],"name":"last"}'
  const answer = await ask(wire.createTeamPackage, { params: team }, { ...owner, text })
  assert.equal(replyOf(wire.createTeamPackage, answer).name, 'last')
})
