import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '#domain/access/caller'
import { identifyByUserToken } from '#domain/access/identify'
import { changePassword } from '#domain/accounts/change-password'
import { hashPassword } from '#domain/accounts/passwords'
import { fileUrl } from '#domain/downloads/file-url'
import { createLink, deleteLink, updateLink } from '#domain/links/manage-links'
import { deletePackage } from '#domain/packages/delete-package'
import { finalizePackage } from '#domain/packages/finalize-package'
import { followPackage } from '#domain/realtime/follow-package'
import { followTeam } from '#domain/realtime/follow-team'
import { reportProgress } from '#domain/realtime/report-progress'
import type { Stream, StreamEvent } from '@longshore/kit/door/stream'
import { Refusal } from '#domain/refusal'
import { createSpace } from '#domain/spaces/spaces'
import { removeMember, updateMember } from '#domain/teams/members'
import { finalizeFiles } from '#domain/uploads/finalize-files'
import { sql } from '#platform/db'
import { type TestCx, testCx } from '#test-kit/cx'
import { callerFor, letExpire, makeFile, makeMember, makePackage, makeTeam, type MadePackage } from '#test-kit/make'
import { makePortal, makePortalPackage } from '#test-kit/make-portals'

const asking = (caller: Caller, lastEventId?: string, identifyAgain = async () => caller) => ({
  caller,
  address: '127.0.0.1',
  lastEventId,
  identifyAgain,
})

/** Reads a stream as a client would, and writes down what comes. */
function read(t: TestContext, stream: Stream) {
  const events: StreamEvent[] = []
  let [beats, ended] = [0, false]
  const stop = stream({
    tell: (event) => void (ended || events.push(event)),
    beat: () => beats++,
    end: () => void (ended = true),
  })
  t.after(stop)
  return {
    events,
    stop,
    beats: () => beats,
    ended: () => ended,
    types: () => events.map(({ type }) => type),
    /** What the last event of this type said. */
    last: (type: string) => {
      const event = events.findLast((one) => one.type === type)
      return event === undefined ? undefined : (JSON.parse(event.data) as Record<string, unknown>)
    },
  }
}

async function until(what: string, isSo: () => boolean, ms = 5_000): Promise<void> {
  const deadline = Date.now() + ms
  while (!isSo()) {
    if (Date.now() > deadline) assert.fail(`still not so: ${what}`)
    await sleep(10)
  }
}

const follow = async (t: TestContext, cx: TestCx, pkg: MadePackage, caller: Caller = pkg.manager, after?: string) =>
  read(t, await followPackage(cx, asking(caller, after), pkg.id))

test('a follower learns how far the package is, sees it come on, and hears of its changes', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{ pieces: [Buffer.alloc(10)] }] })
  const unfinished = await makeFile(cx, pkg, { pieces: [Buffer.alloc(90)], finalized: false })
  const reader = await follow(t, cx, pkg)
  await until('the first word', () => reader.events.length === 1)
  assert.deepEqual(reader.last('package.progress'), {
    package_id: pkg.id,
    state: 'new',
    uploaded_bytes: 10,
    size: 100,
    files_done: 1,
    total_files: 2,
  })
  assert.equal(reader.events[0]?.id, undefined, 'a state is no event that one could go on from')

  await reportProgress(cx, pkg.manager, pkg.id, 55)
  await until('the report', () => reader.last('package.progress')?.['uploaded_bytes'] === 55)
  await finalizeFiles(cx, pkg.manager, pkg.id, [unfinished.claim])
  await until('the second file', () => reader.last('package.progress')?.['files_done'] === 2)
  await finalizePackage(cx, pkg.manager, pkg.id)
  await until('the end of the upload', () => reader.last('package.progress')?.['state'] === 'finalized')
  assert.deepEqual(reader.last('package.progress'), {
    package_id: pkg.id,
    state: 'finalized',
    uploaded_bytes: 100,
    size: 100,
    files_done: 2,
    total_files: 2,
  })
  const finalized = reader.last('package.finalized')
  assert.equal(finalized?.['event_type'], 'package.finalized')
  assert.deepEqual(
    [finalized?.['object']].map((object) => {
      const { id, state, size } = object as Record<string, unknown>
      return { id, state, size }
    }),
    [{ id: pkg.id, state: 'finalized', size: 100 }],
  )
})

test('what a sender reports never goes back, and never beyond what was announced', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  await makeFile(cx, pkg, { pieces: [Buffer.alloc(100)], finalized: false })
  const at = async () => (await cx.progress.of({ teamId: pkg.teamId, packageId: pkg.id }))?.uploaded_bytes
  for (const [said, shown] of [
    [40, 40],
    [30, 40],
    [5_000, 100],
    [0, 100],
  ] as const) {
    await reportProgress(cx, pkg.manager, pkg.id, said)
    assert.equal(await at(), shown)
  }
  const unknown = await makePackage(cx)
  await makeFile(cx, unknown, { announced: false, finalized: false })
  await reportProgress(cx, unknown.manager, unknown.id, 5_000)
  const progress = await cx.progress.of({ teamId: unknown.teamId, packageId: unknown.id })
  assert.deepEqual([progress?.uploaded_bytes, progress?.size], [5_000, 0])
})

test('progress is told at most once a second, and the last word is the newest', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  await makeFile(cx, pkg, { pieces: [Buffer.alloc(1_000)], finalized: false })
  const reader = await follow(t, cx, pkg)
  await until('the first word', () => reader.events.length > 0)
  const startedAt = Date.now()
  for (let bytes = 1; bytes <= 100; bytes++) {
    await reportProgress(cx, pkg.manager, pkg.id, bytes)
    await sleep(5)
  }
  await until('the newest', () => reader.last('package.progress')?.['uploaded_bytes'] === 100)
  const seconds = (Date.now() - startedAt) / 1000
  // One more for the state at the beginning and one for the word that begins the first second.
  assert.ok(reader.events.length <= 2 + Math.ceil(seconds), `${reader.events.length} in ${seconds} s`)
})

test('who comes back with Last-Event-ID goes on where they stopped; a stranger’s id begins anew', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{}] })
  const first = await follow(t, cx, pkg)
  await until('the first word', () => first.events.length > 0)
  await createLink(cx, pkg.manager, pkg.id, {})
  await until('the link', () => first.types().includes('link.created'))
  first.stop()
  await finalizePackage(cx, pkg.manager, pkg.id)
  const back = await follow(t, cx, pkg, pkg.manager, first.events.findLast(({ id }) => id !== undefined)?.id)
  await until('the rest', () => back.types().includes('package.finalized'))
  assert.equal(back.types()[0], 'package.finalized', 'nothing twice, and no state in between')
  for (const id of ['1-1', 'nonsense', '../../etc']) {
    const stranger = await follow(t, cx, pkg, pkg.manager, id)
    await until('a new beginning', () => stranger.types().includes('package.progress'))
    assert.ok(stranger.types().includes('stream.missed'), id)
    stranger.stop()
  }
})

test('who only fetches or sends is not told what others do with the package', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{}], finalized: true })
  const readers = {
    manage: await follow(t, cx, pkg),
    write: await follow(t, cx, pkg, await callerFor(cx, pkg, 'write')),
    read: await follow(t, cx, pkg, await callerFor(cx, pkg, 'read')),
  }
  await createLink(cx, pkg.manager, pkg.id, {})
  await fileUrl(cx, await callerFor(cx, pkg, 'read'), pkg.id, pkg.files[0]?.id ?? '', {})
  await deletePackage(cx, pkg.manager, pkg.id)
  for (const reader of Object.values(readers)) await until('the end', reader.ended)
  assert.deepEqual(
    readers.manage.types().filter((type) => type !== 'package.progress'),
    ['link.created', 'package.downloaded', 'package.deleted'],
  )
  for (const reader of [readers.write, readers.read]) {
    assert.deepEqual(
      reader.types().filter((type) => type !== 'package.progress'),
      ['package.deleted'],
    )
  }
})

test('a stream ends with what its token stands on, within seconds', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{}], finalized: true })
  const colleague = await makeMember(cx, pkg.teamId, 'admin')
  const [off, gone] = [await createLink(cx, pkg.manager, pkg.id, {}), await createLink(cx, pkg.manager, pkg.id, {})]
  const late = await createLink(cx, pkg.manager, pkg.id, { expiry: new Date(Date.now() + 1_500).toISOString() })
  const readerOf = async (linkId: string) => follow(t, cx, pkg, await callerFor(cx, pkg, 'read', { linkId }))
  const streams = {
    off: await readerOf(off.id),
    gone: await readerOf(gone.id),
    late: await readerOf(late.id),
    colleague: await follow(t, cx, pkg, await callerFor(cx, pkg, 'manage', { userId: colleague.userId })),
    manager: await follow(t, cx, pkg),
  }
  await updateLink(cx, pkg.manager, pkg.id, off.id, { active: false })
  await deleteLink(cx, pkg.manager, pkg.id, gone.id)
  await removeMember(cx, pkg.owner.caller, pkg.teamId, colleague.membershipId)
  for (const name of ['off', 'gone', 'late', 'colleague'] as const) await until(name, streams[name].ended)
  await until('a beat', () => streams.manager.beats() > 1)
  assert.equal(streams.manager.ended(), false)

  await letExpire(cx, pkg)
  await until('the package', streams.manager.ended)
  await assert.rejects(followPackage(cx, asking(pkg.manager), pkg.id), { code: 'package_expired' })
})

test('a credential that is no longer one ends its stream, a database that is away does not', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  let answer: () => Promise<Caller> = () => Promise.reject(new Error('connection lost'))
  const reader = read(
    t,
    await followPackage(
      cx,
      asking(pkg.manager, undefined, () => answer()),
      pkg.id,
    ),
  )
  await until('beats', () => reader.beats() >= 2)
  assert.equal(reader.ended(), false)
  answer = () => Promise.reject(new Refusal('token_expired'))
  await until('the end', reader.ended)
})

test('a member hears of the packages they see, as they see them at that moment', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const member = await makeMember(cx, team.id, 'member')
  const readers = {
    owner: read(t, await followTeam(cx, asking(team.owner.caller), team.id)),
    member: read(t, await followTeam(cx, asking(member.caller), team.id)),
  }
  const space = await createSpace(cx, team.owner.caller, team.id, { name: 'Editors', membership_ids: [] })
  const regular = await makePortal(cx, { team })
  const spaced = await makePortal(cx, { team, teamspace_id: space.id })
  const hidden = await makePortal(cx, { team, access_level: 'private', access_code: 'sesame', access_list: [] })
  const inRegular = await makePortalPackage(cx, regular)
  const inSpace = await makePortalPackage(cx, spaced)
  const inPrivate = await makePortalPackage(cx, hidden)
  const open = await makePackage(cx, { team })
  const ids = (reader: typeof readers.owner) =>
    reader.events.map(({ data }) => (JSON.parse(data) as { object: { id: string } }).object.id)
  await until('all of them', () => ids(readers.owner).length === 4)
  await until('those that are open', () => ids(readers.member).length === 3)
  assert.deepEqual(ids(readers.owner), [inRegular.id, inSpace.id, inPrivate.id, open.id])
  assert.deepEqual(ids(readers.member), [inRegular.id, inSpace.id, open.id])

  await updateMember(cx, team.owner.caller, team.id, member.membershipId, 'admin')
  await sleep(1_500)
  const later = await makePortalPackage(cx, hidden)
  await until('with the new role', () => ids(readers.member).includes(later.id))
  await removeMember(cx, team.owner.caller, team.id, member.membershipId)
  await until('the end of the membership', readers.member.ended)
  assert.equal(readers.owner.ended(), false)
})

test('a changed password ends the streams of the user’s other tokens', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const hash = await hashPassword('a long password')
  await cx.db.transaction((tx) => tx.run(sql`update users set password_hash = ${hash} where id = ${team.owner.userId}`))
  const other = await identifyByUserToken(cx, await cx.tokens.issueUser({ userId: team.owner.userId, serial: 0 }))
  const [kept, ended] = [
    read(t, await followTeam(cx, asking(team.owner.caller), team.id)),
    read(t, await followTeam(cx, asking(other), team.id)),
  ]
  const given = { current_password: 'a long password', password: 'another long password' }
  await changePassword(cx, team.owner.caller, team.owner.userId, given, '127.0.0.1')
  await until('the other token', ended.ended)
  assert.equal(kept.ended(), false)
})

test('a credential has so many streams and no more, until one is closed', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const readers = []
  for (let nth = 0; nth < 3; nth++) readers.push(await follow(t, cx, pkg))
  await assert.rejects(followPackage(cx, asking(pkg.manager), pkg.id), { code: 'rate_limited' })
  await follow(t, cx, pkg, await callerFor(cx, pkg, 'write'))
  readers[0]?.stop()
  await follow(t, cx, pkg)
})
