import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPackage } from '#domain/packages/read-package'
import { updatePackage } from '#domain/packages/update-package'
import { testCx } from '#test-kit/cx'
import { makeMember, makePackage, makeTeam } from '#test-kit/make'
import { createTag, deleteTag, listTags } from './tags.ts'

test('a name that the Team has already answers the tag it has', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const first = await createTag(cx, team.owner.caller, team.id, { name: 'dailies' })
  const again = await createTag(cx, team.owner.caller, team.id, { name: ' dailies ' })

  assert.equal(again.id, first.id)
  assert.deepEqual(await listTags(cx, team.owner.caller, team.id), [first])
})

test('a deleted tag is gone from lists and packages, and its name makes a new tag', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const pkg = await makePackage(cx, { team, tag: { name: 'dailies' } })
  const [tag] = await listTags(cx, team.owner.caller, team.id)
  assert.ok(tag !== undefined)
  assert.deepEqual((await readPackage(cx, pkg.manager, pkg.id)).tag, { id: tag.id, name: 'dailies' })

  await deleteTag(cx, team.owner.caller, tag.id)

  assert.deepEqual(await listTags(cx, team.owner.caller, team.id), [])
  assert.equal((await readPackage(cx, pkg.manager, pkg.id)).tag, undefined)
  await assert.rejects(deleteTag(cx, team.owner.caller, tag.id), { code: 'tag_not_found' })
  const renamed = await updatePackage(cx, pkg.manager, pkg.id, { name: 'x', tag: { id: tag.id } })
  assert.equal(renamed.tag, undefined, 'the id of a deleted tag means no tag')
  const fresh = await createTag(cx, team.owner.caller, team.id, { name: 'dailies' })
  assert.notEqual(fresh.id, tag.id)
})

test('members list and create tags, but do not delete them; another Team’s tag does not exist', async (t) => {
  const cx = await testCx(t)
  const [team, other] = [await makeTeam(cx), await makeTeam(cx)]
  const member = await makeMember(cx, team.id, 'member')
  const tag = await createTag(cx, member.caller, team.id, { name: 'vfx' })

  await assert.rejects(deleteTag(cx, member.caller, tag.id), { code: 'insufficient_role' })
  await assert.rejects(deleteTag(cx, other.owner.caller, tag.id), { code: 'tag_not_found' })
  assert.equal((await listTags(cx, member.caller, team.id)).length, 1)
})
