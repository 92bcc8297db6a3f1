import { isId, newId } from '@longshore/kit/ids'
import type { Tx } from '#platform/db'
import { ensureTag, tagOfTeam } from '#store/tags'

export interface TagObject {
  readonly id?: string
  readonly name?: string
}

/**
 * The tag that a tag object means: by id if the Team has it, else by name, made if need be.
 * An unknown id alone means no tag; that another Team has it shows nowhere.
 */
export async function applyTag(tx: Tx, teamId: string, tag: TagObject | undefined): Promise<string | null> {
  if (tag?.id !== undefined && isId(tag.id)) {
    const known = await tagOfTeam(tx, teamId, tag.id)
    if (known !== undefined) return known.id
  }
  const name = tag?.name?.trim()
  return name ? (await ensureTag(tx, teamId, newId(), name)).id : null
}
