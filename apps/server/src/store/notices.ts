import { type Reads, sql, type Tx } from '#platform/db'

/** A mail to somebody about something. */
export interface NoticeKey {
  readonly subjectId: string
  readonly kind: string
  readonly recipient: string
}

/** Takes a mail in hand for so many seconds. Undefined when it was sent, or another worker has it in hand. */
export const claimNotice = (tx: Tx, { subjectId, kind, recipient }: NoticeKey, seconds: number) =>
  tx.row<{ claimed_until: Date }>(sql`
    insert into notices_sent as n (subject_id, kind, recipient, claimed_until)
    values (${subjectId}, ${kind}, ${recipient}, now() + make_interval(secs => ${seconds}))
    on conflict (subject_id, kind, recipient) do update
       set claimed_until = excluded.claimed_until
     where n.settled_at is null and n.claimed_until <= now()
    returning claimed_until
  `)

export const noticeSettled = async (reads: Reads, { subjectId, kind, recipient }: NoticeKey): Promise<boolean> =>
  (await reads.row(sql`
    select 1 from notices_sent
     where subject_id = ${subjectId} and kind = ${kind} and recipient = ${recipient} and settled_at is not null
  `)) !== undefined

export const settleNotice = (tx: Tx, { subjectId, kind, recipient }: NoticeKey, refused: boolean) =>
  tx.run(sql`
    update notices_sent set settled_at = now(), refused = ${refused}
     where subject_id = ${subjectId} and kind = ${kind} and recipient = ${recipient}
  `)

/** Gives a mail out of hand, so that the next try need not wait. Another worker's claim is left alone. */
export const releaseNotice = (tx: Tx, { subjectId, kind, recipient }: NoticeKey, claimedUntil: Date) =>
  tx.run(sql`
    update notices_sent set claimed_until = now()
     where subject_id = ${subjectId} and kind = ${kind} and recipient = ${recipient}
       and settled_at is null and claimed_until = ${claimedUntil}
  `)

export const forgetOldNotices = (tx: Tx, days: number) =>
  tx.run(sql`delete from notices_sent where claimed_until < now() - make_interval(days => ${days})`)

export interface PortalNoticeRow {
  readonly name: string
  readonly cc_recipients: readonly string[]
  readonly disable_upload_receipt: boolean
  readonly primary_color: string
  readonly logo_url: string
}

/** What mails about the packages of a Portal need to know of it. A deleted Portal still knows it. */
export const portalForNotices = (reads: Reads, teamId: string, id: string) =>
  reads.row<PortalNoticeRow>(sql`
    select name, cc_recipients, disable_upload_receipt, primary_color, logo_url
      from portals where team_id = ${teamId} and id = ${id}
  `)
