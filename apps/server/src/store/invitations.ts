import type { Role } from '@longshore/contract/endpoint'
import { type Reads, sql, type Tx } from '#platform/db'

export interface InvitationRow {
  readonly id: string
  readonly team_id: string
  readonly email: string
  readonly role: Role
  readonly expires_at: Date
  readonly created_at: Date
}

const columns = sql`id, team_id, email, role, expires_at, created_at`

/** Invites an address. An earlier invitation of the same address ends with it. */
export const putInvitation = (
  tx: Tx,
  invitation: { id: string; teamId: string; email: string; role: Role; tokenHash: Buffer; lifetimeDays: number },
) =>
  tx.row<InvitationRow>(sql`
    insert into invitations (id, team_id, email, role, token_hash, expires_at)
    values (${invitation.id}, ${invitation.teamId}, ${invitation.email}, ${invitation.role}, ${invitation.tokenHash},
            now() + make_interval(days => ${invitation.lifetimeDays}))
    on conflict (team_id, lower(email)) do update
       set id = excluded.id, email = excluded.email, role = excluded.role, token_hash = excluded.token_hash,
           expires_at = excluded.expires_at, created_at = now()
    returning ${columns}
  `)

export const invitationByToken = (reads: Reads, tokenHash: Buffer) =>
  reads.row<InvitationRow>(sql`
    select ${columns} from invitations where token_hash = ${tokenHash} and expires_at > now()
  `)

export const invitationById = (reads: Reads, teamId: string, id: string) =>
  reads.row<InvitationRow>(sql`
    select ${columns} from invitations where team_id = ${teamId} and id = ${id} and expires_at > now()
  `)

/** Those that can still be accepted, newest first. */
export const invitationsOf = (reads: Reads, teamId: string) =>
  reads.rows<InvitationRow>(sql`
    select ${columns} from invitations where team_id = ${teamId} and expires_at > now() order by created_at desc, id
  `)

/** Takes an invitation back. Returns false when it was used, replaced or is too old. */
export const deleteInvitation = async (tx: Tx, teamId: string, id: string): Promise<boolean> =>
  (await tx.run(sql`delete from invitations where team_id = ${teamId} and id = ${id} and expires_at > now()`)) === 1

/** Uses an invitation up. Returns false when it was used, replaced or is too old. */
export const takeInvitation = async (tx: Tx, tokenHash: Buffer): Promise<boolean> =>
  (await tx.run(sql`delete from invitations where token_hash = ${tokenHash} and expires_at > now()`)) === 1
