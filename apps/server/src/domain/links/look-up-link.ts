import { timingSafeEqual } from 'node:crypto'
import { hashSecret, sameSecret } from '@longshore/kit/secrets'
import { packageExpired } from '#domain/access/authorize'
import { countGuess } from '#domain/access/guesses'
import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'
import { showTime } from '#domain/times'
import { accessNoted, linkById, type OpenedLinkRow } from '#store/links'
import { packageById, type PackageRow } from '#store/packages'
import { teamById } from '#store/teams'
import { linkPasswordContext } from './new-link.ts'
import { isLocked, linkExpiry } from './present.ts'

const defaultColor = '#1f5eff'

/**
 * Opens a link: what it leads to, and a token to read it. Looking never counts as an access. Whoever shows the token that
 * they had before goes on with what was counted for it: a download may take longer than the day that a token is good for.
 */
export async function lookUpLink(
  cx: Pick<Cx, 'db' | 'box' | 'tokens' | 'limiter'>,
  linkId: string,
  given: { secret: string; password: string | undefined; earlierToken?: string | undefined },
  address: string,
) {
  const link = await linkById(cx.db, linkId)
  const rightSecret = timingSafeEqual(hashSecret(given.secret), link?.secret_hash ?? hashSecret(linkId))
  const pkg = link === undefined ? undefined : await packageById(cx.db, link.team_id, link.package_id)
  if (link === undefined || pkg === undefined || !rightSecret) throw new Refusal('link_not_found')

  if (link.deleted_at !== null || !link.active) throw new Refusal('link_inactive', 'This link was switched off.')
  if (pkg.state === 'new') throw stillUploading()
  if (pkg.state !== 'finalized' || link.expired) throw packageExpired(pkg.id)
  const tokenId = await earlierAccess(cx, link, pkg, given.earlierToken)
  if (isLocked(link) && tokenId === undefined) throw new Refusal('link_locked')
  await checkPassword(cx, link, given.password, address)

  const team = await teamById(cx.db, link.team_id)
  return {
    id: link.id,
    name: pkg.name,
    expiry: showTime(linkExpiry(link, pkg)),
    package_id: pkg.id,
    package_size: pkg.size,
    package_token: await cx.tokens.issuePackage({
      teamId: pkg.team_id,
      packageId: pkg.id,
      level: 'read',
      serial: pkg.token_serial,
      linkId: link.id,
      ...(tokenId === undefined ? {} : { tokenId }),
    }),
    recipient_email: link.email,
    sender_email: pkg.sender,
    description: pkg.description,
    total_files: pkg.total_files,
    state: pkg.state,
    branding: { primary_color: defaultColor, logo_url: '', team_name: team?.name ?? '' },
  }
}

/** The id of an earlier token of this link by which something was fetched. */
async function earlierAccess(
  { db, tokens }: Pick<Cx, 'db' | 'tokens'>,
  link: OpenedLinkRow,
  pkg: PackageRow,
  token: string | undefined,
): Promise<string | undefined> {
  const claims = token === undefined ? undefined : await tokens.readEarlierPackage(token)
  if (claims?.linkId !== link.id || claims.serial !== pkg.token_serial) return undefined
  return (await accessNoted(db, link.id, claims.tokenId)) ? claims.tokenId : undefined
}

/** The same refusal as for a link that was switched off, which nobody is asked to try again. */
const stillUploading = () =>
  new Refusal('link_inactive', 'The sender is still uploading. Come back later.', { retryAfterSeconds: 60 })

async function checkPassword(
  cx: Pick<Cx, 'box' | 'limiter'>,
  link: OpenedLinkRow,
  password: string | undefined,
  address: string,
): Promise<void> {
  if (link.password_sealed === null) return
  if (password === undefined || password === '') throw new Refusal('link_password_required')
  await countGuess(cx, `link:${link.id}`, address)
  if (!sameSecret(password, cx.box.open(linkPasswordContext(link.id), link.password_sealed))) {
    throw new Refusal('link_password_wrong')
  }
}
