import { newId } from '@longshore/kit/ids'
import { authorizeForThing, authorizeInTeam } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { createOnce, type Once } from '#domain/idempotency'
import { invalid, Refusal } from '#domain/refusal'
import { showTime } from '#domain/times'
import { deactivateTag, ensureTag, type TagRow, tagById, tagsOfTeam } from '#store/tags'

const presentTag = (tag: TagRow) => ({
  id: tag.id,
  name: tag.name,
  team_id: tag.team_id,
  active: tag.active,
  created_at: showTime(tag.created_at),
  updated_at: showTime(tag.updated_at),
})

/** Makes a tag. A name that the Team has already answers the tag it has. */
export async function createTag(
  cx: Pick<Cx, 'db' | 'box'>,
  caller: Caller,
  teamId: string,
  given: { name: string },
  once?: Once,
) {
  await authorizeInTeam(cx, caller, 'tag.create', teamId)
  const name = given.name.trim()
  if (name === '') throw invalid('name', 'must not be blank')
  return createOnce(cx, once, async (tx) => presentTag(await ensureTag(tx, teamId, newId(), name)))
}

export async function listTags(cx: Pick<Cx, 'db'>, caller: Caller, teamId: string) {
  await authorizeInTeam(cx, caller, 'tag.list', teamId)
  return (await tagsOfTeam(cx.db, teamId)).map(presentTag)
}

/** Deletes a tag. What had it goes on without one. */
export async function deleteTag(cx: Pick<Cx, 'db'>, caller: Caller, id: string): Promise<void> {
  const notFound = new Refusal('tag_not_found', `There is no tag '${id}' for this credential.`)
  await authorizeForThing(cx, caller, 'tag.delete', await tagById(cx.db, id), notFound)
  if (!(await cx.db.transaction((tx) => deactivateTag(tx, id)))) throw notFound
}
