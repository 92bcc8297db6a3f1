import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { newId } from '@longshore/kit/ids'
import { takeTurn } from '#store/whole-lists'
import { testCx, type TestCx } from '#test-kit/cx'
import { makeMember, makePackage, makeTeam } from '#test-kit/make'
import { makePortal, makePortalPackage } from '#test-kit/make-portals'
import { insertManyPackages } from '#test-kit/many-packages'
import { listAllPortalPackages, listAllTeamPackages } from './list-all-packages.ts'

interface Listed {
  readonly id: string
  readonly name: string
  readonly state: string
  readonly links: readonly { readonly email: string }[]
}

const read = async (list: Promise<string | AsyncIterable<string>>): Promise<Listed[]> => {
  const pieces = await list
  return JSON.parse(typeof pieces === 'string' ? pieces : await text(Readable.from(pieces))) as Listed[]
}

async function makeMany(cx: TestCx, teamId: string, count: number): Promise<void> {
  const given = Array.from({ length: count }, (_, index) => ({
    portal_id: null,
    teamspace_id: null,
    tag_id: null,
    name: `Rushes ${index}`,
    state: (['new', 'finalized', 'expired', 'archived'] as const)[index % 4] ?? 'new',
    sender: 'ann@example.test',
    // Two of each moment, so that batches end between ties.
    created_at: new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 2)),
    finalized_at: null,
    expiry: null,
    size: 0,
    downloaded_bytes: 0,
  }))
  await cx.db.transaction((tx) => insertManyPackages(tx, teamId, given))
}

test('the list has every package once, newest first, however many batches it takes', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const { caller } = team.owner
  await makeMany(cx, team.id, 1_000)
  const list = await read(listAllTeamPackages(cx, caller, team.id, { new: true, archived: true }))
  assert.deepEqual([list.length, new Set(list.map(({ id }) => id)).size], [1_000, 1_000])
  const at = (entry: Listed | undefined) => Math.floor(Number(entry?.name.split(' ')[1]) / 2)
  for (const [index, entry] of list.entries()) if (index > 0) assert.ok(at(list[index - 1]) >= at(entry))
  const states = async (wanted: object) =>
    [...new Set((await read(listAllTeamPackages(cx, caller, team.id, wanted))).map(({ state }) => state))].toSorted()
  assert.deepEqual(await states({}), ['expired', 'finalized'])
  assert.deepEqual(await states({ expired: false }), ['finalized'])
  assert.deepEqual(await states({ expired: false, finalized: false, archived: true }), ['archived'])
  assert.deepEqual(await states({ expired: false, finalized: false }), [])
})

test('a record carries its links; a Portal has a list of its own', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const { caller } = team.owner
  const recipients = ['ann@example.test', 'bob@example.test']
  await makePackage(cx, { team, name: 'sent', files: [{}], recipients, finalized: true })
  const portal = await makePortal(cx, { team })
  await makePortalPackage(cx, portal, { name: 'received' })
  const [sent, ...others] = await read(listAllTeamPackages(cx, caller, team.id, { new: true }))
  assert.deepEqual([sent?.links.map(({ email }) => email).toSorted(), others], [recipients, []])
  const received = await read(listAllPortalPackages(cx, caller, portal.id, { new: true }))
  assert.deepEqual(
    received.map(({ name, links }) => [name, links]),
    [['received', []]],
  )
  const stranger = (await makeTeam(cx)).owner.caller
  await assert.rejects(listAllPortalPackages(cx, stranger, portal.id, {}), { code: 'portal_not_found' })
  await assert.rejects(listAllTeamPackages(cx, stranger, team.id, {}), { code: 'team_not_found' })
})

test('a Team reads one such list at a time; who comes meanwhile waits, and is refused in the end', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const other = await makeTeam(cx)
  await makeMany(cx, team.id, 500)
  const member = await makeMember(cx, team.id, 'member')
  const begun = await listAllTeamPackages(cx, team.owner.caller, team.id, {})
  assert.notEqual(typeof begun, 'string')
  const first = Readable.from(begun)
  // Another Team has nothing to do with it.
  assert.deepEqual(await read(listAllTeamPackages(cx, other.owner.caller, other.id, {})), [])
  const second = read(listAllTeamPackages(cx, member.caller, team.id, {}))
  assert.equal((JSON.parse(await text(first)) as Listed[]).length, 250)
  assert.equal((await second).length, 250)

  await cx.db.transaction((tx) => takeTurn(tx, team.id, newId(), 30))
  await assert.rejects(listAllTeamPackages(cx, member.caller, team.id, {}), {
    code: 'rate_limited',
    retryAfterSeconds: 30,
  })
})

test('a reader that goes away in the middle frees the turn', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const { caller } = team.owner
  await makeMany(cx, team.id, 1_000)
  const list = await listAllTeamPackages(cx, caller, team.id, {})
  assert.notEqual(typeof list, 'string')
  for await (const piece of list) {
    assert.ok(piece.startsWith('['))
    break
  }
  assert.equal((await read(listAllTeamPackages(cx, caller, team.id, {}))).length, 500)
})
