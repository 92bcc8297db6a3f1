import { type Reads, sql, type Tx } from '#platform/db'

export interface TagRow {
  readonly id: string
  readonly team_id: string
  readonly name: string
  readonly active: boolean
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = sql`id, team_id, name, active, created_at, updated_at`

/** The Team's own tag of this id, unless it was deleted. */
export const tagOfTeam = (reads: Reads, teamId: string, id: string) =>
  reads.row<TagRow>(sql`select ${columns} from tags where team_id = ${teamId} and id = ${id} and active`)

/** Whoever's tag it is. */
export const tagById = (reads: Reads, id: string) =>
  reads.row<TagRow>(sql`select ${columns} from tags where id = ${id} and active`)

/** Those of these ids that are tags of the Team and were not deleted. */
export const tagsAmong = async (reads: Reads, teamId: string, ids: readonly string[]): Promise<string[]> =>
  (
    await reads.rows<{ id: string }>(sql`
      select id from tags where team_id = ${teamId} and id = any(${ids}::uuid[]) and active
    `)
  ).map(({ id }) => id)

export const tagsOfTeam = (reads: Reads, teamId: string) =>
  reads.rows<TagRow>(sql`select ${columns} from tags where team_id = ${teamId} and active order by lower(name), id`)

/** The Team's tag of this name, made if it is not there. Two callers at once get the same tag. */
export async function ensureTag(tx: Tx, teamId: string, newTagId: string, name: string): Promise<TagRow> {
  const find = sql`select ${columns} from tags where team_id = ${teamId} and name = ${name} and active`
  const known = await tx.row<TagRow>(find)
  if (known !== undefined) return known
  await tx.run(sql`
    insert into tags (team_id, id, name) values (${teamId}, ${newTagId}, ${name})
    on conflict (team_id, name) where active do nothing
  `)
  const made = await tx.row<TagRow>(find)
  if (made === undefined) throw new Error(`The tag '${name}' was neither found nor made.`)
  return made
}

/** Takes a tag away from everything that has it. Returns false when it was gone. */
export const deactivateTag = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.run(sql`update tags set active = false, updated_at = now() where id = ${id} and active`)) === 1
