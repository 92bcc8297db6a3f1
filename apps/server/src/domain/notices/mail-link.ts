import type { Cx } from '#domain/cx'
import { linkUrl, openLinkSecret } from '#domain/links/new-link'
import { linkExpiry } from '#domain/links/present'
import type { Mail } from '#outbound/mail'
import { linesOf } from '#outbound/mail-templates/clean'
import { responseOfPackage } from '#store/form-responses'
import { linkToMail, type SealedLinkRow } from '#store/links'
import { portalForNotices } from '#store/notices'
import { type PackageRow, packageById } from '#store/packages'
import { teamById } from '#store/teams'
import { userByEmail } from '#store/users'
import { packageFacts, showMoment } from './package-facts.ts'
import { sendOnce } from './send-once.ts'

/** Mails a link to the one it was made for, unless it leads nowhere any more. */
export async function mailLink(
  cx: Pick<Cx, 'db' | 'box' | 'mailer' | 'settings' | 'log'>,
  order: { teamId: string; packageId: string; linkId: string },
): Promise<void> {
  const link = await linkToMail(cx.db, order.teamId, order.packageId, order.linkId)
  const pkg = await packageById(cx.db, order.teamId, order.packageId)
  if (link === undefined || pkg?.state !== 'finalized') return
  await sendOnce(
    cx,
    await (pkg.portal_id === null ? linkMail(cx, pkg, link) : noticeMail(cx, pkg, pkg.portal_id, link)),
  )
}

type Writing = Pick<Cx, 'db' | 'box' | 'settings'>

/** To a recipient of a package that a member sent. */
async function linkMail(cx: Writing, pkg: PackageRow, link: SealedLinkRow): Promise<Mail> {
  const team = await teamById(cx.db, pkg.team_id)
  const name = (await userByEmail(cx.db, pkg.sender))?.name ?? ''
  return {
    template: 'recipient-link',
    about: link.id,
    to: link.email,
    from: name,
    replyTo: pkg.sender,
    subject: `${name === '' ? pkg.sender : name} sent you ${pkg.name}`,
    brand: { name: team?.name ?? '' },
    facts: {
      ...(await downloadFacts(cx, pkg, link)),
      // With the address, because anybody may call themselves anything.
      sender: name === '' ? pkg.sender : `${name} (${pkg.sender})`,
    },
  }
}

/** To a recipient of the Portal that a package came through. */
async function noticeMail(cx: Writing, pkg: PackageRow, portalId: string, link: SealedLinkRow): Promise<Mail> {
  const team = await teamById(cx.db, pkg.team_id)
  const portal = await portalForNotices(cx.db, pkg.team_id, portalId)
  const portalName = portal?.name ?? ''
  return {
    template: 'upload-notice',
    about: link.id,
    to: link.email,
    from: portalName,
    replyTo: pkg.sender,
    subject: `New upload to ${portalName}: ${pkg.name}`,
    brand: { name: portalName, color: portal?.primary_color ?? '', logoUrl: portal?.logo_url ?? '' },
    facts: {
      ...(await downloadFacts(cx, pkg, link)),
      portalName,
      teamName: team?.name ?? '',
      answers: await answersForMail(cx, pkg),
    },
  }
}

async function downloadFacts(cx: Writing, pkg: PackageRow, link: SealedLinkRow) {
  const expiry = linkExpiry(link, pkg)
  return {
    ...(await packageFacts(cx, pkg)),
    senderEmail: pkg.sender,
    message: linesOf(pkg.description),
    url: linkUrl(cx, link.id, openLinkSecret(cx, link)),
    expiry: expiry === null ? '' : showMoment(expiry),
    hasPassword: link.password_sealed !== null,
  }
}

// A form has up to 100 fields of 10,000 characters; the answers in full are in the package's metadata.
const longestAnswer = 2_000

/** The answers to the Portal's form, if it wants them in the mail. */
async function answersForMail(cx: Writing, pkg: PackageRow) {
  const response = await responseOfPackage(cx.db, pkg.team_id, pkg.id)
  if (response === undefined || !response.delivery_formats.includes('email_body')) return []
  return response.answers.map(({ name, label, value }) => ({
    label: label === '' ? name : label,
    value: value.trim() === '' ? ['–'] : linesOf(value, longestAnswer),
  }))
}
