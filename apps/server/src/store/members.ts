import type { Role } from '@longshore/contract/endpoint'
import { type Reads, sql, type Tx } from '#platform/db'

export interface MemberRow {
  readonly id: string
  readonly team_id: string
  readonly user_id: string
  readonly role: Role
  readonly approved: boolean
  readonly invitation_accepted: Date
  readonly name: string
  readonly email: string
  readonly teamspaces: readonly { readonly id: string; readonly name: string }[]
}

const members = sql`
  select m.id, m.team_id, m.user_id, m.role, m.approved, m.invitation_accepted, u.name, u.email,
         coalesce((
           select json_agg(json_build_object('id', s.id, 'name', s.name) order by lower(s.name), s.id)
             from teamspace_members tm join teamspaces s on s.team_id = tm.team_id and s.id = tm.teamspace_id
            where tm.team_id = m.team_id and tm.membership_id = m.id and s.deleted_at is null
         ), '[]') as teamspaces
    from memberships m join users u on u.id = m.user_id`

export const membersOfTeam = (reads: Reads, teamId: string) =>
  reads.rows<MemberRow>(sql`${members} where m.team_id = ${teamId} order by lower(u.name), m.id`)

export const membersOfSpace = (reads: Reads, teamId: string, spaceId: string) =>
  reads.rows<MemberRow>(sql`
    ${members}
    where m.team_id = ${teamId} and exists (
      select 1 from teamspace_members x
       where x.team_id = m.team_id and x.teamspace_id = ${spaceId} and x.membership_id = m.id)
    order by lower(u.name), m.id
  `)

export const membersById = (reads: Reads, teamId: string, ids: readonly string[]) =>
  reads.rows<MemberRow>(sql`
    ${members} where m.team_id = ${teamId} and m.id = any(${ids}::uuid[]) order by lower(u.name), m.id
  `)

/** Locks the Owners of a Team, so that of two who step down at once the second sees what the first did. */
export const lockOwners = (tx: Tx, teamId: string) =>
  tx.rows<{ id: string }>(sql`
    select id from memberships where team_id = ${teamId} and role = 'owner' order by id for update
  `)

export const setRole = (tx: Tx, teamId: string, id: string, role: Role) =>
  tx.run(sql`update memberships set role = ${role} where team_id = ${teamId} and id = ${id}`)

/** Removes a member with the API keys they made in the Team. Returns false when they had gone. */
export async function deleteMember(tx: Tx, teamId: string, id: string): Promise<boolean> {
  await tx.run(sql`
    delete from api_keys k using memberships m
     where m.team_id = ${teamId} and m.id = ${id} and k.team_id = m.team_id and k.created_by = m.user_id
  `)
  return (await tx.run(sql`delete from memberships where team_id = ${teamId} and id = ${id}`)) === 1
}
