import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { randomBytes, randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { Role } from '@longshore/contract/endpoint'
import { userToken } from '#mint'
import { setting, target } from '#target'

/**
 * The one exception to the black box: further members and a second Team are written into the database, until
 * invitations exist. Nothing else in this suite knows a table.
 */
export interface Member {
  readonly id: string
  readonly membership_id: string
  readonly team_id: string
  readonly email: string
  readonly password: string
  readonly role: Role
  readonly token: string
}

export async function sql(statement: string, databaseUrl = setting('LONGSHORE_DATABASE_URL')): Promise<string> {
  const { password } = new URL(databaseUrl)
  const bare = databaseUrl.replace(`:${password}@`, '@')
  const child = spawn('psql', ['--dbname', bare, '--no-psqlrc', '-v', 'ON_ERROR_STOP=1', '-At'], {
    env: { PATH: process.env['PATH'] ?? '', PGPASSWORD: password, PGCONNECT_TIMEOUT: '5' },
  })
  child.stdin.end(statement)
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (child.exitCode === null) await once(child, 'exit')
  if (child.exitCode !== 0) throw new Error(`psql: ${err}`)
  return out.trim()
}

/** A person with a role in a Team. Their password is the Owner's, since only its hash can be copied. */
export async function makeMember(role: Role, teamId = target.team_id): Promise<Member> {
  const [id, membershipId] = [randomUUID(), randomUUID()]
  const email = `${role}-${randomBytes(5).toString('hex')}@example.test`
  await sql(`
    insert into users (id, email, name, password_hash, primary_team_id, preferred_team_id)
    select '${id}', '${email}', 'A ${role}', password_hash, '${teamId}', '${teamId}'
      from users where id = '${target.owner.id}';
    insert into memberships (team_id, id, user_id, role) values ('${teamId}', '${membershipId}', '${id}', '${role}');
  `)
  return {
    id,
    membership_id: membershipId,
    team_id: teamId,
    email,
    password: target.owner.password,
    role,
    token: userToken(id),
  }
}

export async function joinTeam(member: Member, teamId: string, role: Role): Promise<void> {
  await sql(`
    insert into memberships (team_id, id, user_id, role)
    values ('${teamId}', '${randomUUID()}', '${member.id}', '${role}')
  `)
}

export async function changeRole(member: Member, role: Role): Promise<void> {
  await sql(`update memberships set role = '${role}' where id = '${member.membership_id}'`)
}

export async function removeMember(member: Member): Promise<void> {
  await sql(`delete from memberships where id = '${member.membership_id}'`)
}

export async function removeUser(member: Member): Promise<void> {
  await sql(`delete from users where id = '${member.id}'`)
}

export async function makeTeam(name: string): Promise<string> {
  const id = randomUUID()
  await sql(`insert into teams (id, name, subdomain) values ('${id}', '${name}', 'team-${id.slice(0, 8)}')`)
  return id
}
