import type { Cx } from '#domain/cx'
import { invitationById } from '#store/invitations'
import { teamById } from '#store/teams'
import { userById } from '#store/users'
import { showMoment } from './package-facts.ts'
import { sendOnce } from './send-once.ts'

export const invitationContext = (id: string): string => `invitation/${id}`

/** Mails an invitation. One that was used or replaced meanwhile is not mailed any more. */
export async function mailInvitation(
  cx: Pick<Cx, 'db' | 'box' | 'mailer' | 'settings' | 'log'>,
  order: { teamId: string; invitationId: string; invitedBy: string; tokenSealed: string },
): Promise<void> {
  const invitation = await invitationById(cx.db, order.teamId, order.invitationId)
  const team = await teamById(cx.db, order.teamId)
  const inviter = await userById(cx.db, order.invitedBy)
  if (invitation === undefined || team === undefined) return
  const token = cx.box.open(invitationContext(order.invitationId), Buffer.from(order.tokenSealed, 'base64'))
  await sendOnce(cx, {
    template: 'invitation',
    about: invitation.id,
    to: invitation.email,
    subject: `Join ${team.name} on Longshore`,
    brand: { name: team.name },
    ...(inviter === undefined ? {} : { from: inviter.name, replyTo: inviter.email }),
    facts: {
      inviter: inviter === undefined ? 'An Owner' : `${inviter.name} (${inviter.email})`,
      teamName: team.name,
      url: `${cx.settings.publicUrl}/invitation#${token}`,
      expiry: showMoment(invitation.expires_at),
    },
  })
}
