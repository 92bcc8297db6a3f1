import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '@longshore/kit/ids'
import { sql } from '#platform/db'
import { testCx, type TestCx } from '#test-kit/cx'
import { makeTeam } from '#test-kit/make'
import { race } from '#test-kit/race'
import { applyTag, type TagObject } from './apply-tag.ts'

const apply = (cx: TestCx, teamId: string, tag: TagObject | undefined) =>
  cx.db.transaction((tx) => applyTag(tx, teamId, tag))

const tags = (cx: TestCx) => cx.db.rows<{ name: string }>(sql`select name from tags order by name`)

test('a name that the Team does not have yet is made once and found from then on', async (t) => {
  const cx = await testCx(t)
  const { id } = await makeTeam(cx)
  const made = await apply(cx, id, { name: ' urgent ' })
  assert.equal(await apply(cx, id, { name: 'urgent' }), made)
  assert.deepEqual(await tags(cx), [{ name: 'urgent' }])
})

test('no tag, an empty name and an unknown id alone mean no tag, and make none', async (t) => {
  const cx = await testCx(t)
  const { id } = await makeTeam(cx)
  for (const tag of [undefined, {}, { name: '' }, { name: '  ' }, { id: newId() }, { id: 'no uuid' }]) {
    assert.equal(await apply(cx, id, tag), null, JSON.stringify(tag))
  }
  assert.deepEqual(await tags(cx), [])
})

test('the id decides where the Team has it; where not, the name does', async (t) => {
  const cx = await testCx(t)
  const { id } = await makeTeam(cx)
  const urgent = (await apply(cx, id, { name: 'urgent' })) ?? ''
  assert.equal(await apply(cx, id, { id: urgent, name: 'another name' }), urgent)
  assert.equal(await apply(cx, id, { id: newId(), name: 'urgent' }), urgent)
  assert.deepEqual(await tags(cx), [{ name: 'urgent' }])
})

test('a tag of another Team is unknown, by id and by name', async (t) => {
  const cx = await testCx(t)
  const [ours, theirs] = [await makeTeam(cx), await makeTeam(cx)]
  const foreign = (await apply(cx, theirs.id, { name: 'urgent' })) ?? ''
  assert.equal(await apply(cx, ours.id, { id: foreign }), null)
  assert.notEqual(await apply(cx, ours.id, { name: 'urgent' }), foreign)
  assert.equal((await tags(cx)).length, 2)
})

test('two who make the same tag at once get one tag', async (t) => {
  const cx = await testCx(t)
  const { id } = await makeTeam(cx)
  const { first, second } = await race(
    cx,
    (cx) => apply(cx, id, { name: 'urgent' }),
    (cx) => apply(cx, id, { name: 'urgent' }),
  )
  assert.equal(await second, await first)
  assert.deepEqual(await tags(cx), [{ name: 'urgent' }])
})

test('a tag whose first maker fails is made by the second', async (t) => {
  const cx = await testCx(t)
  const { id } = await makeTeam(cx)
  const { first, second } = await race(
    cx,
    (cx) => apply(cx, id, { name: 'urgent' }),
    (cx) => apply(cx, id, { name: 'urgent' }),
    { failing: true },
  )
  await assert.rejects(first)
  assert.notEqual(await second, null)
  assert.deepEqual(await tags(cx), [{ name: 'urgent' }])
})
