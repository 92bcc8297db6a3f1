import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readPackage, updatePackage } from '@longshore/contract/cloud/packages'
import * as wire from '@longshore/contract/cloud/tags'
import { refused, show, use } from '#calls'
import { makeMember } from '#members'
import { test } from '#record'
import { target } from '#target'
import { inPackage, makePackage, managing, someName } from '#walk'

const owner = { as: { apiKey: target.api_key } }
const team = { team_id: target.team_id }

test('a tag is created once per name, listed, applied by id or name, and gone when deleted', async () => {
  const name = someName('dailies')
  const tag = await show(wire.createTag, { params: team, body: { name } }, owner)
  assert.deepEqual([tag.name, tag.team_id, tag.active], [name, target.team_id, true])
  assert.equal((await show(wire.createTag, { params: team, body: { name: ` ${name} ` } }, owner)).id, tag.id)
  assert.ok((await show(wire.listTags, { params: team }, owner)).some(({ id }) => id === tag.id))

  const byId = await makePackage({ tag: { id: tag.id, name: 'not looked at' } })
  assert.deepEqual(byId.tag, { id: tag.id, name })
  const byName = await makePackage({ tag: { id: randomUUID(), name } })
  assert.deepEqual(byName.tag, { id: tag.id, name })
  assert.equal((await makePackage({ tag: { id: randomUUID() } })).tag, undefined)

  await show(wire.deleteTag, { params: { tag_id: tag.id } }, owner)
  assert.equal((await use(readPackage, { params: inPackage(byId) }, managing(byId))).tag, undefined)
  assert.equal(
    (await use(wire.listTags, { params: team }, owner)).some(({ id }) => id === tag.id),
    false,
  )
  await refused(wire.deleteTag, { params: { tag_id: tag.id } }, owner, 'tag_not_found')
})

test('an unknown name makes a new tag, and an update without a tag removes it', async () => {
  const name = someName('made by a package')
  const pkg = await makePackage({ tag: { name } })
  assert.equal(pkg.tag?.name, name)
  assert.ok((await use(wire.listTags, { params: team }, owner)).some((tag) => tag.id === pkg.tag?.id))
  const without = await use(updatePackage, { params: inPackage(pkg), body: { name: pkg.name } }, managing(pkg))
  assert.equal(without.tag, undefined)
})

test('twenty creates of one name at once make one tag', async () => {
  const name = someName('at once')
  const made = await Promise.all(
    Array.from({ length: 20 }, () => use(wire.createTag, { params: team, body: { name } }, owner)),
  )
  assert.equal(new Set(made.map(({ id }) => id)).size, 1)
})

test('a Member creates and lists tags and deletes none', async () => {
  const as = { userToken: (await makeMember('member')).token }
  const tag = await use(wire.createTag, { params: team, body: { name: someName('by a member') } }, { as })
  await refused(wire.deleteTag, { params: { tag_id: tag.id } }, { as }, 'insufficient_role')
  await refused(wire.createTag, { params: team, body: { name: '   ' } }, { as }, 'validation_failed')
})
