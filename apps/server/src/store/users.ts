import type { Role } from '@longshore/contract/endpoint'
import { type Reads, sql, type Tx } from '#platform/db'

export interface UserRow {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly password_hash: string
  readonly time_zone: string
  readonly primary_team_id: string | null
  readonly preferred_team_id: string | null
  readonly token_serial: number
  readonly surviving_token: string | null
}

const columns = sql`id, email, name, password_hash, time_zone, primary_team_id, preferred_team_id, token_serial,
  surviving_token`

export const userByEmail = (reads: Reads, email: string) =>
  reads.row<UserRow>(sql`select ${columns} from users where lower(email) = lower(${email})`)

export const userById = (reads: Reads, id: string) =>
  reads.row<UserRow>(sql`select ${columns} from users where id = ${id}`)

export interface TeamOfUserRow {
  readonly id: string
  readonly name: string
  readonly subdomain: string
  readonly policy_key: Role
}

export const teamsOfUser = (reads: Reads, userId: string) =>
  reads.rows<TeamOfUserRow>(sql`
    select t.id, t.name, t.subdomain, m.role as policy_key
      from memberships m join teams t on t.id = m.team_id
     where m.user_id = ${userId}
     order by m.created_at, t.id
  `)

export interface NewUser {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly passwordHash: string
  readonly primaryTeamId: string
}

export const insertUser = (tx: Tx, user: NewUser) =>
  tx.run(sql`
    insert into users (id, email, name, password_hash, primary_team_id, preferred_team_id)
    values (${user.id}, ${user.email}, ${user.name}, ${user.passwordHash}, ${user.primaryTeamId}, ${user.primaryTeamId})
  `)

export interface UserChange {
  readonly name?: string | undefined
  readonly timeZone?: string | undefined
  readonly preferredTeamId?: string | undefined
}

export const updateUserRow = (tx: Tx, id: string, change: UserChange) =>
  tx.row<UserRow>(sql`
    update users
       set name = coalesce(${change.name}, name),
           time_zone = coalesce(${change.timeZone}, time_zone),
           preferred_team_id = coalesce(${change.preferredTeamId}, preferred_team_id),
           updated_at = now()
     where id = ${id}
    returning ${columns}
  `)

/** Sets a new password and ends every token issued before, but for the one named. */
export const setPassword = (tx: Tx, id: string, passwordHash: string, survivingToken: string | null) =>
  tx.run(sql`
    update users
       set password_hash = ${passwordHash}, token_serial = token_serial + 1, surviving_token = ${survivingToken},
           updated_at = now()
     where id = ${id}
  `)

export const planEmailChange = (tx: Tx, userId: string, email: string, tokenHash: Buffer, lifetimeHours: number) =>
  tx.run(sql`
    insert into email_changes (user_id, email, token_hash, expires_at)
    values (${userId}, ${email}, ${tokenHash}, now() + make_interval(hours => ${lifetimeHours}))
    on conflict (user_id) do update
       set email = excluded.email, token_hash = excluded.token_hash, expires_at = excluded.expires_at
  `)

/** Takes the planned change away and answers it. Undefined when there is none, or it is too old. */
export const takeEmailChange = (tx: Tx, tokenHash: Buffer) =>
  tx.row<{ user_id: string; email: string }>(sql`
    delete from email_changes where token_hash = ${tokenHash} and expires_at > now()
    returning user_id, email
  `)

export const setEmail = (tx: Tx, id: string, email: string) =>
  tx.run(sql`update users set email = ${email}, updated_at = now() where id = ${id}`)
