import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { newId } from '@longshore/kit/ids'
import { fileUrl } from '#domain/downloads/file-url'
import { identifyByPackageToken } from '#domain/access/identify'
import { tidy } from '#domain/housekeeping'
import { lookUpLink } from '#domain/links/look-up-link'
import { createLink, deleteLink, listLinks } from '#domain/links/manage-links'
import { deletePackage } from '#domain/packages/delete-package'
import { finalizePackage } from '#domain/packages/finalize-package'
import { sql } from '#platform/db'
import { type TestCx, testCx } from '#test-kit/cx'
import { queuedJobs } from '#test-kit/look'
import { headerOf, mailsTo } from '#test-kit/mails'
import { callerFor, type MadePackage, makePackage, makeTeam } from '#test-kit/make'
import { smtpRefusing, smtpRoad } from '#test-kit/smtp'
import { mailLink } from './mail-link.ts'
import { mailReceipt } from './mail-receipt.ts'

const someone = (name = 'rita') => `${name}-${randomBytes(6).toString('hex')}@example.test`

type LinkOrder = Parameters<typeof mailLink>[1]

const linkOrders = async (cx: TestCx): Promise<LinkOrder[]> =>
  (await queuedJobs(cx)).filter(({ order }) => order === 'mail-link').map(({ payload }) => payload as LinkOrder)

async function mailAll(cx: TestCx): Promise<void> {
  for (const order of await linkOrders(cx)) await mailLink(cx, order)
}

async function onlyOrder(cx: TestCx): Promise<LinkOrder> {
  const orders = await linkOrders(cx)
  assert.equal(orders.length, 1)
  const [order] = orders
  assert.ok(order !== undefined)
  return order
}

/** Lets the time pass for which a worker has a mail in hand. */
const endClaims = (cx: TestCx) =>
  cx.db.transaction((tx) => tx.run(sql`update notices_sent set claimed_until = now() - interval '1 second'`))

/** Opens the link that a mail carries. */
async function follow(cx: TestCx, text: string) {
  const [, linkId = '', secret = ''] = /http:\/\/longshore\.test\/d\/([0-9a-f-]{36})\?secret=(\S+)/.exec(text) ?? []
  return lookUpLink(cx, linkId, { secret, password: undefined }, '127.0.0.1')
}

test('finalizing orders a mail for each recipient, and each gets a link of their own that works', async (t) => {
  const cx = await testCx(t)
  const [rita, sam] = [someone(), someone('sam')]
  const files = Array.from({ length: 12 }, (_, index) => ({ name: `clip-${String(index).padStart(2, '0')}.mov` }))
  const pkg = await makePackage(cx, {
    name: 'Rushes & more',
    description: 'Hi,\nhere they are.',
    recipients: [rita, sam],
    files,
  })
  assert.deepEqual(await queuedJobs(cx), [], 'nobody hears of a package that is still open')
  await finalizePackage(cx, pkg.manager, pkg.id)
  await finalizePackage(cx, pkg.manager, pkg.id)
  assert.equal((await linkOrders(cx)).length, 2)
  await mailAll(cx)

  const opened: string[] = []
  for (const address of [rita, sam]) {
    const [mail, ...others] = await mailsTo(address)
    assert.ok(mail !== undefined)
    assert.deepEqual(others, [])
    assert.deepEqual(mail.to, [address])
    assert.equal(mail.subject, 'owner sent you Rushes & more')
    assert.equal(headerOf(mail, 'from'), 'owner via Longshore <longshore@example.test>')
    assert.equal(headerOf(mail, 'reply-to'), pkg.owner.email)
    for (const part of [mail.text, mail.html]) {
      assert.ok(part.includes(`owner (${pkg.owner.email})`))
      assert.match(part, /Rushes &(amp;)? more/)
      assert.match(part, /12 files \(\d+ bytes\)/)
      assert.match(part, /here they are\./)
      assert.match(part, /clip-00\.mov/)
      assert.match(part, /clip-09\.mov/)
      assert.doesNotMatch(part, /clip-10\.mov/)
      assert.match(part, /and 2 more/)
      assert.match(part, /until \d+ \w+ 2\d{3} at \d\d:\d\d UTC/)
      assert.doesNotMatch(part, /password/)
    }
    const link = await follow(cx, mail.text)
    assert.equal(link.recipient_email, address)
    opened.push(link.id)
    const reader = await identifyByPackageToken(cx, link.package_token)
    const { url } = await fileUrl(cx, reader, pkg.id, pkg.files[0]?.id ?? '', {})
    assert.deepEqual(Buffer.from(await (await fetch(url)).arrayBuffer()), pkg.files[0]?.bytes)
  }
  assert.equal(new Set(opened).size, 2)
})

test('an address is mailed once, however often and however it is written', async (t) => {
  const cx = await testCx(t)
  const rita = someone()
  await makePackage(cx, { recipients: [rita, rita.toUpperCase()], files: [{}], finalized: true })
  await mailAll(cx)
  assert.equal((await mailsTo(rita)).length, 1)
})

test('a link made with an address is mailed at once when the package is finalized, otherwise when it is', async (t) => {
  const cx = await testCx(t)
  const [early, late, inactive] = [someone('early'), someone('late'), someone('inactive')]
  const pkg = await makePackage(cx, { files: [{}] })
  await createLink(cx, pkg.manager, pkg.id, { email: early })
  await createLink(cx, pkg.manager, pkg.id, { email: inactive, active: false })
  await createLink(cx, pkg.manager, pkg.id, {})
  assert.deepEqual(await queuedJobs(cx), [])
  await finalizePackage(cx, pkg.manager, pkg.id)
  assert.equal((await linkOrders(cx)).length, 1)
  await createLink(cx, pkg.manager, pkg.id, { email: late, password: 'open sesame' })
  await createLink(cx, pkg.manager, pkg.id, { email: inactive, active: false })
  await createLink(cx, pkg.manager, pkg.id, {})
  assert.equal((await linkOrders(cx)).length, 2)
  await mailAll(cx)
  assert.equal((await mailsTo(early)).length, 1)
  const [mail] = await mailsTo(late)
  assert.ok(mail !== undefined)
  assert.match(mail.text, /You need a password/)
  assert.doesNotMatch(mail.text + mail.html, /open sesame/)
  assert.deepEqual(await mailsTo(inactive), [])
})

test('a link that was blocked, and a package that was deleted, are not mailed any more', async (t) => {
  const cx = await testCx(t)
  const [rita, sam] = [someone(), someone('sam')]
  const pkg = await makePackage(cx, { recipients: [rita, sam], files: [{}], finalized: true })
  const orders = await linkOrders(cx)
  const links = await listLinks(cx, pkg.manager, pkg.id)
  await deleteLink(cx, pkg.manager, pkg.id, links.find(({ email }) => email === rita)?.id ?? '')
  for (const order of orders) await mailLink(cx, order)
  assert.deepEqual(await mailsTo(rita), [])
  assert.equal((await mailsTo(sam)).length, 1)

  const other = await makePackage(cx, { recipients: [rita], files: [{}], finalized: true })
  const order = (await linkOrders(cx)).find(({ packageId }) => packageId === other.id)
  assert.ok(order !== undefined)
  await deletePackage(cx, other.manager, other.id)
  await mailLink(cx, order)
  assert.deepEqual(await mailsTo(rita), [])
})

test('an order that is done twice sends once', async (t) => {
  const cx = await testCx(t)
  const rita = someone()
  await makePackage(cx, { recipients: [rita], files: [{}], finalized: true })
  const order = await onlyOrder(cx)
  await mailLink(cx, order)
  await mailLink(cx, order)
  await endClaims(cx)
  await mailLink(cx, order)
  assert.equal((await mailsTo(rita)).length, 1)
})

test('while one worker sends, another leaves the mail alone and is told to look again', async (t) => {
  const cx = await testCx(t)
  const rita = someone()
  await makePackage(cx, { recipients: [rita], files: [{}], finalized: true })
  const order = await onlyOrder(cx)
  const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slowly: TestCx = {
    ...cx,
    mailer: {
      ...cx.mailer,
      async send(mail) {
        reached.resolve()
        await gate.promise
        await cx.mailer.send(mail)
      },
    },
  }
  const first = mailLink(slowly, order)
  await reached.promise
  await assert.rejects(mailLink(cx, order), /in the hands of another worker/)
  assert.deepEqual(await mailsTo(rita), [])
  gate.resolve()
  await first
  await mailLink(cx, order)
  assert.equal((await mailsTo(rita)).length, 1)
})

test('the mail of a worker that died while sending is sent by another, once the claim is over', async (t) => {
  const cx = await testCx(t)
  const rita = someone()
  await makePackage(cx, { recipients: [rita], files: [{}], finalized: true })
  const order = await onlyOrder(cx)
  const dying: TestCx = { ...cx, mailer: { ...cx.mailer, send: () => new Promise(() => {}) } }
  void mailLink(dying, order)
  const claimed = () => cx.db.row<{ n: number }>(sql`select 1 as n from notices_sent`)
  while ((await claimed()) === undefined);
  await assert.rejects(mailLink(cx, order), /in the hands of another worker/)
  await endClaims(cx)
  await mailLink(cx, order)
  assert.equal((await mailsTo(rita)).length, 1)
})

test('a mail that was taken by the server but not noted goes out again, recognisable as the same', async (t) => {
  const cx = await testCx(t)
  const rita = someone()
  await makePackage(cx, { recipients: [rita], files: [{}], finalized: true })
  const order = await onlyOrder(cx)
  const taken = Promise.withResolvers<void>()
  const dying: TestCx = {
    ...cx,
    mailer: {
      ...cx.mailer,
      async send(mail) {
        await cx.mailer.send(mail)
        taken.resolve()
        await new Promise(() => {})
      },
    },
  }
  void mailLink(dying, order)
  await taken.promise
  await endClaims(cx)
  await mailLink(cx, order)
  await mailLink(cx, order)
  const mails = await mailsTo(rita)
  assert.equal(mails.length, 2)
  assert.equal(new Set(mails.map((mail) => headerOf(mail, 'message-id'))).size, 1)
})

test('a mail server that is away fails the order; when it is back the mail arrives once', async (t) => {
  const cx = await testCx(t)
  const rita = someone()
  await makePackage(cx, { recipients: [rita], files: [{}], finalized: true })
  const order = await onlyOrder(cx)
  const road = await smtpRoad(t)
  const away: TestCx = { ...cx, mailer: road.mailer }
  await assert.rejects(mailLink(away, order), /ECONNREFUSED/)
  await assert.rejects(mailLink(away, order), /ECONNREFUSED/)
  await road.open()
  await mailLink(away, order)
  await mailLink(away, order)
  assert.equal((await mailsTo(rita)).length, 1)
})

test('an address that does not exist is tried once; any other refusal is tried again', async (t) => {
  const cx = await testCx(t)
  const rita = someone()
  await makePackage(cx, { recipients: [rita], files: [{}], finalized: true })
  const order = await onlyOrder(cx)
  const refusing = async (line: string): Promise<TestCx> => ({
    ...cx,
    mailer: await smtpRefusing(t, line),
  })
  await assert.rejects(mailLink(await refusing('550 5.7.1 Relaying denied'), order))
  await assert.rejects(mailLink(await refusing('450 4.2.0 Greylisted, come back later'), order))
  await mailLink(await refusing('550 5.1.1 No such user here'), order)
  await mailLink(cx, order)
  assert.deepEqual(await mailsTo(rita), [])
})

interface PortalWishes {
  readonly recipients?: readonly string[]
  readonly cc?: readonly string[]
  readonly noReceipt?: boolean
  readonly formats?: readonly string[]
}

/** A package that came through a Portal, as far as mail is concerned, with all its files stored. */
async function makePortalPackage(cx: TestCx, wishes: PortalWishes): Promise<MadePackage & { readonly sender: string }> {
  const team = await makeTeam(cx)
  const pkg = await makePackage(cx, {
    team,
    name: 'Day 17',
    description: 'Reel 3 follows.',
    files: [{ name: 'a.mov' }],
  })
  const [portalId, sender] = [newId(), someone('stranger')]
  await cx.db.transaction(async (tx) => {
    await tx.run(sql`
      insert into portals (team_id, id, name, subdomain, cc_recipients, disable_upload_receipt, primary_color, logo_url)
      values (${team.id}, ${portalId}, 'Dailies <1>', ${portalId}, ${wishes.cc ?? []}, ${wishes.noReceipt ?? false},
              '#f2b705', 'https://cdn.example.test/logo.png')
    `)
    await tx.run(sql`
      update packages set portal_id = ${portalId}, sender = ${sender}, recipients = ${wishes.recipients ?? []}
       where id = ${pkg.id}
    `)
    if (wishes.formats === undefined) return
    const answers = [
      { name: 'reel', label: 'Reel <b>', type: 'short_text', value: '=3' },
      { name: 'note', label: '', type: 'long_text', value: 'one\ntwo' },
    ]
    await tx.run(sql`
      insert into form_responses (team_id, id, portal_id, form_id, delivery_formats, answers, package_id)
      values (${team.id}, ${newId()}, ${portalId}, ${newId()}, ${wishes.formats}, ${JSON.stringify(answers)}, ${pkg.id})
    `)
  })
  return { ...pkg, sender }
}

test('recipients of a Portal are told of an upload, copies too, each with a link of their own', async (t) => {
  const cx = await testCx(t)
  const [rita, sam] = [someone(), someone('sam')]
  const wishes = { recipients: [rita], cc: [sam, rita.toUpperCase()], formats: ['json', 'email_body'] }
  const pkg = await makePortalPackage(cx, wishes)
  await finalizePackage(cx, await callerFor(cx, pkg, 'write'), pkg.id)
  await mailAll(cx)
  for (const address of [rita, sam]) {
    const mails = await mailsTo(address)
    assert.equal(mails.length, 1)
    const [mail] = mails
    assert.ok(mail !== undefined)
    assert.equal(mail.subject, 'New upload to Dailies <1>: Day 17')
    assert.equal(headerOf(mail, 'from'), 'Dailies 1 via Longshore <longshore@example.test>')
    assert.equal(headerOf(mail, 'reply-to'), pkg.sender)
    assert.match(mail.text, /Reel 3 follows\./)
    assert.match(mail.text, /Reel <b>:\n {2}=3\nnote:\n {2}one\n {2}two\n/)
    assert.match(mail.html, /Reel &lt;b&gt;/)
    assert.match(mail.html, /background:#f2b705/)
    assert.match(mail.html, /src="https:\/\/cdn\.example\.test\/logo\.png"/)
    assert.equal((await follow(cx, mail.text)).recipient_email, address)
  }
})

test('answers that the form does not want in the mail are not in it', async (t) => {
  const cx = await testCx(t)
  const rita = someone()
  const pkg = await makePortalPackage(cx, { recipients: [rita], formats: ['json', 'csv', 'xml'] })
  await finalizePackage(cx, await callerFor(cx, pkg, 'write'), pkg.id)
  await mailAll(cx)
  const [mail] = await mailsTo(rita)
  assert.ok(mail !== undefined)
  assert.doesNotMatch(mail.text, /Reel <b>/)
})

test('the sender of a Portal package gets one receipt, without a link and without what they wrote', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePortalPackage(cx, {})
  await finalizePackage(cx, await callerFor(cx, pkg, 'write'), pkg.id)
  const orders = await queuedJobs(cx)
  assert.deepEqual(
    orders.map(({ order, payload }) => ({ order, payload })),
    [{ order: 'mail-receipt', payload: { teamId: pkg.teamId, packageId: pkg.id } }],
  )
  await mailReceipt(cx, { teamId: pkg.teamId, packageId: pkg.id })
  await mailReceipt(cx, { teamId: pkg.teamId, packageId: pkg.id })
  const mails = await mailsTo(pkg.sender)
  assert.equal(mails.length, 1)
  const [mail] = mails
  assert.ok(mail !== undefined)
  assert.equal(mail.subject, 'Dailies <1> has received your files')
  assert.equal(headerOf(mail, 'reply-to'), undefined)
  assert.match(mail.text, /1 file \(\d+ bytes\) as: Day 17/)
  assert.match(mail.text, /a\.mov/)
  assert.doesNotMatch(mail.text + mail.html, /secret=|Reel 3 follows/)
})

test('a Portal without receipts sends none, and packages of the Team never have one', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePortalPackage(cx, { noReceipt: true })
  await finalizePackage(cx, await callerFor(cx, pkg, 'write'), pkg.id)
  await makePackage(cx, { files: [{}], finalized: true })
  assert.deepEqual(await queuedJobs(cx), [])
})

test('a thousand recipients are a thousand orders, made in one short transaction', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  await cx.db.transaction((tx) => tx.run(sql`update teams set max_email_recipients = 1000 where id = ${team.id}`))
  const recipients = Array.from({ length: 1_000 }, (_, index) => `rita-${index}@example.test`)
  const pkg = await makePackage(cx, { team, recipients, files: [{}] })
  const startedAt = performance.now()
  await finalizePackage(cx, await callerFor(cx, pkg, 'write'), pkg.id)
  assert.ok(performance.now() - startedAt < 5_000)
  const orders = await linkOrders(cx)
  assert.equal(new Set(orders.map(({ linkId }) => linkId)).size, 1_000)
})

test('what was sent is remembered for a month', async (t) => {
  const cx = await testCx(t)
  const rita = someone()
  await makePackage(cx, { recipients: [rita], files: [{}], finalized: true })
  await mailAll(cx)
  const remembered = () => cx.db.rows(sql`select 1 from notices_sent`)
  const age = (days: number) =>
    cx.db.transaction((tx) =>
      tx.run(sql`update notices_sent set claimed_until = now() - make_interval(days => ${days}::integer)`),
    )
  await age(29)
  await tidy(cx)
  assert.equal((await remembered()).length, 1)
  await age(31)
  await tidy(cx)
  assert.equal((await remembered()).length, 0)
})
