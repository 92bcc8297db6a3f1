import type { Cx } from '#domain/cx'
import { newLink } from '#domain/links/new-link'
import { packagePasswordContext } from '#domain/packages/present'
import type { Tx } from '#platform/db'
import { mailLink, mailReceipt } from '#queue/orders'
import { insertLinks, linksToMail } from '#store/links'
import { portalForNotices } from '#store/notices'
import type { PackageRow } from '#store/packages'

/**
 * Makes a link for everybody who is to get a package, and orders the mails, one by one: those of these links, those of
 * links made before with an address, and the receipt of a Portal's sender. Belongs into the transaction that finalizes.
 */
export async function announcePackage(cx: Pick<Cx, 'box' | 'queue'>, tx: Tx, pkg: PackageRow): Promise<void> {
  const portal = pkg.portal_id === null ? undefined : await portalForNotices(tx, pkg.team_id, pkg.portal_id)
  const people = distinct([...pkg.recipients, ...(portal?.cc_recipients ?? [])])
  if (people.length > 0) {
    const password =
      pkg.password_sealed === null ? '' : cx.box.open(packagePasswordContext(pkg.id), pkg.password_sealed)
    const links = people.map(
      (email) => newLink(cx, { email, password, accessLimit: pkg.access_limit, expiry: null, active: true }).row,
    )
    await insertLinks(tx, pkg.team_id, pkg.id, links)
  }
  const names = { teamId: pkg.team_id, packageId: pkg.id }
  const links = await linksToMail(tx, pkg.team_id, pkg.id)
  await cx.queue.enqueue(
    tx,
    mailLink,
    links.map(({ id }) => ({ ...names, linkId: id })),
  )
  if (portal !== undefined && !portal.disable_upload_receipt && pkg.sender !== '') {
    await cx.queue.enqueue(tx, mailReceipt, [names])
  }
}

/** Each address once, however it is written. */
const distinct = (addresses: readonly string[]): string[] =>
  [...new Map(addresses.toReversed().map((address) => [address.toLowerCase(), address])).values()].toReversed()
