import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deletePortal } from '#domain/portals/manage-portals'
import { createSpace, deleteSpace } from '#domain/spaces/spaces'
import { sql } from '#platform/db'
import { seenPackage } from '#store/visibility'
import { testCx, type TestCx } from '#test-kit/cx'
import { type MadeMember, makeMember, makePackage, makeTeam } from '#test-kit/make'
import { makePortal, makePortalPackage } from '#test-kit/make-portals'
import { authorizeInTeam } from './authorize.ts'
import { viewerOf } from './visible.ts'

async function seenBy(cx: TestCx, who: MadeMember): Promise<string[]> {
  const member = await authorizeInTeam(cx, who.caller, 'portal.see', who.teamId)
  const rows = await cx.db.rows<{ name: string }>(sql`
    select p.name from packages p where p.team_id = ${who.teamId} and ${seenPackage(viewerOf(member))} order by p.name
  `)
  return rows.map(({ name }) => name)
}

test('who sees which packages of a Team', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const { caller } = team.owner
  const [inside, outside] = [await makeMember(cx, team.id, 'member'), await makeMember(cx, team.id, 'member')]
  const others = [await makeMember(cx, team.id, 'admin'), await makeMember(cx, team.id, 'integration_manager')]
  const space = await createSpace(cx, caller, team.id, { name: 'Editors', membership_ids: [inside.membershipId] })
  const listed = { access_level: 'private', access_code: 'sesame', access_list: [inside.membershipId] } as const

  const sent = await makePackage(cx, { team, name: 'sent in a space' })
  await cx.db.transaction((tx) => tx.run(sql`update packages set teamspace_id = ${space.id} where id = ${sent.id}`))
  await makePackage(cx, { team, name: 'sent' })
  await makePackage(cx, { name: "another Team's" })
  const regular = await makePortal(cx, { team })
  const secret = await makePortal(cx, { team, ...listed })
  await makePortalPackage(cx, regular, { name: 'regular' })
  await makePortalPackage(cx, secret, { name: 'private' })
  await makePortalPackage(cx, await makePortal(cx, { team, teamspace_id: space.id }), { name: 'regular in a space' })
  const both = await makePortal(cx, { team, ...listed, teamspace_id: space.id })
  await makePortalPackage(cx, both, { name: 'private in a space' })

  const everything = ['private', 'private in a space', 'regular', 'regular in a space', 'sent', 'sent in a space']
  for (const who of [team.owner, ...others, inside]) assert.deepEqual(await seenBy(cx, who), everything)
  assert.deepEqual(await seenBy(cx, outside), ['regular', 'regular in a space', 'sent'])

  // What is deleted lets nobody in who was not let in before.
  await deletePortal(cx, caller, secret.id)
  await deletePortal(cx, caller, regular.id)
  assert.deepEqual(await seenBy(cx, inside), everything)
  assert.deepEqual(await seenBy(cx, outside), ['regular', 'regular in a space', 'sent'])
  await deleteSpace(cx, caller, space.id)
  assert.deepEqual(await seenBy(cx, team.owner), everything)
  assert.deepEqual(
    await seenBy(cx, inside),
    everything.filter((name) => name !== 'sent in a space'),
  )
})

test('a private Portal is seen by its access list alone, whichever Teamspace it is in', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const [spaced, listed] = [await makeMember(cx, team.id, 'member'), await makeMember(cx, team.id, 'member')]
  const space = await createSpace(cx, team.owner.caller, team.id, {
    name: 'Editors',
    membership_ids: [spaced.membershipId],
  })
  const portal = await makePortal(cx, {
    team,
    teamspace_id: space.id,
    access_level: 'private',
    access_code: 'sesame',
    access_list: [listed.membershipId],
  })
  await makePortalPackage(cx, portal, { name: 'private in a space' })
  assert.deepEqual(await seenBy(cx, spaced), [])
  assert.deepEqual(await seenBy(cx, listed), ['private in a space'])
})
