import type { Role } from '@longshore/contract/endpoint'
import { newId, newSecret } from '@longshore/kit/ids'
import { hashSecret } from '@longshore/kit/secrets'
import { authorizeInTeam } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import { countGuess } from '#domain/access/guesses'
import { hashPassword, isPassword } from '#domain/accounts/passwords'
import { signedIn } from '#domain/accounts/sign-in'
import type { Cx } from '#domain/cx'
import { createOnce, type Once } from '#domain/idempotency'
import { invitationContext } from '#domain/notices/mail-invitation'
import { invalid, Refusal } from '#domain/refusal'
import { isDuplicate } from '#platform/db'
import { mailInvitation } from '#queue/orders'
import {
  deleteInvitation,
  type InvitationRow,
  invitationById,
  invitationByToken,
  invitationsOf,
  putInvitation,
  takeInvitation,
} from '#store/invitations'
import { insertMembership, memberOfTeam } from '#store/teams'
import { insertUser, type UserRow, userByEmail, userById } from '#store/users'
import { presentInvitation } from './present.ts'

const lifetimeDays = 7
const shortestPassword = 10

/** Invites a person by mail. Inviting the same address again replaces the earlier invitation. */
export async function inviteMember(
  cx: Pick<Cx, 'db' | 'box' | 'queue'>,
  caller: Caller,
  teamId: string,
  given: { email: string; policy_key: Role },
  once?: Once,
) {
  const actor = await authorizeInTeam(cx, caller, 'member.manage', teamId)
  if (given.policy_key === 'owner' && actor.role !== 'owner') {
    throw new Refusal('insufficient_role', 'Only an Owner invites Owners.')
  }
  const user = await userByEmail(cx.db, given.email)
  if (user !== undefined && (await memberOfTeam(cx.db, teamId, user.id)) !== undefined) {
    throw new Refusal('already_member')
  }
  return createOnce(cx, once, async (tx) => {
    const token = newSecret(24)
    const id = newId()
    const invitation = await putInvitation(tx, {
      id,
      teamId,
      email: given.email,
      role: given.policy_key,
      tokenHash: hashSecret(token),
      lifetimeDays,
    })
    if (invitation === undefined) throw new Error('The invitation was made and is not there.')
    const tokenSealed = cx.box.seal(invitationContext(id), token).toString('base64')
    await cx.queue.enqueue(tx, mailInvitation, [{ teamId, invitationId: id, invitedBy: actor.userId, tokenSealed }])
    return presentInvitation(invitation)
  })
}

export async function listInvitations(cx: Pick<Cx, 'db'>, caller: Caller, teamId: string) {
  await authorizeInTeam(cx, caller, 'member.manage', teamId)
  return (await invitationsOf(cx.db, teamId)).map(presentInvitation)
}

export async function withdrawInvitation(
  cx: Pick<Cx, 'db'>,
  caller: Caller,
  teamId: string,
  id: string,
): Promise<void> {
  const actor = await authorizeInTeam(cx, caller, 'member.manage', teamId)
  const invitation = await invitationById(cx.db, teamId, id)
  if (invitation?.role === 'owner' && actor.role !== 'owner') {
    throw new Refusal('insufficient_role', 'Only an Owner withdraws the invitation of an Owner.')
  }
  const withdrawn = await cx.db.transaction((tx) => deleteInvitation(tx, teamId, id))
  if (!withdrawn) throw new Refusal('invitation_not_found')
}

/** Makes the invited person a member. Who has no account gets one; who has one proves it by its password. */
export async function acceptInvitation(
  cx: Pick<Cx, 'db' | 'tokens' | 'limiter'>,
  token: string,
  given: { name?: string; password: string },
  address: string,
) {
  const tokenHash = hashSecret(token)
  const invitation = await invitationByToken(cx.db, tokenHash)
  if (invitation === undefined) throw new Refusal('invitation_not_found')
  const known = await userByEmail(cx.db, invitation.email)
  if (known !== undefined) {
    await countGuess(cx, `sign-in:${invitation.email.toLowerCase()}`, address)
    if (!(await isPassword(given.password, known.password_hash))) throw new Refusal('login_failed')
  }
  const passwordHash = known === undefined ? await newPassword(given) : ''
  const userId = known?.id ?? newId()
  try {
    await cx.db.transaction(async (tx) => {
      if (!(await takeInvitation(tx, tokenHash))) throw new Refusal('invitation_not_found')
      if (known === undefined) {
        const { team_id: primaryTeamId, email } = invitation
        await insertUser(tx, { id: userId, email, name: given.name ?? email, passwordHash, primaryTeamId })
      }
      await insertMembership(tx, { id: newId(), teamId: invitation.team_id, userId, role: invitation.role })
    })
  } catch (error) {
    throw alreadyIn(error) ? new Refusal('already_member') : error
  }
  return signedIn(cx, await theUser(cx, userId, invitation))
}

async function newPassword(given: { name?: string; password: string }): Promise<string> {
  if (given.name === undefined) throw invalid('name', 'is required for a new account')
  if (given.password.length < shortestPassword) {
    throw invalid('password', `must have at least ${shortestPassword} characters`)
  }
  return hashPassword(given.password)
}

const alreadyIn = (error: unknown) =>
  isDuplicate(error, 'memberships_team_id_user_id_key') || isDuplicate(error, 'users_email')

async function theUser(cx: Pick<Cx, 'db'>, id: string, invitation: InvitationRow): Promise<UserRow> {
  const user = await userById(cx.db, id)
  if (user === undefined) throw new Error(`The user of '${invitation.id}' was made and is not there.`)
  return user
}
