import type { Role } from '@longshore/contract/endpoint'
import { type Reads, sql, type Tx } from '#platform/db'

export interface TeamRow {
  readonly id: string
  readonly name: string
  readonly subdomain: string
  readonly custom_expiry_enabled: boolean
  readonly custom_expiry_default: number
  readonly download_limit_enabled: boolean
  readonly download_limit_default: number
  readonly max_email_recipients: number
  readonly unlimited_storage_allowed: boolean
}

const columns = sql`id, name, subdomain, custom_expiry_enabled, custom_expiry_default, download_limit_enabled,
  download_limit_default, max_email_recipients, unlimited_storage_allowed`

export const teamById = (reads: Reads, id: string) =>
  reads.row<TeamRow>(sql`select ${columns} from teams where id = ${id}`)

export type TeamSettingsChange = Partial<Omit<TeamRow, 'id' | 'name' | 'subdomain'>>

export const updateSettings = (tx: Tx, id: string, change: TeamSettingsChange) =>
  tx.row<TeamRow>(sql`
    update teams
       set custom_expiry_enabled = coalesce(${change.custom_expiry_enabled}, custom_expiry_enabled),
           custom_expiry_default = coalesce(${change.custom_expiry_default}, custom_expiry_default),
           download_limit_enabled = coalesce(${change.download_limit_enabled}, download_limit_enabled),
           download_limit_default = coalesce(${change.download_limit_default}, download_limit_default),
           max_email_recipients = coalesce(${change.max_email_recipients}, max_email_recipients),
           unlimited_storage_allowed = coalesce(${change.unlimited_storage_allowed}, unlimited_storage_allowed),
           updated_at = now()
     where id = ${id}
    returning ${columns}
  `)

export const anyTeam = async (reads: Reads): Promise<boolean> =>
  (await reads.row(sql`select 1 from teams limit 1`)) !== undefined

export const teamIds = async (reads: Reads): Promise<string[]> =>
  (await reads.rows<{ id: string }>(sql`select id from teams order by id`)).map(({ id }) => id)

export const insertTeam = (tx: Tx, team: { id: string; name: string; subdomain: string }) =>
  tx.run(sql`insert into teams (id, name, subdomain) values (${team.id}, ${team.name}, ${team.subdomain})`)

export interface MemberRow {
  readonly team_id: string
  readonly membership_id: string
  readonly user_id: string
  readonly role: Role
  readonly email: string
  readonly token_serial: number
  readonly surviving_token: string | null
}

/** The member that a user is in a Team, with what the user's tokens are checked against. */
export const memberOfTeam = (reads: Reads, teamId: string, userId: string) =>
  reads.row<MemberRow>(sql`
    select m.team_id, m.id as membership_id, m.user_id, m.role, u.email, u.token_serial, u.surviving_token
      from memberships m join users u on u.id = m.user_id
     where m.team_id = ${teamId} and m.user_id = ${userId}
  `)

export const insertMembership = (tx: Tx, member: { id: string; teamId: string; userId: string; role: Role }) =>
  tx.run(sql`
    insert into memberships (team_id, id, user_id, role)
    values (${member.teamId}, ${member.id}, ${member.userId}, ${member.role})
  `)
