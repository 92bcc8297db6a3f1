import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as wire from '@longshore/contract/cloud/spaces'
import { refused, show, use } from '#calls'
import { makeMember, makeTeam } from '#members'
import { test } from '#record'
import { someName } from '#walk'

async function ground() {
  const teamId = await makeTeam(someName('Team'))
  const owner = await makeMember('owner', teamId)
  return {
    teamId,
    team: { team_id: teamId },
    how: { as: { userToken: owner.token } },
    member: await makeMember('member', teamId),
    other: await makeMember('member', teamId),
  }
}

test('a Teamspace is made with members, read, changed, and deleted', async () => {
  const { team, how, member, other } = await ground()
  const body = { name: 'Edit', membership_ids: [member.membership_id] }
  const space = await show(wire.createSpace, { params: team, body }, how)
  assert.deepEqual([space.name, space.members.map(({ id }) => id)], ['Edit', [member.membership_id]])
  const at = { space_id: space.id }
  assert.deepEqual(await show(wire.readSpace, { params: at }, how), space)

  const added = { membership_ids: [other.membership_id, member.membership_id] }
  const both = await show(wire.addSpaceMembers, { params: at, body: added }, how)
  assert.deepEqual(new Set(both.map(({ id }) => id)), new Set(added.membership_ids))
  assert.deepEqual(both[0]?.teamspaces, [{ id: space.id, name: 'Edit' }])

  await show(wire.removeSpaceMember, { params: { ...at, membership_id: member.membership_id } }, how)
  const gone = { params: { ...at, membership_id: member.membership_id } }
  await refused(wire.removeSpaceMember, gone, how, 'member_not_found')
  const renamed = await show(wire.updateSpace, { params: at, body: { name: 'Cut' } }, how)
  assert.deepEqual([renamed.name, renamed.members.map(({ id }) => id)], ['Cut', [other.membership_id]])
  const emptied = await use(wire.updateSpace, { params: at, body: { name: 'Cut', membership_ids: [] } }, how)
  assert.deepEqual(emptied.members, [])

  await show(wire.deleteSpace, { params: at }, how)
  await refused(wire.readSpace, { params: at }, how, 'teamspace_not_found')
  await refused(wire.deleteSpace, { params: at }, how, 'teamspace_not_found')
})

test('the list counts pages from 0 and says the exact total', async () => {
  const { team, how } = await ground()
  for (const name of ['c', 'A', 'b']) await use(wire.createSpace, { params: team, body: { name } }, how)
  const page = (number: number) => show(wire.listSpaces, { params: team, query: { page: number, limit: 2 } }, how)
  const first = await page(0)
  assert.deepEqual(
    first.records.map(({ name }) => name),
    ['A', 'b'],
  )
  assert.deepEqual(first.metadata, { per_page: 2, total: 3 })
  assert.deepEqual(
    (await page(1)).records.map(({ name }) => name),
    ['c'],
  )
  assert.deepEqual((await page(2)).records, [])
  for (const query of [{ limit: 0 }, { limit: 51 }, { page: -1 }]) {
    await refused(wire.listSpaces, { params: team, query }, how, 'validation_failed')
  }
})

test('with one stranger among those to be added, nobody is added', async () => {
  const { team, how, member } = await ground()
  const stranger = await makeMember('member')
  const space = await use(wire.createSpace, { params: team, body: { name: 'Edit' } }, how)
  for (const foreign of [stranger.membership_id, randomUUID()]) {
    const body = { membership_ids: [member.membership_id, foreign] }
    await refused(wire.addSpaceMembers, { params: { space_id: space.id }, body }, how, 'validation_failed')
    await refused(wire.createSpace, { params: team, body: { name: 'x', ...body } }, how, 'validation_failed')
  }
  assert.deepEqual((await use(wire.readSpace, { params: { space_id: space.id } }, how)).members, [])
})
