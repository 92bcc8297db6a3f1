import type { Cx } from '#domain/cx'
import { packageById } from '#store/packages'
import { firstFiles, showFile } from './package-facts.ts'
import { sendOnce } from './send-once.ts'

/**
 * Tells that files of a package are infected or damaged: its sender, or for a Portal those who receive there. Anybody can
 * name anybody as the sender of a Portal package, so nobody outside of the Team is mailed about it.
 */
export async function mailIncident(
  cx: Pick<Cx, 'db' | 'mailer' | 'log'>,
  order: { teamId: string; packageId: string },
): Promise<void> {
  const pkg = await packageById(cx.db, order.teamId, order.packageId)
  if (pkg === undefined || pkg.state !== 'finalized') return
  const facts = {
    packageName: pkg.name,
    infected: (await firstFiles(cx, pkg, (file) => file.virus_detected)).map(showFile),
    damaged: (await firstFiles(cx, pkg, (file) => file.damaged && !file.virus_detected)).map(showFile),
  }
  const subject =
    facts.infected.length > 0 ? `A virus was found in ${pkg.name}` : `Files of ${pkg.name} are not what was sent`
  for (const to of pkg.portal_id === null ? [pkg.sender] : pkg.recipients) {
    await sendOnce(cx, { template: 'file-incident', about: pkg.id, to, subject, facts })
  }
}
