import { type Reads, sql, type Tx } from '#platform/db'

export const tagById = (reads: Reads, teamId: string, id: string) =>
  reads.row<{ id: string }>(sql`select id from tags where team_id = ${teamId} and id = ${id}`)

/** The Team's tag of this name, made if it is not there. Two callers at once get the same tag. */
export async function ensureTag(tx: Tx, teamId: string, newTagId: string, name: string): Promise<string> {
  const find = sql`select id from tags where team_id = ${teamId} and name = ${name}`
  const known = await tx.row<{ id: string }>(find)
  if (known !== undefined) return known.id
  await tx.run(sql`
    insert into tags (team_id, id, name) values (${teamId}, ${newTagId}, ${name})
    on conflict (team_id, name) do nothing
  `)
  const made = await tx.row<{ id: string }>(find)
  if (made === undefined) throw new Error(`The tag '${name}' was neither found nor made.`)
  return made.id
}
