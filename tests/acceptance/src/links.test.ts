import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileUrl, listFiles } from '@longshore/contract/cloud/files'
import * as wire from '@longshore/contract/cloud/links'
import { readPackage, setPackageExpiry } from '@longshore/contract/cloud/packages'
import { zeroTime } from '@longshore/contract/limits'
import { type AnyInput, ask, errorOf, refused, show, use } from '#calls'
import { ownAddress, send } from '#http'
import { claimsOf, now, packageToken } from '#mint'
import { test } from '#record'
import { startSecondServer } from '#second-server'
import { setting, target } from '#target'
import { add, finalize, inPackage, makeLink, makePackage, makeSent, managing, type Package, readTokenOf } from '#walk'

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const away = () => ({ from: ownAddress() })
type Link = { readonly id: string; readonly secret: string }
const at = (link: Link): AnyInput => ({ params: { link_id: link.id }, query: { secret: link.secret } })
const ofPackage = (pkg: Package, link: { id: string }) => ({ package_id: pkg.id, link_id: link.id })
const change = (pkg: Package, link: { id: string }, body: object) =>
  use(wire.updateLink, { params: ofPackage(pkg, link), body }, managing(pkg))
const withPassword = (linkPassword: string) => ({ as: { linkPassword }, ...away() })
const listed = async (pkg: Package, id: string) =>
  (await use(wire.listLinks, { params: inPackage(pkg) }, managing(pkg))).find((link) => link.id === id)

test('a link leads to its package, with a token that reads it for a day', async () => {
  const { pkg, added } = await makeSent({ name: 'Episode 7', description: 'Enjoy.', recipients: [] })
  const link = await show(wire.createLink, { params: inPackage(pkg) }, managing(pkg))
  assert.equal(Buffer.from(link.secret, 'base64url').length, 16)
  assert.equal(link.download_secret, link.secret)
  assert.equal(link.url, `${setting('LONGSHORE_DOWNLOAD_URL')}/${link.id}?secret=${link.secret}`)
  const { id: _, secret: __, download_secret: ___, url: ____, created_at: _____, ...rest } = link
  assert.deepEqual(rest, {
    email: '',
    expiry: pkg.expiry,
    access_limit: 0,
    access_limit_enabled: false,
    access_count: 0,
    last_access_at: zeroTime,
    active: true,
    locked: false,
    password: '',
    package_id: pkg.id,
  })

  const { package_token, ...seen } = await show(wire.lookUpLink, at(link) as never)
  assert.deepEqual(seen, {
    id: link.id,
    name: 'Episode 7',
    expiry: pkg.expiry,
    package_id: pkg.id,
    package_size: 5,
    recipient_email: '',
    sender_email: target.owner.email,
    description: 'Enjoy.',
    total_files: 1,
    state: 'finalized',
    branding: { primary_color: seen.branding.primary_color, logo_url: '', team_name: 'Harbour Films' },
  })
  assert.match(seen.branding.primary_color, /^#[0-9a-f]{6}$/)
  const lifetime = Number(claimsOf(package_token)['exp']) - now()
  assert.ok(lifetime > 86_400 - 60 && lifetime <= 86_400)
  const reading = { as: { packageToken: package_token } }
  await use(listFiles, { params: inPackage(pkg) }, reading)
  await use(fileUrl, { params: { package_id: pkg.id, file_id: added.file.id } }, reading)
})

test('secrets are shown by the reply of creation alone', async () => {
  const { pkg } = await makeSent({ password: 'open sesame' })
  const link = await makeLink(pkg, { email: 'r@example.test' })
  const answer = await ask(wire.listLinks, { params: inPackage(pkg) }, managing(pkg))
  assert.ok(answer.text.includes(link.id))
  assert.equal(answer.text.includes(link.secret), false)
  assert.equal(answer.text.includes('open sesame'), false)
  assert.equal((await listed(pkg, link.id))?.password, '****')
})

test('a link is made with everything that can be asked for, and takes the rest from its package', async () => {
  const { pkg } = await makeSent({ password: 'of the package', access_limit: 4 })
  const inherited = await show(wire.createLink, { params: inPackage(pkg), body: {} }, managing(pkg))
  assert.deepEqual([inherited.password, inherited.access_limit, inherited.access_limit_enabled], ['****', 4, true])
  await refused(wire.lookUpLink, at(inherited), {}, 'link_password_required')
  await show(wire.lookUpLink, at(inherited) as never, withPassword('of the package'))

  const body = { email: 'r@example.test', password: '', access_limit: 0, expiry: inHours(1), active: false }
  const own = await show(wire.createLink, { params: inPackage(pkg), body }, managing(pkg))
  assert.deepEqual(
    [own.email, own.password, own.access_limit, own.expiry, own.active],
    ['r@example.test', '', 0, body.expiry, false],
  )
  await refused(wire.lookUpLink, at(own), {}, 'link_inactive')
})

test('a link never outlives its package', async () => {
  const { pkg } = await makeSent()
  const link = await makeLink(pkg, { expiry: '2090-01-01T00:00:00Z' })
  assert.equal(link.expiry, pkg.expiry)
  const shorter = inHours(2)
  await use(setPackageExpiry, { params: inPackage(pkg), body: { expiry: shorter } }, managing(pkg))
  assert.equal((await listed(pkg, link.id))?.expiry, shorter)
  assert.equal((await use(wire.lookUpLink, at(link) as never)).expiry, shorter)
  await use(setPackageExpiry, { params: inPackage(pkg), body: { unlimited_storage: true } }, managing(pkg))
  const forever = await makeLink(pkg)
  assert.equal(forever.expiry, zeroTime)
})

test('a link of an open package gives access once the package is finalized', async () => {
  const pkg = await makePackage()
  const link = await makeLink(pkg)
  assert.equal(link.active, false)
  await refused(wire.lookUpLink, at(link), {}, 'link_inactive')
  await add(pkg, { kind: 'directory' })
  await finalize(pkg)
  assert.equal((await listed(pkg, link.id))?.active, true)
  await show(wire.lookUpLink, at(link) as never)
})

test('fields of the wrong type are refused with their names', async () => {
  const { pkg, link } = await makeSent()
  for (const body of [
    { email: 'a@b, c@d' },
    { password: 'x'.repeat(73) },
    { password: 5 },
    { access_limit: -1 },
    { access_limit: '3' },
    { expiry: inHours(-1) },
    { expiry: '2040-01-01T00:00:00' },
    { active: 'no' },
  ]) {
    const field = Object.keys(body)[0]
    const made = await refused(wire.createLink, { params: inPackage(pkg), body }, managing(pkg), 'validation_failed')
    assert.equal(made.details?.[0]?.field, field)
    const params = ofPackage(pkg, link)
    const changed = await refused(wire.updateLink, { params, body }, managing(pkg), 'validation_failed')
    assert.equal(changed.details?.[0]?.field, field)
  }
})

test('an update changes what it names and keeps the rest', async () => {
  const { pkg } = await makeSent()
  const link = await makeLink(pkg, { email: 'a@example.test', password: 'open sesame', access_limit: 2 })
  const before = await listed(pkg, link.id)
  const expiry = inHours(3)
  await show(wire.updateLink, { params: ofPackage(pkg, link), body: { expiry } }, managing(pkg))
  assert.deepEqual(await listed(pkg, link.id), { ...before, expiry })
  await change(pkg, link, { email: 'b@example.test', access_limit: 0, password: '', expiry: zeroTime })
  assert.deepEqual(await listed(pkg, link.id), {
    ...before,
    email: 'b@example.test',
    access_limit: 0,
    access_limit_enabled: false,
    password: '',
  })
  await show(wire.lookUpLink, at(link) as never)
})

test('a link that is switched off ends the tokens it gave, at once, until it is on again', async () => {
  const { pkg, link, readToken } = await makeSent()
  const reading = { as: { packageToken: readToken } }
  await use(listFiles, { params: inPackage(pkg) }, reading)
  await change(pkg, link, { active: false })
  await refused(listFiles, { params: inPackage(pkg) }, reading, 'token_revoked')
  await refused(wire.lookUpLink, at(link), {}, 'link_inactive')
  await change(pkg, link, { active: true })
  await use(listFiles, { params: inPackage(pkg) }, reading)
})

test('a link that is deleted stays in the list and gives no access for good', async () => {
  const { pkg, link, readToken } = await makeSent()
  const other = await makeLink(pkg)
  await show(wire.deleteLink, { params: ofPackage(pkg, link) }, managing(pkg))
  await refused(listFiles, { params: inPackage(pkg) }, { as: { packageToken: readToken } }, 'token_revoked')
  await refused(wire.lookUpLink, at(link), {}, 'link_inactive')
  assert.equal((await listed(pkg, link.id))?.active, false)
  const params = ofPackage(pkg, link)
  await refused(wire.updateLink, { params, body: { active: true } }, managing(pkg), 'link_not_found')
  await refused(wire.lookUpLink, at(link), {}, 'link_inactive')
  // The other link of the package is not touched.
  await use(wire.lookUpLink, at(other) as never)
})

test('a link whose time is over gives no access, and ends the tokens it gave', async () => {
  const { pkg } = await makeSent()
  const link = await makeLink(pkg, { expiry: new Date(Date.now() + 3_000).toISOString() })
  const token = await readTokenOf(link)
  await sleep(3_100)
  await refused(wire.lookUpLink, at(link), {}, 'package_expired')
  await refused(listFiles, { params: inPackage(pkg) }, { as: { packageToken: token } }, 'token_revoked')
  assert.equal((await use(readPackage, { params: inPackage(pkg) }, managing(pkg))).state, 'finalized')
})

test('an unknown link, a wrong secret and the secret of another link are answered alike', async () => {
  const { pkg, link } = await makeSent()
  const other = await makeLink(pkg)
  const tries = [
    { id: randomUUID(), secret: link.secret },
    { id: link.id, secret: 'AAAAAAAAAAAAAAAAAAAAAA' },
    { id: link.id, secret: other.secret },
    { id: link.id, secret: `${link.secret}A` },
    { id: link.id, secret: link.secret.slice(0, -1) },
    { id: link.id, secret: '%00' },
    { id: link.id, secret: link.id },
  ]
  const answers = []
  for (const one of tries) {
    const { answer: _, request_id: __, ...error } = await refused(wire.lookUpLink, at(one), {}, 'link_not_found')
    answers.push(error)
  }
  for (const answer of answers) assert.deepEqual(answer, answers[0])
  for (const query of [{}, { secret: '' }, { secret: 'x'.repeat(129) }, { secret: ['a', 'b'] }]) {
    await refused(wire.lookUpLink, { params: { link_id: link.id }, query }, {}, 'validation_failed')
  }
})

test('a password is needed where a link has one, in any script, and ignored where it has none', async () => {
  const { pkg, link: open } = await makeSent()
  await show(wire.lookUpLink, at(open) as never, withPassword('not needed'))
  for (const password of ['Пароль №1', '100% sure', 'ключ 🔑', '+ and %20', 'a b']) {
    const link = await makeLink(pkg, { password })
    await refused(wire.lookUpLink, at(link), {}, 'link_password_required')
    await refused(wire.lookUpLink, at(link), { headers: [['x-link-password', '']] }, 'link_password_required')
    await refused(wire.lookUpLink, at(link), withPassword(`${password}x`), 'link_password_wrong')
    await show(wire.lookUpLink, at(link) as never, withPassword(password))
  }
  // What is no valid URI encoding is taken as it is.
  const link = await makeLink(pkg, { password: '100%' })
  await show(wire.lookUpLink, at(link) as never, { headers: [['x-link-password', '100%']], ...away() })
  const long = { headers: [['x-link-password', 'x'.repeat(10_000)]] as const, ...away() }
  await refused(wire.lookUpLink, at(link), long, 'link_password_wrong')
})

test('a wrong password tells nothing of the package', async () => {
  const { pkg } = await makeSent({ name: 'Top secret title' })
  const link = await makeLink(pkg, { password: 'open sesame' })
  for (const how of [{}, withPassword('wrong password')]) {
    const answer = await ask(wire.lookUpLink, at(link), how)
    assert.equal(answer.status, 401)
    for (const word of [pkg.id, pkg.name, target.team_id, target.owner.email]) {
      assert.equal(answer.text.includes(word), false, word)
    }
  }
})

test('one access is the first file address asked with one token; looking never counts', async () => {
  const { pkg, added } = await makeSent()
  const link = await makeLink(pkg, { access_limit: 2 })
  const count = async () => (await listed(pkg, link.id))?.access_count
  const file = { params: { package_id: pkg.id, file_id: added.file.id } }
  const [first, second, third] = [await readTokenOf(link), await readTokenOf(link), await readTokenOf(link)]
  for (let look = 0; look < 3; look += 1) await use(wire.lookUpLink, at(link) as never)
  await use(listFiles, { params: inPackage(pkg) }, { as: { packageToken: first } })
  assert.deepEqual([await count(), (await listed(pkg, link.id))?.last_access_at], [0, zeroTime])
  for (let time = 0; time < 3; time += 1) await use(fileUrl, file, { as: { packageToken: first } })
  assert.equal(await count(), 1)
  const { last_access_at = '' } = (await listed(pkg, link.id)) ?? {}
  assert.ok(Math.abs(Date.parse(last_access_at) - Date.now()) < 60_000, last_access_at)
  await use(fileUrl, file, { as: { packageToken: second } })
  assert.deepEqual([await count(), (await listed(pkg, link.id))?.locked], [2, true])

  await refused(fileUrl, file, { as: { packageToken: third } }, 'link_locked')
  await refused(listFiles, { params: inPackage(pkg) }, { as: { packageToken: third } }, 'token_revoked')
  await refused(wire.lookUpLink, at(link), {}, 'link_locked')
  // Who was let in goes on: a download of many files must not break in the middle.
  await use(fileUrl, file, { as: { packageToken: first } })
  await use(listFiles, { params: inPackage(pkg) }, { as: { packageToken: first } })
  await change(pkg, link, { access_limit: 3 })
  await use(fileUrl, file, { as: { packageToken: third } })
  const read = await use(readPackage, { params: inPackage(pkg) }, managing(pkg))
  assert.equal(read.downloads, 3)
})

test('a download that outlives its token goes on with the same access, also when the link is locked since', async () => {
  const { pkg, added } = await makeSent()
  const [link, other] = [await makeLink(pkg, { access_limit: 1 }), await makeLink(pkg)]
  const file = { params: { package_id: pkg.id, file_id: added.file.id } }
  const first = await readTokenOf(link)
  const unused = await readTokenOf(link)
  await use(fileUrl, file, { as: { packageToken: first } })
  const ended = packageToken(pkg, 'read', { ...claimsOf(first), iat: now() - 90_000, exp: now() - 3_600 })
  await refused(fileUrl, file, { as: { packageToken: ended } }, 'token_expired')

  const again = (earlier_token: string) => ({ ...at(link), query: { ...at(link).query, earlier_token } })
  for (const token of [first, ended]) {
    const { package_token } = await show(wire.lookUpLink, again(token) as never)
    assert.ok(Number(claimsOf(package_token)['exp']) > now() + 80_000)
    await use(fileUrl, file, { as: { packageToken: package_token } })
  }
  assert.equal((await listed(pkg, link.id))?.access_count, 1)

  const elsewhere = await readTokenOf(other)
  await use(fileUrl, file, { as: { packageToken: elsewhere } })
  const forged = `${first.slice(0, -3)}abc`
  const revoked = packageToken(pkg, 'read', { ...claimsOf(first), ser: 7 })
  for (const token of [unused, elsewhere, forged, revoked, 'nonsense', managing(pkg).as.packageToken]) {
    await refused(wire.lookUpLink, again(token), {}, 'link_locked')
  }
  await change(pkg, link, { active: false })
  await refused(wire.lookUpLink, again(first), {}, 'link_inactive')
})

test('a scanner of mails, a HEAD, a range and a reload use up nothing of a link for one', async () => {
  const { pkg, added } = await makeSent({}, Buffer.from('0123456789'))
  const link = await makeLink(pkg, { access_limit: 1 })
  const count = async () => (await listed(pkg, link.id))?.access_count
  // What a scanner does with every address in a mail, and a person who opens the page twice.
  for (const method of ['GET', 'HEAD', 'GET']) {
    const page = await send({ method, url: link.url })
    assert.equal(page.status, 200)
    await use(wire.lookUpLink, at(link) as never)
  }
  const address = `${target.cloud_url}/v1/packages/${pkg.id}/files/${added.file.id}/download`
  const readToken = await readTokenOf(link)
  const head = await send({ method: 'HEAD', url: address, headers: [['x-package-token', readToken]] })
  assert.equal(head.status, 405)
  assert.equal(await count(), 0)

  const file = { params: { package_id: pkg.id, file_id: added.file.id } }
  const { url } = await use(fileUrl, file, { as: { packageToken: readToken } })
  for (const range of ['bytes=0-3', 'bytes=4-', 'bytes=0-3']) {
    assert.equal((await send({ method: 'GET', url, headers: [['range', range]] })).status, 206)
  }
  // The page keeps its token over a reload and asks for the address again.
  await use(fileUrl, file, { as: { packageToken: readToken } })
  assert.equal(await count(), 1)
  await refused(wire.lookUpLink, at(link), {}, 'link_locked')
})

test('of 50 tokens at once at two servers, exactly as many get a file as the link allows', async (t) => {
  const second = await startSecondServer({})
  t.after(() => second.stop())
  const { pkg, added } = await makeSent()
  const link = await makeLink(pkg, { access_limit: 1 })
  const tokens = await Promise.all(Array.from({ length: 50 }, () => readTokenOf(link)))
  const file = { params: { package_id: pkg.id, file_id: added.file.id } }
  const answers = await Promise.all(
    tokens.map((packageToken, nth) =>
      ask(fileUrl, file, { as: { packageToken }, ...(nth % 2 === 0 ? {} : { at: second.url }) }),
    ),
  )
  const outcomes = answers.map((answer) => (answer.status === 200 ? 'address' : errorOf(answer).error))
  assert.deepEqual(
    [outcomes.filter((one) => one === 'address').length, outcomes.filter((one) => one === 'link_locked').length],
    [1, 49],
  )
  assert.equal((await listed(pkg, link.id))?.access_count, 1)
})

test('links are managed through their own package alone, and not once it has ended', async () => {
  const [{ pkg, link }, other] = [await makeSent(), await makeSent()]
  for (const link_id of [randomUUID(), other.link.id]) {
    const params = { package_id: pkg.id, link_id }
    await refused(wire.updateLink, { params, body: { active: false } }, managing(pkg), 'link_not_found')
    await refused(wire.deleteLink, { params }, managing(pkg), 'link_not_found')
  }
  await use(wire.lookUpLink, at(other.link) as never)
  await use(
    setPackageExpiry,
    { params: inPackage(pkg), body: { expiry: new Date(Date.now() + 2_000).toISOString() } },
    managing(pkg),
  )
  await sleep(2_100)
  const params = ofPackage(pkg, link)
  await refused(wire.updateLink, { params, body: { active: true } }, managing(pkg), 'package_expired')
  await refused(wire.createLink, { params: inPackage(pkg), body: {} }, managing(pkg), 'package_expired')
  await show(wire.listLinks, { params: inPackage(pkg) }, managing(pkg))
  await show(wire.deleteLink, { params }, managing(pkg))
})
