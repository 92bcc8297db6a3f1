import type { Cx } from '#domain/cx'
import { portalForNotices } from '#store/notices'
import { packageById } from '#store/packages'
import { teamById } from '#store/teams'
import { packageFacts } from './package-facts.ts'
import { sendOnce } from './send-once.ts'

/**
 * Tells the sender of a Portal package that it arrived.
 *
 * Anybody can name anybody as the sender, so this mail carries no link, and not the message either: an open Portal would
 * otherwise mail what strangers write to whomever they please.
 */
export async function mailReceipt(
  cx: Pick<Cx, 'db' | 'mailer' | 'log'>,
  order: { teamId: string; packageId: string },
): Promise<void> {
  const pkg = await packageById(cx.db, order.teamId, order.packageId)
  if (pkg === undefined || pkg.portal_id === null) return
  const portal = await portalForNotices(cx.db, order.teamId, pkg.portal_id)
  const team = await teamById(cx.db, order.teamId)
  if (portal === undefined || team === undefined) return
  await sendOnce(cx, {
    template: 'upload-receipt',
    about: pkg.id,
    to: pkg.sender,
    from: portal.name,
    subject: `${portal.name} has received your files`,
    brand: { name: portal.name, color: portal.primary_color, logoUrl: portal.logo_url },
    facts: { ...(await packageFacts(cx, pkg)), portalName: portal.name, teamName: team.name },
  })
}
