import type { Role } from '@longshore/contract/endpoint'
import { authorizeInTeam, type Member } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { accessTopic } from '#domain/realtime/announce'
import { Refusal } from '#domain/refusal'
import type { Tx } from '#platform/db'
import { deleteMember, lockOwners, type MemberRow, membersById, membersOfTeam, setRole } from '#store/members'
import { presentMember } from './present.ts'

export async function listMembers(cx: Pick<Cx, 'db'>, caller: Caller, teamId: string) {
  await authorizeInTeam(cx, caller, 'member.manage', teamId)
  return (await membersOfTeam(cx.db, teamId)).map(presentMember)
}

/** Gives a member another role, in force with their next call. */
export async function updateMember(
  cx: Pick<Cx, 'db'>,
  caller: Caller,
  teamId: string,
  membershipId: string,
  role: Role,
) {
  const actor = await authorizeInTeam(cx, caller, 'member.manage', teamId)
  return cx.db.transaction(async (tx) => {
    const member = await changeable(tx, actor, membershipId, role)
    await setRole(tx, teamId, member.id, role)
    tx.announce(accessTopic(teamId))
    return presentMember({ ...member, role })
  })
}

/** Ends a membership: access, tokens and API keys of the member in this Team go with it. */
export async function removeMember(
  cx: Pick<Cx, 'db'>,
  caller: Caller,
  teamId: string,
  membershipId: string,
): Promise<void> {
  const actor = await authorizeInTeam(cx, caller, 'member.manage', teamId)
  await cx.db.transaction(async (tx) => {
    const member = await changeable(tx, actor, membershipId, undefined)
    await deleteMember(tx, teamId, member.id)
    tx.announce(accessTopic(teamId))
  })
}

/** Only an Owner makes, changes or removes Owners, and the last one stays. */
async function changeable(tx: Tx, actor: Member, membershipId: string, role: Role | undefined): Promise<MemberRow> {
  const owners = await lockOwners(tx, actor.teamId)
  const [member] = await membersById(tx, actor.teamId, [membershipId])
  if (member === undefined) {
    throw new Refusal('member_not_found', `This Team has no member '${membershipId}'.`)
  }
  if (actor.role !== 'owner' && (member.role === 'owner' || role === 'owner')) {
    throw new Refusal('insufficient_role', 'Only an Owner makes, changes or removes Owners.')
  }
  if (member.role === 'owner' && role !== 'owner' && owners.length < 2) throw new Refusal('last_owner')
  return member
}
