import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '@longshore/kit/ids'
import { createSpace } from '#domain/spaces/spaces'
import { testCx } from '#test-kit/cx'
import { makeMember, makeTeam } from '#test-kit/make'
import { createTeamPackage } from './create-team-package.ts'

const fields = { name: 'Rushes', description: '', recipients: [] }

test('a package can be sent within a Teamspace, by its members and by those who see everything', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const member = await makeMember(cx, team.id, 'member')
  const space = await createSpace(cx, team.owner.caller, team.id, {
    name: 'Editors',
    membership_ids: [member.membershipId],
  })
  for (const { caller } of [team.owner, member]) {
    const made = await createTeamPackage(cx, caller, team.id, { ...fields, teamspace_id: space.id })
    assert.deepEqual(made.teamspace, { id: space.id, name: 'Editors' })
  }
})

test('nobody sends a package into a Teamspace that is not theirs to see', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const other = await makeTeam(cx)
  const member = await makeMember(cx, team.id, 'member')
  const editors = await createSpace(cx, team.owner.caller, team.id, { name: 'Editors' })
  const elsewhere = await createSpace(cx, other.owner.caller, other.id, { name: 'Elsewhere' })
  for (const [caller, teamspace_id] of [
    [member.caller, editors.id],
    [team.owner.caller, elsewhere.id],
    [team.owner.caller, newId()],
  ] as const) {
    await assert.rejects(createTeamPackage(cx, caller, team.id, { ...fields, teamspace_id }), {
      code: 'validation_failed',
    })
  }
})
