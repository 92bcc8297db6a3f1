import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listMembers } from '#domain/teams/members'
import { testCx } from '#test-kit/cx'
import { makeMember, makeTeam } from '#test-kit/make'
import {
  addSpaceMembers,
  createSpace,
  deleteSpace,
  listSpaces,
  readSpace,
  removeSpaceMember,
  updateSpace,
} from './spaces.ts'

test('members come and go; each carries all their Teamspaces', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  await makeMember(cx, team.id, 'member')
  const [a, b] = await listMembers(cx, team.owner.caller, team.id)
  assert.ok(a !== undefined && b !== undefined)
  const edit = await createSpace(cx, team.owner.caller, team.id, { name: 'Edit', membership_ids: [a.id] })
  const sound = await createSpace(cx, team.owner.caller, team.id, { name: 'Sound' })

  const added = await addSpaceMembers(cx, team.owner.caller, sound.id, [a.id, b.id])
  assert.deepEqual(added.find(({ id }) => id === a.id)?.teamspaces, [
    { id: edit.id, name: 'Edit' },
    { id: sound.id, name: 'Sound' },
  ])
  await removeSpaceMember(cx, team.owner.caller, sound.id, a.id)
  assert.deepEqual(
    (await readSpace(cx, team.owner.caller, sound.id)).members.map(({ id }) => id),
    [b.id],
  )
  await assert.rejects(removeSpaceMember(cx, team.owner.caller, sound.id, a.id), { code: 'member_not_found' })

  const kept = await updateSpace(cx, team.owner.caller, sound.id, { name: 'Mix' })
  assert.deepEqual([kept.name, kept.members.length], ['Mix', 1])
  const emptied = await updateSpace(cx, team.owner.caller, sound.id, { name: 'Mix', membership_ids: [] })
  assert.deepEqual(emptied.members, [])
})

test('with one stranger among those to be added, nobody is added', async (t) => {
  const cx = await testCx(t)
  const [team, other] = [await makeTeam(cx), await makeTeam(cx)]
  const [own] = await listMembers(cx, team.owner.caller, team.id)
  const [foreign] = await listMembers(cx, other.owner.caller, other.id)
  assert.ok(own !== undefined && foreign !== undefined)
  const space = await createSpace(cx, team.owner.caller, team.id, { name: 'Edit' })

  const both = [own.id, foreign.id]
  await assert.rejects(addSpaceMembers(cx, team.owner.caller, space.id, both), { code: 'validation_failed' })
  await assert.rejects(createSpace(cx, team.owner.caller, team.id, { name: 'x', membership_ids: both }), {
    code: 'validation_failed',
  })
  assert.deepEqual((await readSpace(cx, team.owner.caller, space.id)).members, [])
  assert.equal((await listSpaces(cx, team.owner.caller, team.id, {})).metadata.total, 1)
})

test('the first page is 0, and a deleted Teamspace is in no page', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const made = []
  for (const name of ['c', 'A', 'b']) made.push(await createSpace(cx, team.owner.caller, team.id, { name }))

  const page = (number: number) => listSpaces(cx, team.owner.caller, team.id, { page: number, limit: 2 })
  assert.deepEqual(
    (await page(0)).records.map(({ name }) => name),
    ['A', 'b'],
  )
  assert.deepEqual(
    (await page(1)).records.map(({ name }) => name),
    ['c'],
  )
  assert.deepEqual((await page(1)).metadata, { per_page: 2, total: 3 })

  await deleteSpace(cx, team.owner.caller, made[1]?.id ?? '')
  assert.deepEqual(
    (await page(0)).records.map(({ name }) => name),
    ['b', 'c'],
  )
  await assert.rejects(readSpace(cx, team.owner.caller, made[1]?.id ?? ''), { code: 'teamspace_not_found' })
})
