import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { domainToUnicode } from 'node:url'
import { changeEmail } from '@longshore/contract/cloud/account'
import { createLink } from '@longshore/contract/cloud/links'
import { createPortalPackage, createTeamPackage } from '@longshore/contract/cloud/packages'
import { createPortal } from '@longshore/contract/cloud/portals'
import { inviteMember } from '@longshore/contract/cloud/team'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { mailSender } from '#test-kit/cx'
import { type CaughtMail, headerOf, mailsTo } from '#test-kit/mails'
import { testStack } from '#test-kit/stack'
import { AddressRefused, type MailOf, parseSender, smtpMailer } from './mail.ts'

const someone = () => `rita-${randomBytes(6).toString('hex')}@example.test`

const invitation = (wishes: Partial<MailOf<'invitation'>> = {}): MailOf<'invitation'> => ({
  template: 'invitation',
  about: randomUUID(),
  to: someone(),
  subject: 'Join us',
  facts: { inviter: 'Olga', teamName: 'Harbour', url: 'https://longshore.test/invitation#token', expiry: 'tomorrow' },
  ...wishes,
})

async function sent(mail: MailOf<'invitation'>): Promise<CaughtMail> {
  await smtpMailer(testStack().smtp_url, mailSender).send(mail)
  // The catcher shows international domains in their own script.
  const [name, domain = ''] = mail.to.split('@')
  const mails = await mailsTo(`${name}@${domainToUnicode(domain)}`)
  assert.equal(mails.length, 1)
  const [caught] = mails
  assert.ok(caught !== undefined)
  assert.equal(caught.to.length, 1, 'nobody else is on the envelope')
  return caught
}

const ours = ['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to']
const headerNames = (mail: CaughtMail) => mail.headers.map(({ key }) => key).toSorted()

test('a mail has text and HTML, our address, the answer to the sender, and nothing that tracks or answers by machine', async () => {
  const mail = invitation({ from: 'Olga', replyTo: 'olga@example.test' })
  const caught = await sent(mail)
  assert.deepEqual(headerNames(caught), [...ours, 'reply-to', 'x-auto-response-suppress'].toSorted())
  assert.equal(headerOf(caught, 'from'), 'Olga via Longshore <longshore@example.test>')
  assert.equal(headerOf(caught, 'reply-to'), 'olga@example.test')
  assert.equal(headerOf(caught, 'to'), mail.to)
  assert.equal(headerOf(caught, 'message-id'), `<invitation.${mail.about}@example.test>`)
  assert.equal(headerOf(caught, 'auto-submitted'), 'auto-generated')
  assert.match(headerOf(caught, 'content-type') ?? '', /^multipart\/alternative/)
  assert.match(caught.text, /https:\/\/longshore\.test\/invitation#token/)
  assert.match(caught.html, /href="https:\/\/longshore\.test\/invitation#token"/)
  assert.doesNotMatch(caught.html, /<img/)
})

const notOneAddress = [
  'a@b\r\nBcc: x@y',
  'a@b\nBcc: x@y',
  '"a\r\n"@b',
  'a@b,c@d',
  'a@b;c@d',
  'a@b c@d',
  'a@b (x) <c@d>',
  '<c@d>',
  '(a(b)c) x@y',
  'x@y (comment)',
  'group: a@b, c@d;',
  '"quoted part"@example.test',
  'a@b\u0000',
  '-oQ/tmp',
  '-oQ/tmp@example.test',
  '-X/tmp/x@example.test',
  'rita@',
  '@example.test',
  'rita',
  '',
  'rita@example..test',
  'rita@-example.test',
  'rita@[127.0.0.1]',
  'ríta@example.test',
  'rita@exämple.test',
  'rita@ехample.test',
  'rita@example.test\u202e',
  `${'r'.repeat(1_000)}@example.test`,
  `rita@${'e'.repeat(1_000)}.test`,
  `rita@${'e.'.repeat(500)}test`,
]

const takes = (schema: TSchema | undefined, body: unknown) => schema !== undefined && Value.Check(schema, body)

const calls: Readonly<Record<string, (address: string) => boolean>> = {
  createTeamPackage: (address) => takes(createTeamPackage.body, { name: 'n', description: '', recipients: [address] }),
  createPortalPackage: (address) => takes(createPortalPackage.body, { name: 'n', description: '', sender: address }),
  createLink: (address) => takes(createLink.body, { email: address }),
  inviteMember: (address) => takes(inviteMember.body, { email: address, policy_key: 'member' }),
  changeEmail: (address) => takes(changeEmail.body, { email: address, password: 'long enough for anyone' }),
  createPortal: (address) =>
    takes(createPortal.body, { name: 'n', subdomain: 'sub', recipients: [address], cc_recipients: [address] }),
}

for (const address of notOneAddress) {
  test(`176, 177: ${JSON.stringify(address).slice(0, 60)} is refused by the API and by the mailer`, async () => {
    for (const [name, takes] of Object.entries(calls)) {
      assert.equal(takes(address), false, name)
      assert.equal(takes('rita@example.test'), true, name)
    }
    const mailer = smtpMailer('smtp://127.0.0.1:1', mailSender)
    await assert.rejects(mailer.send(invitation({ to: address })), AddressRefused)
  })
}

test('176: an answer address that is not one plain address is left out', async () => {
  for (const replyTo of ['a@b\r\nBcc: x@y', 'a@b,c@d', 'a@b (x) <c@d>', '']) {
    assert.equal(headerOf(await sent(invitation({ replyTo })), 'reply-to'), undefined)
  }
})

test('177: an international domain in its ASCII form is an address like any other and is sent as it is', async () => {
  const to = `rita-${randomBytes(6).toString('hex')}@xn--exmple-cua.test`
  assert.equal(headerOf(await sent(invitation({ to })), 'to'), to)
})

const subjects: Readonly<Record<string, string>> = {
  'a line break and a header': 'Rushes\r\nBcc: evil@example.test',
  'a line break and a body': 'Rushes\r\n\r\n<script>alert(1)</script>',
  'bare line feeds': 'Rushes\nX-Evil: 1\rX-Evil: 2\u0085X-Evil: 3\u2028X-Evil: 4',
  'an encoded word that holds a line break': '=?utf-8?Q?Rushes=0D=0ABcc:_evil@example.test?=',
  '10 kB': 'Rushes '.repeat(1_500),
  '10 kB without a space': 'ö'.repeat(10_000),
  'turned around': '\u202eRushes\u2066',
  'right-to-left': 'שלום וברכה',
  'NUL and escape': 'Rush\u0000es\u001b[2J',
}

for (const [what, subject] of Object.entries(subjects)) {
  test(`178: a subject with ${what} is one header, short and clean`, async () => {
    const mail = invitation({ subject, from: subject })
    const caught = await sent(mail)
    assert.deepEqual(headerNames(caught), [...ours, 'x-auto-response-suppress'].toSorted())
    assert.ok(caught.subject.length <= 200)
    assert.ok(caught.subject.length > 0)
    assert.doesNotMatch(caught.subject, /[\u0000-\u001f\u007f-\u009f\u2028\u202a-\u202e\u2066-\u2069]/)
    const from = headerOf(caught, 'from') ?? ''
    assert.equal([...from.matchAll(/@/g)].length, 1, from)
    assert.match(from, /<longshore@example\.test>$/)
  })
}

test('a name cannot pass for an address, or for another sender', async () => {
  for (const from of ['Bank <service@bank.example>', '"Bank" service@bank.example,', 'a, b; c: d']) {
    const shown = headerOf(await sent(invitation({ from })), 'from') ?? ''
    assert.match(shown, /^"?[^"<>@,;:]* via Longshore"? <longshore@example\.test>$/)
  }
  assert.equal(headerOf(await sent(invitation({ from: ' \r\n ' })), 'from'), 'Longshore <longshore@example.test>')
})

test('the sender is read as operators write it', () => {
  assert.deepEqual(parseSender('Longshore <mail@example.test>'), { name: 'Longshore', address: 'mail@example.test' })
  assert.deepEqual(parseSender('"Harbour, Files" <mail@example.test>'), {
    name: 'Harbour, Files',
    address: 'mail@example.test',
  })
  assert.deepEqual(parseSender('mail@localhost'), { name: '', address: 'mail@localhost' })
  for (const text of ['', 'Longshore', 'Longshore <>', 'a@b, c@d', '<a@b> <c@d>']) {
    assert.throws(() => parseSender(text), /LONGSHORE_MAIL_FROM/)
  }
})
