import { authorizeForPackage, packageExpired } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { recordEvent } from '#domain/events/record-event'
import { createOnce, type Once } from '#domain/idempotency'
import { packagePasswordContext } from '#domain/packages/present'
import { accessTopic } from '#domain/realtime/announce'
import { invalid, Refusal } from '#domain/refusal'
import { readTime } from '#domain/times'
import { mailLink } from '#queue/orders'
import { blockLink, insertLinks, linksOfPackage, updateLinkRow } from '#store/links'
import { lockPackage, packageById } from '#store/packages'
import { linkPasswordContext, linkUrl, newLink } from './new-link.ts'
import { presentLink } from './present.ts'

export interface LinkFields {
  readonly email?: string
  readonly password?: string
  readonly access_limit?: number
  readonly expiry?: string
  readonly active?: boolean
}

/** Makes a link to a package that is open or finalized. What is left out comes from the package. */
export async function createLink(
  cx: Pick<Cx, 'db' | 'box' | 'queue' | 'settings'>,
  caller: Caller,
  packageId: string,
  given: LinkFields,
  once?: Once,
) {
  const { pkg } = await authorizeForPackage(cx, caller, 'link.manage', packageId)
  if (pkg.state !== 'new' && pkg.state !== 'finalized') throw packageExpired(packageId)
  const expiry = given.expiry === undefined ? null : futureTime(given.expiry)
  const packagePassword =
    pkg.password_sealed === null ? '' : cx.box.open(packagePasswordContext(packageId), pkg.password_sealed)
  return createOnce(cx, once, async (tx) => {
    const locked = await lockPackage(tx, pkg.team_id, packageId)
    if (locked?.state !== 'new' && locked?.state !== 'finalized') throw packageExpired(packageId)
    const { row, secret } = newLink(cx, {
      email: given.email ?? '',
      password: given.password ?? packagePassword,
      accessLimit: given.access_limit ?? pkg.access_limit,
      expiry,
      active: given.active ?? true,
    })
    const [link] = await insertLinks(tx, pkg.team_id, packageId, [row])
    if (link === undefined) throw new Error('The link was made and is not there.')
    // Read under the lock: what we saw before it may have been finalized since.
    await recordEvent(tx, 'link.created', (await packageById(tx, pkg.team_id, packageId)) ?? pkg)
    // Of a package that is still open, finalizing mails the links.
    if (locked.state === 'finalized' && link.email !== '' && link.active) {
      await cx.queue.enqueue(tx, mailLink, [{ teamId: pkg.team_id, packageId, linkId: link.id }])
    }
    return {
      ...presentLink(link, pkg),
      download_secret: secret,
      secret,
      url: linkUrl(cx, link.id, secret),
    }
  })
}

export async function listLinks(cx: Pick<Cx, 'db'>, caller: Caller, packageId: string) {
  const { pkg } = await authorizeForPackage(cx, caller, 'link.manage', packageId)
  const links = await linksOfPackage(cx.db, pkg.team_id, packageId)
  return links.map((link) => presentLink(link, pkg))
}

export async function updateLink(
  cx: Pick<Cx, 'db' | 'box'>,
  caller: Caller,
  packageId: string,
  linkId: string,
  given: LinkFields,
): Promise<void> {
  const { pkg } = await authorizeForPackage(cx, caller, 'link.manage', packageId)
  if (pkg.state !== 'new' && pkg.state !== 'finalized') throw packageExpired(packageId)
  const updated = await cx.db.transaction((tx) => {
    tx.announce(accessTopic(packageId))
    return updateLinkRow(tx, pkg.team_id, packageId, linkId, {
      email: given.email,
      accessLimit: given.access_limit,
      active: given.active,
      expiry: given.expiry === undefined ? undefined : futureTime(given.expiry),
      passwordSealed:
        given.password === undefined
          ? undefined
          : given.password === ''
            ? null
            : cx.box.seal(linkPasswordContext(linkId), given.password),
    })
  })
  if (!updated) throw noSuchLink(linkId)
}

export async function deleteLink(cx: Pick<Cx, 'db'>, caller: Caller, packageId: string, linkId: string): Promise<void> {
  const { pkg } = await authorizeForPackage(cx, caller, 'link.manage', packageId)
  const blocked = await cx.db.transaction((tx) => {
    tx.announce(accessTopic(packageId))
    return blockLink(tx, pkg.team_id, packageId, linkId)
  })
  if (!blocked) throw noSuchLink(linkId)
}

const noSuchLink = (id: string) => new Refusal('link_not_found', `This package has no link '${id}'.`)

/** Null, the zero time, means: as long as the package. */
function futureTime(text: string): Date | null {
  const time = readTime('expiry', text)
  if (time !== null && time.getTime() <= Date.now()) throw invalid('expiry', 'must be in the future')
  return time
}
