import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { changeEmail, confirmEmail, signIn, whoAmI } from '@longshore/contract/cloud/account'
import { createLink, lookUpLink } from '@longshore/contract/cloud/links'
import { createPortalPackage, createTeamPackage } from '@longshore/contract/cloud/packages'
import { createPortal } from '@longshore/contract/cloud/portals'
import { acceptInvitation, inviteMember } from '@longshore/contract/cloud/team'
import { refused, show, use } from '#calls'
import { ownAddress, send } from '#http'
import { type Mail, mailsTo, mailTo } from '#mail'
import { makeMember } from '#members'
import { noteSecret, test } from '#record'
import { target } from '#target'
import { fetchFile, finalize, inPackage, makePackage, managing, type Package, someName, upload } from '#walk'

const someone = (name: string) => `${name}-${randomBytes(6).toString('hex')}@example.test`

async function firstMailTo(address: string): Promise<Mail> {
  const [mail] = await mailsTo(address, 1)
  assert.ok(mail !== undefined)
  return mail
}

const asOwner = { as: { userToken: target.user_token } }

/** The link in a mail, taken from the text, and from the button to be sure that both lead to the same place. */
function linkIn(mail: Mail): { readonly id: string; readonly secret: string } {
  const [address, id = '', secret = ''] = /https?:\S+\/([0-9a-f-]{36})\?secret=([\w-]+)/.exec(mail.text) ?? []
  assert.ok(address !== undefined, mail.text)
  const hrefs = [...mail.html.matchAll(/<a\s[^>]*href="([^"]+)"/g)].map(([, href]) => href?.replaceAll('&#x3D;', '='))
  assert.deepEqual([...new Set(hrefs)], [address])
  noteSecret(secret)
  return { id, secret }
}

/** Follows the link in a mail to the bytes of the only file. */
async function follow(mail: Mail, pkg: Package, fileId: string) {
  const { id, secret } = linkIn(mail)
  const opened = await show(lookUpLink, { params: { link_id: id }, query: { secret } })
  assert.equal(opened.package_id, pkg.id)
  const { status, body } = await fetchFile(pkg, fileId, opened.package_token)
  assert.equal(status, 200)
  return { id, recipient: opened.recipient_email, bytes: body }
}

test('each recipient is mailed a link of their own, which leads to the bytes', async () => {
  const [rita, sam] = [someone('rita'), someone('sam')]
  const pkg = await makePackage({ name: someName('Rushes'), description: 'Reel 3 follows.', recipients: [rita, sam] })
  const content = randomBytes(1_000)
  const added = await upload(pkg, content, { name: 'reel-1.mov' })
  assert.deepEqual(await mailTo(rita), [])
  await finalize(pkg)
  await finalize(pkg)
  const links = new Set<string>()
  for (const address of [rita, sam]) {
    const mail = await firstMailTo(address)
    assert.deepEqual(mail.to, [address])
    assert.ok(mail.subject.includes(pkg.name))
    for (const part of [mail.text, mail.html]) {
      for (const fact of [pkg.name, target.owner.email, 'reel-1.mov', '1 kB', 'Reel 3 follows.', 'Available until']) {
        assert.ok(part.includes(fact), `${fact} is missing in ${part}`)
      }
    }
    const { id, recipient, bytes } = await follow(mail, pkg, added.file.id)
    assert.equal(recipient, address)
    assert.deepEqual(bytes, content)
    links.add(id)
  }
  assert.equal(links.size, 2)
  for (const address of [rita, sam]) assert.equal((await mailTo(address)).length, 1)
})

test('a link made with an address is mailed: at once, or when its package is finalized', async () => {
  const [early, late] = [someone('early'), someone('late')]
  const pkg = await makePackage()
  const added = await upload(pkg, Buffer.from('Ahoy.'))
  await show(createLink, { params: inPackage(pkg), body: { email: early } }, managing(pkg))
  assert.deepEqual(await mailTo(early), [])
  await finalize(pkg)
  assert.equal((await follow(await firstMailTo(early), pkg, added.file.id)).recipient, early)
  await show(createLink, { params: inPackage(pkg), body: { email: late } }, managing(pkg))
  assert.equal((await follow(await firstMailTo(late), pkg, added.file.id)).recipient, late)
  assert.equal((await mailTo(early)).length, 1)
})

test('a Portal tells its recipients of an upload, and the sender that it arrived', async () => {
  const [rita, cc, stranger] = [someone('rita'), someone('cc'), someone('stranger')]
  const portal = await use(
    createPortal,
    {
      params: { team_id: target.team_id },
      body: {
        name: someName('Dailies'),
        subdomain: `dailies-${randomBytes(4).toString('hex')}`,
        active: true,
        recipients: [rita],
        cc_recipients: [cc],
        primary_color: '#f2b705',
      },
    },
    asOwner,
  )
  const body = { name: someName('Day 17'), description: 'Reel 3 follows.', sender: stranger }
  const created = await use(createPortalPackage, { params: { portal_id: portal.id }, body }, { as: { accessCode: '' } })
  assert.ok(created.access_token !== undefined)
  const pkg = { ...created, access_token: created.access_token }
  const added = await upload(pkg, Buffer.from('Ahoy.'), { name: 'reel-1.mov' })
  await finalize(pkg)
  for (const address of [rita, cc]) {
    const mail = await firstMailTo(address)
    assert.ok(mail.subject.includes(portal.name))
    assert.match(mail.html, /background:#f2b705/)
    assert.equal((await follow(mail, pkg, added.file.id)).recipient, address)
  }
  const receipt = await firstMailTo(stranger)
  assert.ok(receipt.subject.includes(portal.name))
  assert.match(receipt.text, /reel-1\.mov/)
  assert.doesNotMatch(receipt.text + receipt.html, /secret=|Reel 3 follows/)
})

test('an invitation is accepted with what its mail carries, once', async () => {
  const ines = someone('ines')
  const invitation = { params: { team_id: target.team_id }, body: { email: ines, policy_key: 'member' as const } }
  await show(inviteMember, invitation, asOwner)
  const mail = await firstMailTo(ines)
  assert.ok(mail.text.includes(target.owner.email))
  const [address = '', token = ''] = /https?:\S+\/invitation#([\w-]+)/.exec(mail.text) ?? []
  noteSecret(token)
  assert.ok(address.startsWith(`${target.cloud_url}/`), 'the address leads to this server')
  assert.ok(mail.html.includes(`href="${address}"`))
  const given = { name: 'Ines', password: 'long enough for anyone' }
  const joined = await show(acceptInvitation, { params: { token }, body: given })
  assert.equal(joined.user.email, ines)
  await refused(acceptInvitation, { params: { token }, body: given }, {}, 'invitation_not_found')
  await use(signIn, { body: { email: ines, password: given.password } }, { from: ownAddress() })
})

test('a new address is confirmed with what its mail carries', async () => {
  const member = await makeMember('member')
  const email = someone('moved')
  const as = { userToken: member.token }
  const body = { email, password: member.password }
  await show(changeEmail, { params: { user_id: member.id }, body }, { as, from: ownAddress() })
  const mail = await firstMailTo(email)
  const token = /\/confirm-email#([\w-]+)/.exec(mail.text)?.[1] ?? ''
  noteSecret(token)
  assert.ok(mail.html.includes(`/confirm-email#${token}"`))
  assert.equal((await use(whoAmI, {}, { as })).user.email, member.email)
  await show(confirmEmail, { params: { token } })
  assert.equal((await use(whoAmI, {}, { as })).user.email, email)
})

test('178, B9.158: what is typed stays text in a mail, and one header', async () => {
  const rita = someone('rita')
  const name = `<img src=x onerror=alert(1)> "><svg/onload=x> {{7*7}} \${7*7} =?utf-8?Q?=0ABcc:_x@y?= ${'ö'.repeat(120)}`
  const pkg = await makePackage({ name, description: '</td><script>alert(1)</script>\nBcc: x@y', recipients: [rita] })
  await upload(pkg, Buffer.from('Ahoy.'), { name: '"><iframe onload=alert(1)>.txt' })
  await finalize(pkg)
  const mail = await firstMailTo(rita)
  assert.deepEqual(mail.to, [rita])
  assert.doesNotMatch(mail.html, /<(?:img|svg|script|iframe)/)
  assert.ok(mail.text.includes('{{7*7}} ${7*7}'))
  assert.ok(mail.subject.length <= 200)
  assert.doesNotMatch(mail.subject, /[\r\n]/)
})

test('176, 177: what is not one plain address is no recipient and no sender', async () => {
  const addresses = [
    'a@b\r\nBcc: x@y',
    '"a\r\n"@b',
    'a@b,c@d',
    'a@b (x) <c@d>',
    '(a(b)c) x@y',
    'ríta@example.test',
    '-oQ/tmp',
  ]
  for (const address of [...addresses, `${'r'.repeat(1_000)}@example.test`]) {
    const pkg = { name: 'Rushes', description: '', recipients: [address] }
    await refused(createTeamPackage, { params: { team_id: target.team_id }, body: pkg }, asOwner, 'validation_failed')
    const invited = { email: address, policy_key: 'member' }
    await refused(inviteMember, { params: { team_id: target.team_id }, body: invited }, asOwner, 'validation_failed')
  }
})

test('the page of an invitation runs no script but its own and is not framed', async () => {
  const page = await send({ method: 'GET', url: `${target.cloud_url}/invitation` })
  assert.equal(page.status, 200)
  const policy = String(page.headers['content-security-policy'])
  for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]) {
    assert.ok(policy.includes(rule), policy)
  }
  assert.doesNotMatch(page.text, /<script(?![^>]*src="\/assets\/)|\son\w+=|style=/)
})
