import type { Cx } from '#domain/cx'
import { AddressRefused, type Mail } from '#outbound/mail'
import { claimNotice, noticeSettled, releaseNotice, settleNotice } from '#store/notices'

// Longer than talking to a mail server takes even when every answer of it is slow.
const claimSeconds = 180

/**
 * Sends a mail, unless it was sent before.
 *
 * The queue promises "at least once", SMTP no more than that: between the moment the mail server takes a mail and the
 * moment we have written that down, a crash leaves us not knowing, and the mail goes out again. We choose that over
 * writing it down first, which would now and then lose a mail for good. The second one has the same Message-ID, by which
 * most mail systems show the two as one. While a mail is under way a claim keeps other workers from it; the claim of a
 * worker that died ends by itself.
 */
export async function sendOnce(cx: Pick<Cx, 'db' | 'mailer' | 'log'>, mail: Mail): Promise<void> {
  const notice = { subjectId: mail.about, kind: mail.template, recipient: mail.to.toLowerCase() }
  const claim = await cx.db.transaction((tx) => claimNotice(tx, notice, claimSeconds))
  if (claim === undefined) {
    if (await noticeSettled(cx.db, notice)) return
    throw new Error(`The mail '${mail.template}' about '${mail.about}' is in the hands of another worker.`)
  }
  try {
    await cx.mailer.send(mail)
  } catch (error) {
    if (!(error instanceof AddressRefused)) {
      await cx.db.transaction((tx) => releaseNotice(tx, notice, claim.claimed_until))
      throw error
    }
    cx.log.warn({ err: error, template: mail.template, about: mail.about }, 'mail refused for good')
    await cx.db.transaction((tx) => settleNotice(tx, notice, true))
    return
  }
  await cx.db.transaction((tx) => settleNotice(tx, notice, false))
}
