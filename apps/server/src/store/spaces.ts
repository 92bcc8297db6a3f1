import { type Reads, sql, type Tx } from '#platform/db'

export interface SpaceRow {
  readonly id: string
  readonly team_id: string
  readonly name: string
}

export const spaceById = (reads: Reads, id: string) =>
  reads.row<SpaceRow>(sql`select id, team_id, name from teamspaces where id = ${id} and deleted_at is null`)

export const spacesOfTeam = (reads: Reads, teamId: string, page: number, limit: number) =>
  reads.rows<SpaceRow>(sql`
    select id, team_id, name from teamspaces
     where team_id = ${teamId} and deleted_at is null
     order by lower(name), id
     limit ${limit} offset ${page * limit}
  `)

export const countSpaces = async (reads: Reads, teamId: string): Promise<number> =>
  (
    await reads.row<{ total: number }>(sql`
      select count(*)::integer as total from teamspaces where team_id = ${teamId} and deleted_at is null
    `)
  )?.total ?? 0

export const insertSpace = (tx: Tx, space: SpaceRow) =>
  tx.run(sql`insert into teamspaces (team_id, id, name) values (${space.team_id}, ${space.id}, ${space.name})`)

/** Returns false when the Teamspace was deleted. */
export const renameSpace = async (tx: Tx, id: string, name: string): Promise<boolean> =>
  (await tx.run(sql`
    update teamspaces set name = ${name}, updated_at = now() where id = ${id} and deleted_at is null
  `)) === 1

/** Deletes a Teamspace. What belongs to it stays where only those see it who see everything. */
export async function deleteSpaceRow(tx: Tx, id: string): Promise<boolean> {
  const deleted = await tx.run(sql`
    update teamspaces set deleted_at = now(), updated_at = now() where id = ${id} and deleted_at is null
  `)
  await tx.run(sql`delete from teamspace_members where teamspace_id = ${id}`)
  return deleted === 1
}

/** Adds members of the Team. Answers how many of those named are members at all; who is in already stays in. */
export async function addToSpace(tx: Tx, space: SpaceRow, membershipIds: readonly string[]): Promise<number> {
  const known = await tx.rows<{ id: string }>(sql`
    select id from memberships
     where team_id = ${space.team_id} and id = any(${membershipIds}::uuid[])
     order by id
       for key share
  `)
  await tx.run(sql`
    insert into teamspace_members (team_id, teamspace_id, membership_id)
    select ${space.team_id}, ${space.id}, unnest(${known.map((member) => member.id)}::uuid[])
    on conflict do nothing
  `)
  return known.length
}

/** Returns false when the member was not in the Teamspace. */
export const takeFromSpace = async (tx: Tx, space: SpaceRow, membershipId: string): Promise<boolean> =>
  (await tx.run(sql`
    delete from teamspace_members
     where team_id = ${space.team_id} and teamspace_id = ${space.id} and membership_id = ${membershipId}
  `)) === 1

export const emptySpace = (tx: Tx, space: SpaceRow) =>
  tx.run(sql`delete from teamspace_members where team_id = ${space.team_id} and teamspace_id = ${space.id}`)
