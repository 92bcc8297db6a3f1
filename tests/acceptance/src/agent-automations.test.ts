import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as wire from '@longshore/contract/agent/automations'
import { setUploadLimit } from '@longshore/contract/agent/settings'
import { listUploads } from '@longshore/contract/agent/uploads'
import { zeroTime } from '@longshore/contract/limits'
import { makeFolder, startAgent } from '#agent'
import {
  aWhile,
  automationOf,
  contentsOf,
  eventually,
  inShortMinutes,
  minuteMs,
  restarted,
  sentAs,
  sentTo,
} from '#automations'
import { refused, show, use } from '#calls'
import { makePortal } from '#portals'
import { test } from '#record'
import { target } from '#target'
import { someName } from '#walk'

const agent = await startAgent({ args: inShortMinutes })
const team = { team_id: target.team_id, recipient_emails: [] }
const watching = (path: string) => ({ ...team, name: 'Watched', enabled: true, path, timeout: 1 })

function fill(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

test('each subfolder of a watched folder becomes a package once it is quiet, with all that was asked for', async () => {
  const path = makeFolder()
  const suffix = someName(' of')
  const body = {
    ...watching(path),
    name: 'Dailies',
    blacklist: ['*.tmp', 'proxies/'],
    package_name_suffix: suffix,
    message: 'As every day',
    download_limit: 4,
    delete_after: 3,
    download_password: 'the password',
    upload_priority: 2,
    send_loose_files: true,
    delete_files_after_upload: true,
    tag: { name: someName('tag') },
  }
  fill(path, { 'A/one.txt': '1', 'A/deep/two.txt': '22', 'A/x.tmp': 'no', 'A/proxies/p.mov': 'no', 'loose.txt': 'l' })
  mkdirSync(join(path, 'Empty'))
  const made = await show(wire.createTeamUpload, { body }, agent.at)
  const { download_password: _, ...shown } = body
  const { automation_id, type, state, last_run_at, last_error, ...fields } = made
  assert.deepEqual(fields, shown, 'all but the password is shown')
  assert.deepEqual([type, state, last_run_at, last_error], ['team_upload', 'idle', zeroTime, ''])

  const [folder, loose] = await eventually('both are sent', async () => {
    const sent = await sentAs(suffix)
    return sent.length === 2 && sent.sort((a, b) => a.name.localeCompare(b.name))
  })
  assert.deepEqual([folder?.name, loose?.name], [`A${suffix}`, `loose.txt${suffix}`])
  assert.ok(folder !== undefined && loose !== undefined)
  assert.deepEqual(
    [folder.description, folder.access_limit, folder.tag?.name],
    [body.message, body.download_limit, body.tag.name],
  )
  assert.equal(Math.round((Date.parse(folder.expiry) - Date.parse(folder.created_at)) / 86_400_000), 3)
  assert.deepEqual(await contentsOf(folder, 'the password'), { 'A/one.txt': '1', 'A/deep/two.txt': '22' })
  assert.deepEqual(await contentsOf(loose, 'the password'), { 'loose.txt': 'l' })
  const { transfers } = await use(listUploads, { query: {} }, agent.at)
  assert.equal(transfers.find(({ name }) => name === folder.name)?.priority, 2)

  await eventually('what was sent is deleted, what was not sent stays', async () => {
    const left = readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()
    return left.join() === ['A', 'A/proxies', 'A/proxies/p.mov', 'A/x.tmp', 'Empty'].join()
  })
  await aWhile()
  assert.equal((await sentAs(suffix)).length, 2, 'and nothing is sent twice')
  const now = await automationOf(agent, automation_id)
  assert.deepEqual([now.state, now.last_error], ['idle', ''])
  assert.ok(Date.parse(now.last_run_at) > Date.parse(folder.created_at))
})

test('a folder that is still written to, renamed or deleted is sent when it has come to rest, once', async () => {
  const path = makeFolder()
  const mark = someName('Scene')
  const growing = join(path, mark)
  fill(path, { [`${mark}/0.txt`]: '0', 'gone/a.txt': 'a' })
  const { automation_id } = await use(wire.createTeamUpload, { body: watching(path) }, agent.at)
  for (let n = 1; n <= 6; n++) {
    await sleep(minuteMs / 2)
    writeFileSync(join(growing, `${n}.txt`), String(n))
    if (n === 2) renameSync(join(path, 'gone'), join(makeFolder(), 'gone'))
    if (n === 4) {
      renameSync(growing, `${growing} take 2`)
      renameSync(`${growing} take 2`, growing)
    }
  }
  assert.deepEqual(await sentAs(mark), [], 'not before it is quiet')
  const [pkg] = await eventually('it is sent', async () => {
    const sent = await sentAs(mark)
    return sent.length > 0 && sent
  })
  assert.ok(pkg !== undefined)
  assert.equal(Object.keys(await contentsOf(pkg)).length, 7)

  renameSync(growing, `${growing} sent`)
  const again = await restarted(agent)
  await aWhile()
  assert.equal((await sentAs(mark)).length, 1, 'a new name and a new start of the agent make no second package')
  await use(wire.deleteAutomation, { params: { type: 'team_upload', automation_id } }, again.at)
})

test('what comes into a folder while it is sent is sent with it, in one package', async () => {
  const path = makeFolder()
  const mark = someName('Late')
  const slow = await startAgent({ args: inShortMinutes })
  const limit = { rate_limit_bps: 4_000_000, enabled: true }
  await use(setUploadLimit, { body: limit }, slow.at)
  fill(path, { [`${mark}/first.bin`]: 'x'.repeat(2_000_000) })
  await use(wire.createTeamUpload, { body: watching(path) }, slow.at)
  await eventually('it is being sent', async () => {
    const { transfers } = await use(listUploads, { query: {} }, slow.at)
    return transfers.some(({ progress }) => progress > 0)
  })
  fill(path, { [`${mark}/late.txt`]: 'late' })
  await use(setUploadLimit, { body: { ...limit, enabled: false } }, slow.at)
  const sent = await eventually('it is sent', async () => {
    const found = await sentAs(mark)
    return found.length > 0 && found
  })
  await aWhile()
  assert.equal((await sentAs(mark)).length, 1)
  const [pkg] = sent
  assert.ok(pkg !== undefined)
  assert.deepEqual(Object.keys(await contentsOf(pkg)).sort(), [`${mark}/first.bin`, `${mark}/late.txt`])
})

test('a watched folder is sent to a Portal, with its code', async () => {
  const portal = await makePortal({ has_access_code: true, access_code: 'open sesame' })
  const path = makeFolder()
  const sending = { portal_subdomain: portal.subdomain, sender_email: 'sender@example.test' }
  const body = { name: 'To the Portal', enabled: true, path, timeout: 1, ...sending, portal_password: 'wrong' }
  fill(path, { 'A/a.txt': 'a' })
  const { automation_id } = await show(wire.createPortalUpload, { body }, agent.at)
  const failed = await eventually('it fails', async () => {
    const one = await automationOf(agent, automation_id)
    return one.state === 'error' && one
  })
  assert.match(failed.last_error, /code/i)
  const params = { automation_id }
  await show(wire.updatePortalUpload, { params, body: { portal_password: 'open sesame' } }, agent.at)
  const [pkg] = await eventually('it is sent', async () => {
    const sent = await sentTo(portal)
    return sent.length > 0 && sent
  })
  assert.ok(pkg !== undefined)
  assert.deepEqual([pkg.name, pkg.sender, await contentsOf(pkg)], ['A', sending.sender_email, { 'A/a.txt': 'a' }])
  assert.deepEqual((await automationOf(agent, automation_id)).last_error, '')
})

test('a file is sent while it grows, as a Team and to a Portal, and is over when it is quiet', async () => {
  const portal = await makePortal()
  const [ours, theirs] = [makeFolder(), makeFolder()]
  const take = `${someName('take').replaceAll(' ', '-')}.mov`
  // Of 15 ms each here.
  const stream = { name: 'Recorder', enabled: true, timeout: 60 }
  await show(wire.createTeamStream, { body: { ...team, ...stream, path: ours, whitelist: ['*.mov'] } }, agent.at)
  const sending = { portal_subdomain: portal.subdomain, sender_email: 'sender@example.test' }
  await show(wire.createPortalStream, { body: { ...stream, path: theirs, ...sending } }, agent.at)
  let content = ''
  for (let n = 0; n < 20; n++) {
    content += `${n} `.repeat(n)
    fill(ours, { [take]: content, 'notes.txt': content })
    fill(theirs, { [take]: content })
    await sleep(100)
  }
  const [[pkg], [other]] = await eventually('both are sent', async () => {
    const sent = [await sentAs(take), await sentTo(portal)] as const
    return sent.every(({ length }) => length > 0) && sent
  })
  assert.ok(pkg !== undefined && other !== undefined)
  assert.deepEqual(await contentsOf(pkg), { [take]: content })
  assert.deepEqual(await contentsOf(other), { [take]: content })
  await aWhile()
  assert.deepEqual([(await sentAs(take)).length, (await sentAs('notes.txt')).length], [1, 0])
})

test('every field can be changed, and what is switched off does nothing', async () => {
  const path = makeFolder()
  const mark = someName('Off')
  const made = await use(wire.createTeamUpload, { body: { ...watching(path), enabled: false } }, agent.at)
  fill(path, { [`${mark}/a.txt`]: 'a' })
  await aWhile()
  assert.deepEqual(
    [(await sentAs(mark)).length, (await automationOf(agent, made.automation_id)).state],
    [0, 'disabled'],
  )
  const params = { automation_id: made.automation_id }
  const renamed = await show(wire.updateTeamUpload, { params, body: { name: 'Only the name' } }, agent.at)
  assert.deepEqual({ ...made, name: 'Only the name' }, renamed)
  await use(wire.updateTeamUpload, { params, body: { enabled: true, message: 'Now' } }, agent.at)
  const [pkg] = await eventually('it is sent', async () => {
    const sent = await sentAs(mark)
    return sent.length > 0 && sent
  })
  assert.equal(pkg?.description, 'Now')
  await show(wire.deleteAutomation, { params: { ...params, type: 'team_upload' } }, agent.at)

  const folder = { dst_folder: makeFolder() }
  const download = { name: 'D', enabled: false, ...folder, portal_subdomain: 'somewhere' }
  const one = await use(wire.createPortalDownload, { body: download }, agent.at)
  const change = { create_package_folder: false, download_priority: 5, effective_time: '2026-01-01T00:00:00.000Z' }
  const changed = await show(
    wire.updatePortalDownload,
    { params: { automation_id: one.automation_id }, body: change },
    agent.at,
  )
  assert.deepEqual(changed, { ...one, ...change })
  const all = await use(
    wire.createAllPortalsDownload,
    { body: { name: 'A', enabled: false, team_id: target.team_id, ...folder } },
    agent.at,
  )
  await show(
    wire.updateAllPortalsDownload,
    { params: { automation_id: all.automation_id }, body: { create_portal_subfolder: true } },
    agent.at,
  )
  const stream = { name: 'S', enabled: false, path: makeFolder(), timeout: 5 }
  const ours = await use(wire.createTeamStream, { body: { ...team, ...stream } }, agent.at)
  await show(wire.updateTeamStream, { params: { automation_id: ours.automation_id }, body: { timeout: 6 } }, agent.at)
  const sending = { portal_subdomain: 'somewhere', sender_email: 'sender@example.test' }
  const theirs = await use(wire.createPortalStream, { body: { ...stream, ...sending } }, agent.at)
  await show(
    wire.updatePortalStream,
    { params: { automation_id: theirs.automation_id }, body: { whitelist: ['*.mov'] } },
    agent.at,
  )
  const { automations } = await show(wire.listAutomations, {}, agent.at)
  for (const { automation_id } of [one, all, ours, theirs]) {
    assert.equal(automations.find((other) => other.automation_id === automation_id)?.state, 'disabled')
  }
})

test('an automation is carried to another agent, and does the same there; its password only if asked', async () => {
  const path = makeFolder()
  const mark = someName('Carried')
  const body = { ...watching(path), enabled: false, download_password: 'the password' }
  const { automation_id } = await use(wire.createTeamUpload, { body }, agent.at)
  const params = { type: 'team_upload', automation_id } as const
  const { data } = await show(wire.exportAutomation, { params, query: {} }, agent.at)
  const whole = await use(wire.exportAutomation, { params, query: { include_secrets: true } }, agent.at)
  const text = (packed: string) => Buffer.from(packed, 'base64').toString()
  assert.ok(!text(data).includes('the password') && text(whole.data).includes('the password'))

  const other = await startAgent({ args: inShortMinutes })
  assert.deepEqual(await show(wire.importAutomation, { body: { data: whole.data } }, other.at), { code: 200 })
  const [imported] = (await use(wire.listAutomations, {}, other.at)).automations
  const { download_password: _, ...fields } = body
  assert.deepEqual(imported, {
    ...fields,
    automation_id: imported?.automation_id,
    type: 'team_upload',
    state: 'disabled',
    last_run_at: zeroTime,
    last_error: '',
  })
  fill(path, { [`${mark}/a.txt`]: 'a' })
  const there = { automation_id: imported?.automation_id ?? '' }
  await use(wire.updateTeamUpload, { params: there, body: { enabled: true } }, other.at)
  const [pkg] = await eventually('it is sent', async () => {
    const sent = await sentAs(mark)
    return sent.length > 0 && sent
  })
  assert.ok(pkg !== undefined)
  assert.deepEqual(await contentsOf(pkg, 'the password'), { [`${mark}/a.txt`]: 'a' })

  for (const wrong of ['AAAA', Buffer.from('{"longshore_automation":2}').toString('base64'), data.slice(0, 20)]) {
    await refused(wire.importAutomation, { body: { data: wrong } }, other.at, 'automation_import_invalid')
  }
})

test('one that fails stops no other', async () => {
  const path = makeFolder()
  const mark = someName('Beside')
  fill(path, { [`${mark}/a.txt`]: 'a' })
  const nowhere = join(makeFolder(), 'a share that is away')
  const bad = await use(wire.createTeamUpload, { body: watching(nowhere) }, agent.at)
  const good = await use(wire.createTeamUpload, { body: watching(path) }, agent.at)
  await eventually('the good one sends', async () => (await sentAs(mark)).length === 1)
  const { state, last_error } = await automationOf(agent, bad.automation_id)
  assert.equal(state, 'error')
  assert.match(last_error, /a share that is away/)
  fill(nowhere, { [`${mark} back/a.txt`]: 'a' })
  await eventually('the share is back', async () => (await sentAs(`${mark} back`)).length === 1)
  assert.equal((await automationOf(agent, bad.automation_id)).last_error, '')
  for (const { automation_id } of [bad, good]) {
    await use(wire.deleteAutomation, { params: { type: 'team_upload', automation_id } }, agent.at)
  }
})

// Root reads everything, unless it has given up the right to.
const asOneOfMany =
  process.getuid?.() === 0
    ? ['setpriv', '--bounding-set', '-dac_override,-dac_read_search', '--inh-caps', '-dac_override,-dac_read_search']
    : []

test('what the agent may not read is told, and keeps nothing beside it from being sent', async () => {
  const [path, growing] = [makeFolder(), makeFolder()]
  const mark = someName('Readable')
  fill(path, { 'lost+found/a.txt': 'a', 'a locked.txt': 'a', [`${mark}/a.txt`]: 'a' })
  fill(growing, { 'a locked.mov': 'a', [`${mark}.mov`]: 'a' })
  for (const locked of [join(path, 'lost+found'), join(path, 'a locked.txt'), join(growing, 'a locked.mov')]) {
    chmodSync(locked, 0)
  }
  const humble = await startAgent({ args: inShortMinutes, under: asOneOfMany })
  const watched = await use(wire.createTeamUpload, { body: { ...watching(path), send_loose_files: true } }, humble.at)
  const streamed = await use(wire.createTeamStream, { body: { ...watching(growing), timeout: 10 } }, humble.at)
  await eventually('both are sent', async () => (await sentAs(mark)).length === 2)
  assert.match((await automationOf(humble, watched.automation_id)).last_error, /lost\+found' may not be read/)
  assert.match((await automationOf(humble, streamed.automation_id)).last_error, /a locked\.mov' may not be read/)

  const params = { automation_id: watched.automation_id }
  const leaveOut = { blacklist: ['lost+found/'] }
  await use(wire.updateTeamUpload, { params, body: leaveOut }, humble.at)
  await eventually('the file is told once the folder is left out', async () =>
    /a locked\.txt' may not be read/.test((await automationOf(humble, watched.automation_id)).last_error),
  )
  chmodSync(join(path, 'a locked.txt'), 0o600)
  await eventually('it is sent once it may be', async () => (await sentAs('a locked.txt')).length === 1)
  await eventually('and all is well', async () => (await automationOf(humble, watched.automation_id)).last_error === '')
})

test('a share that goes away while it is sent, and a file that may not be read, cost nothing that was sent', async () => {
  const path = makeFolder()
  const mark = someName('Share')
  fill(path, { [`${mark}/a.bin`]: 'x'.repeat(3_000_000), [`${mark}/locked.txt`]: 'l' })
  chmodSync(join(path, mark, 'locked.txt'), 0)
  const humble = await startAgent({ args: inShortMinutes, under: asOneOfMany })
  const limit = { rate_limit_bps: 8_000_000, enabled: true }
  await use(setUploadLimit, { body: limit }, humble.at)
  const { automation_id } = await use(wire.createTeamUpload, { body: watching(path) }, humble.at)
  const uploads = async () => (await use(listUploads, { query: {} }, humble.at)).transfers
  const [first] = await eventually('it is being sent', async () => {
    const all = await uploads()
    return all.some(({ progress }) => progress > 0) && all
  })
  renameSync(path, `${path}-away`)
  mkdirSync(path)
  await eventually('it is missed', async () => (await uploads())[0]?.state === 'error')
  await aWhile()
  rmdirSync(path)
  renameSync(`${path}-away`, path)
  await eventually('what may not be read is told', async () =>
    /locked\.txt' may not be read/.test((await automationOf(humble, automation_id)).last_error),
  )
  await aWhile()
  chmodSync(join(path, mark, 'locked.txt'), 0o600)
  await eventually('it is sent', async () => (await sentAs(mark)).length === 1)
  assert.deepEqual(
    (await uploads()).map(({ upload_id }) => upload_id),
    [first?.upload_id],
    'by the upload that was begun',
  )
  assert.equal((await automationOf(humble, automation_id)).last_error, '')
})

test('case 219: folders that would send what is fetched, or what the agent keeps, are refused', async () => {
  const folder = makeFolder()
  const download = { name: 'In', enabled: false, portal_subdomain: 'somewhere', dst_folder: join(folder, 'in') }
  await use(wire.createPortalDownload, { body: download }, agent.at)
  for (const path of [folder, join(folder, 'in'), join(folder, 'in/deeper'), agent.dataDir, dirname(agent.dataDir)]) {
    await refused(wire.createTeamUpload, { body: watching(path) }, agent.at, 'validation_failed')
  }
  await refused(wire.createTeamUpload, { body: watching('here') }, agent.at, 'validation_failed')
  await use(wire.createTeamUpload, { body: { ...watching(`${folder}-beside`), enabled: false } }, agent.at)
})

test('what needs a session is refused without one, and nobody finds what is not there', async () => {
  const stranger = await startAgent({ apiKey: null, args: inShortMinutes })
  const folder = makeFolder()
  const download = { name: 'D', dst_folder: folder }
  const asStranger = [stranger.at, 'session_is_nil'] as const
  await refused(wire.createTeamUpload, { body: watching(folder) }, ...asStranger)
  await refused(wire.createTeamStream, { body: watching(folder) }, ...asStranger)
  await refused(wire.createPortalDownload, { body: { ...download, portal_subdomain: 'any' } }, ...asStranger)
  await refused(wire.createAllPortalsDownload, { body: { ...download, team_id: target.team_id } }, ...asStranger)
  assert.deepEqual(await use(wire.listAutomations, {}, stranger.at), { automations: [] })

  const automation_id = randomUUID()
  const missing = [agent.at, 'automation_not_found'] as const
  const updates = [
    wire.updatePortalDownload,
    wire.updateAllPortalsDownload,
    wire.updateTeamUpload,
    wire.updatePortalUpload,
    wire.updateTeamStream,
    wire.updatePortalStream,
  ]
  for (const update of updates) await refused(update, { params: { automation_id }, body: {} }, ...missing)
  const params = { type: 'team_upload', automation_id } as const
  await refused(wire.deleteAutomation, { params }, ...missing)
  await refused(wire.exportAutomation, { params, query: {} }, ...missing)
})
