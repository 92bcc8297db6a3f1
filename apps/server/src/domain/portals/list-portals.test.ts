import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '@longshore/kit/ids'
import { createSpace } from '#domain/spaces/spaces'
import { deleteTag } from '#domain/tags/tags'
import { sql } from '#platform/db'
import { testCx, type TestCx } from '#test-kit/cx'
import { makeMember, makeTeam, type MadeTeam } from '#test-kit/make'
import { makePortal } from '#test-kit/make-portals'
import { listAllPortals, listPortals, type PortalListQuery } from './list-portals.ts'
import { deletePortal } from './manage-portals.ts'

const names = async (cx: TestCx, team: MadeTeam, query: PortalListQuery) => {
  const { metadata, records } = await listPortals(cx, team.owner.caller, team.id, query)
  return [metadata.total, ...records.map((portal) => portal.name)]
}

test('pages, sorts and an exact total', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  for (const [name, active] of [
    ['beta', true],
    ['Alpha', false],
    ['gamma', true],
  ] as const) {
    await makePortal(cx, { team, name, active })
  }
  await makePortal(cx)
  // Made in one moment: ties break by id, which here is the order of making.
  await cx.db.transaction((tx) => tx.run(sql`update portals set created_at = '2026-01-01'`))
  assert.deepEqual(await names(cx, team, {}), [3, 'gamma', 'Alpha', 'beta'])
  assert.deepEqual(await names(cx, team, { sort: 'created_at' }), [3, 'beta', 'Alpha', 'gamma'])
  assert.deepEqual(await names(cx, team, { sort: 'name' }), [3, 'Alpha', 'beta', 'gamma'])
  assert.deepEqual(await names(cx, team, { sort: '-name' }), [3, 'gamma', 'beta', 'Alpha'])
  assert.deepEqual(await names(cx, team, { sort: 'active' }), [3, 'Alpha', 'beta', 'gamma'])
  assert.deepEqual(await names(cx, team, { sort: '-active' }), [3, 'gamma', 'beta', 'Alpha'])
  assert.deepEqual(await names(cx, team, { sort: 'name', limit: 2 }), [3, 'Alpha', 'beta'])
  assert.deepEqual(await names(cx, team, { sort: 'name', limit: 2, page: 2 }), [3, 'gamma'])
  assert.deepEqual(await names(cx, team, { page: 1_000_000 }), [3])
})

test('name and subdomain are parts of what they look for, in any case; % _ and \\ mean themselves', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  for (const name of ['100% done', 'under_score', 'back\\slash', 'ÄRGER']) await makePortal(cx, { team, name })
  await makePortal(cx, { team, name: 'other', subdomain: 'film-one' })
  assert.deepEqual(await names(cx, team, { name: '%' }), [1, '100% done'])
  assert.deepEqual(await names(cx, team, { name: '_' }), [1, 'under_score'])
  assert.deepEqual(await names(cx, team, { name: '\\' }), [1, 'back\\slash'])
  assert.deepEqual(await names(cx, team, { name: 'SCORE' }), [1, 'under_score'])
  assert.deepEqual(await names(cx, team, { name: 'rger' }), [1, 'ÄRGER'])
  assert.deepEqual(await names(cx, team, { subdomain: 'LM-o' }), [1, 'other'])
  assert.deepEqual(await names(cx, team, { name: 'other', subdomain: 'no-such' }), [0])
  assert.equal((await names(cx, team, { name: '' }))[0], 5)
})

test('tags and Teamspaces filter; a deleted tag is no tag', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const { caller } = team.owner
  const space = await createSpace(cx, caller, team.id, { name: 'Editors' })
  await makePortal(cx, { team, name: 'tagged', tag: { name: 'urgent' } })
  await makePortal(cx, { team, name: 'in a space', teamspace_id: space.id })
  const { records } = await listPortals(cx, caller, team.id, { name: 'tagged' })
  const tag = records[0]?.tag?.id ?? ''
  assert.deepEqual(await names(cx, team, { tags: [tag, newId()] }), [1, 'tagged'])
  assert.deepEqual(await names(cx, team, { tags: [newId()] }), [0])
  assert.deepEqual(await names(cx, team, { teamspaces: [space.id] }), [1, 'in a space'])
  assert.deepEqual(await names(cx, team, { tags: [tag], teamspaces: [space.id] }), [0])
  await deleteTag(cx, caller, tag)
  assert.deepEqual(await names(cx, team, { tags: [tag] }), [0])
})

test('what a member may not see is in no list and in no total', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const member = await makeMember(cx, team.id, 'member')
  const manager = await makeMember(cx, team.id, 'integration_manager')
  const mine = await createSpace(cx, team.owner.caller, team.id, {
    name: 'Mine',
    membership_ids: [member.membershipId],
  })
  const theirs = await createSpace(cx, team.owner.caller, team.id, { name: 'Theirs' })
  const secret = { access_level: 'private', access_code: 'sesame' } as const
  const listed = { ...secret, access_list: [member.membershipId] }
  await makePortal(cx, { team, name: 'regular' })
  await makePortal(cx, { team, name: 'regular, mine', teamspace_id: mine.id })
  await makePortal(cx, { team, name: 'regular, theirs', teamspace_id: theirs.id })
  await makePortal(cx, { team, name: 'private', ...secret })
  await makePortal(cx, { team, name: 'private, listed', ...listed })
  await makePortal(cx, { team, name: 'private, listed, theirs', ...listed, teamspace_id: theirs.id })
  const seen = ['private, listed', 'private, listed, theirs', 'regular', 'regular, mine', 'regular, theirs']
  const list = await listPortals(cx, member.caller, team.id, { sort: 'name' })
  assert.equal(list.metadata.total, 5)
  assert.deepEqual(
    list.records.map((portal) => portal.name),
    seen,
  )
  assert.deepEqual((await listPortals(cx, member.caller, team.id, { teamspaces: [theirs.id] })).metadata.total, 2)
  assert.deepEqual((await legacy(cx, member.caller, team.id)).map((portal) => portal.name).toSorted(), seen)
  assert.equal((await listPortals(cx, manager.caller, team.id, {})).metadata.total, 6)
  assert.equal((await legacy(cx, manager.caller, team.id)).length, 6)
  assert.equal((await names(cx, team, {}))[0], 6)
})

async function legacy(cx: TestCx, caller: MadeTeam['owner']['caller'], teamId: string) {
  let text = ''
  for await (const piece of await listAllPortals(cx, caller, teamId)) text += piece
  return JSON.parse(text) as { id: string; name: string; access_code?: string }[]
}

test('the legacy list has every Portal once, newest first, however many batches it takes', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  assert.deepEqual(await legacy(cx, team.owner.caller, team.id), [])
  const gone = await makePortal(cx, { team, name: 'gone' })
  await deletePortal(cx, team.owner.caller, gone.id)
  await cx.db.transaction((tx) =>
    tx.run(sql`
      insert into portals (team_id, id, name, subdomain, created_at)
      select ${team.id}, gen_random_uuid(), 'p' || n, 'many-' || n, '2026-01-01'::timestamptz + n / 7 * interval '1 second'
        from generate_series(1, 450) n`),
  )
  const all = await legacy(cx, team.owner.caller, team.id)
  assert.equal(new Set(all.map((portal) => portal.id)).size, 450)
  assert.equal(all.length, 450)
  assert.equal(all[0]?.access_code, '')
  const { records } = await listPortals(cx, team.owner.caller, team.id, { limit: 50 })
  assert.deepEqual(
    all.slice(0, 50).map((portal) => portal.id),
    records.map((portal) => portal.id),
  )
})

test('the Portals of another Team are not listed for anybody', async (t) => {
  const cx = await testCx(t)
  const [ours, theirs] = [await makeTeam(cx), await makeTeam(cx)]
  await assert.rejects(listPortals(cx, ours.owner.caller, theirs.id, {}), { code: 'team_not_found' })
  await assert.rejects(listAllPortals(cx, ours.owner.caller, theirs.id), { code: 'team_not_found' })
})
