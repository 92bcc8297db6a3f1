import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { waybill } from '@longshore/contract/cloud/files'
import { createForm } from '@longshore/contract/cloud/forms'
import { lookUpLink } from '@longshore/contract/cloud/links'
import { listPortalPackages } from '@longshore/contract/cloud/packages'
import { createPortal } from '@longshore/contract/cloud/portals'
import { executableLongshore, installedLongshore } from '#installed'
import { newSite, newUser, type Site, type User } from '#site'

let site: Site
let user: User
const film = randomBytes(3_000_000)

before(async () => {
  ;[site, user] = await Promise.all([newSite(), newUser(installedLongshore)])
  await mkdir(join(user.folder, 'Dailies/day 12'), { recursive: true })
  await writeFile(join(user.folder, 'Dailies/day 12/take.mov'), film)
  await writeFile(join(user.folder, 'Dailies/notes.txt'), 'rain')
  await writeFile(join(user.folder, 'secret.txt'), 'swordfish\n')
  await writeFile(join(user.folder, 'wrong.txt'), 'herring\n')
})
after(async () => {
  await user.leave()
  await site.stop()
})

test('login by a wrong password ends with 3, by the right one it is kept', async () => {
  const as = ['login', '--cloud', site.url, '--email', site.team.owner.email, '--password-file']
  const wrong = await user.longshore(...as, 'wrong.txt')
  assert.equal(wrong.code, 3)
  assert.match(wrong.stderr, /Email or password is wrong\./)
  assert.match(
    (await user.longshore('send', 'Dailies', '--link')).stderr,
    /Nobody is signed in\.\n {2}→ longshore login/,
  )

  const right = user.begin([...as, '-'])
  right.child.stdin?.end(`${site.team.owner.password}\n`)
  const { code, stdout, stderr } = await right.ended
  assert.deepEqual({ code, stdout }, { code: 0, stdout: '' })
  assert.match(stderr, /✓ Signed in to http:\/\/127\.0\.0\.1:\d+ as Olga Owner \(Harbour Films\)\./)
  const { stdout: status } = await user.longshore('status')
  assert.match(status, /^Signed in {2}Olga Owner \(Harbour Films\)$/m)
})

/** Mails that came to an address, once there is one. */
async function mailTo(address: string): Promise<readonly { readonly text: string }[]> {
  for (let tries = 0; tries < 300; tries++) {
    const all = (await (await fetch(`${site.stack.mail_url}/messages`)).json()) as { to: string[]; text: string }[]
    const mails = all.filter(({ to }) => to.includes(address))
    if (mails.length > 0) return mails
    await sleep(100)
  }
  throw new Error(`No mail came to ${address}.`)
}

test('a folder is mailed to several people, with a message', async () => {
  const recipients = ['editor', 'sound'].map((name) => `${name}-${process.pid}@example.test`)
  const ran = await user.longshore('send', 'Dailies', '--to', recipients.join(','), '--message', 'Day twelve')
  assert.deepEqual({ code: ran.code, stdout: ran.stdout }, { code: 0, stdout: '' }, ran.stderr)
  assert.match(ran.stderr, /^✓ Sent Dailies \(2 files, 3\.00 MB.*\)\.$/m)
  for (const address of recipients) {
    const [mail, ...more] = await mailTo(address)
    assert.deepEqual(more, [])
    assert.match(mail?.text ?? '', /Day twelve/)
  }
})

test('a link is printed and nothing else; fetched again it is the same, byte by byte', async () => {
  const sent = await user.longshore('send', 'Dailies', '--link', '--name', 'Day 12', '--quiet')
  assert.equal(sent.code, 0, sent.stderr)
  assert.match(sent.stdout, /^http:\/\/127\.0\.0\.1:\d+\/d\/\S+\?secret=\S+\n$/)
  assert.equal(sent.stderr, '')

  const got = await user.longshore('get', sent.stdout.trim(), 'Inbox')
  assert.equal(got.code, 0, got.stderr)
  assert.equal(got.stdout, `${join(user.folder, 'Inbox/Day 12')}\n`)
  assert.match(got.stderr, /✓ Got Day 12 \(2 files, 3\.00 MB.*\), checked against its waybill\./)
  assert.deepEqual(await readFile(join(user.folder, 'Inbox/Day 12/Dailies/day 12/take.mov')), film)

  await waybillFor(sent.stdout.trim())
  const verify = ['verify', 'waybill.json', 'Inbox/Day 12', '--keys', `${site.url}/v1/system/keys`]
  const good = await user.longshore(...verify)
  assert.equal(good.code, 0, good.stdout + good.stderr)
  assert.match(good.stdout, /signature {2}good.*\nALL GOOD: 2 good\n$/s)
  await writeFile(join(user.folder, 'Inbox/Day 12/Dailies/notes.txt'), 'sun!')
  const tampered = await user.longshore(...verify)
  assert.equal(tampered.code, 1)
  assert.match(
    tampered.stdout,
    /changed +"Dailies\/notes\.txt" \(its bytes are not those sent\)\nDIFFERENT: 1 good, 1 changed/,
  )
})

/** Keeps the waybill of a link as a recipient would. */
async function waybillFor(url: string): Promise<void> {
  const { pathname, searchParams } = new URL(url)
  const link_id = pathname.split('/').at(-1) ?? ''
  const opened = await site.client.call(
    lookUpLink,
    { params: { link_id }, query: { secret: searchParams.get('secret') ?? '' } },
    { credential: undefined },
  )
  const credential = { packageToken: opened.package_token }
  const reply = await site.client.raw(waybill, { params: { package_id: opened.package_id } }, { credential })
  await writeFile(join(user.folder, 'waybill.json'), await reply.text())
}

test('what is left out is told at the end, and comes first in the status', async () => {
  const folder = join(user.folder, 'Reel')
  await mkdir(folder)
  for (let n = 10; n < 40; n++) await writeFile(join(folder, `take-${n}.mov`), '')
  await writeFile(join(folder, 'x\\y.mov'), 'a name that no package may have')
  const sent = await user.longshore('send', 'Reel', '--link')
  assert.equal(sent.code, 0, sent.stderr)
  assert.match(sent.stderr, /^! Left out: 1 entry\n {2}Reel\/x\\y\.mov \(.*backslash\.\)\n✓ Sent Reel \(30 files/m)
  const id = /^(\S+) .* Reel$/m.exec((await user.longshore('ls')).stdout)?.[1] ?? ''
  assert.match((await user.longshore('status', id)).stdout, /^STATE .*\nskipped .* Reel\/x\\y\.mov .*\ncomplete /m)

  const told = await user.longshore('send', 'Reel', '--link', '--json')
  const events = told.stdout.trim().split('\n').slice(-2)
  const [skipped, complete] = events.map((line) => JSON.parse(line) as { event: string; total?: number })
  assert.deepEqual([skipped?.event, skipped?.total, complete?.event], ['skipped', 1, 'complete'])

  const inAFile = await user.longshore('get', sent.stdout.trim(), 'Reel/take-10.mov')
  assert.equal(inAFile.code, 2)
  assert.match(inAFile.stderr, /take-10\.mov' is not a folder/)
})

test('a link with a password wants it, and says so before anything is fetched', async () => {
  const sent = await user.longshore(
    'send',
    'Dailies/notes.txt',
    '--link',
    '--password-file',
    'secret.txt',
    '--expires',
    '2d',
  )
  assert.equal(sent.code, 0, sent.stderr)
  const url = sent.stdout.trim()

  const without = await user.longshore('get', url, 'Locked')
  assert.equal(without.code, 1)
  assert.match(without.stderr, /The link has a password\.\n {2}→ Add --password/)
  const wrong = await user.longshore('get', url, 'Locked', '--password-file', 'wrong.txt')
  assert.equal(wrong.code, 1)
  assert.ok(!(await readdir(user.folder)).includes('Locked'))

  const right = await user.longshore('get', url, 'Locked', '--password-file', 'secret.txt', '--no-package-folder')
  assert.equal(right.code, 0, right.stderr)
  assert.equal(await readFile(join(user.folder, 'Locked/notes.txt'), 'utf8'), 'rain')
})

test('a wrong link is told, and one of another server apart from it', async () => {
  const unknown = `/d/0199c1a0-0000-7000-8000-000000000001?secret=${'x'.repeat(22)}`
  const here = await user.longshore('get', `${site.url}${unknown}`)
  assert.equal(here.code, 1)
  assert.doesNotMatch(here.stderr, /works with/)
  const elsewhere = await user.longshore('get', `https://elsewhere.example${unknown}`)
  assert.equal(elsewhere.code, 1)
  assert.match(elsewhere.stderr, /works with http:\/\/127\.0\.0\.1:\d+, which does not know this link/)
})

test('a Portal wants its access code and the answers to its form, then takes the files', async () => {
  const portal = await site.client.call(createPortal, {
    params: { team_id: site.team.team_id },
    body: {
      name: 'Rushes',
      subdomain: `rushes-${process.pid}`,
      active: true,
      has_access_code: true,
      access_code: 'swordfish',
    },
  })
  await site.client.call(createForm, {
    params: { portal_id: portal.id },
    body: {
      name: 'About',
      delivery_formats: ['json'],
      fields: [{ name: 'scene', label: 'Scene', type: 'short_text', visibility: 'required' }],
    },
  })
  const send = ['send', 'Dailies', '--from', 'guest@example.test', '--portal']

  const nowhere = await user.longshore(...send, 'no-such-portal')
  assert.equal(nowhere.code, 1)
  assert.match(nowhere.stderr, /Portal/)
  const withoutCode = await user.longshore(...send, portal.subdomain)
  assert.equal(withoutCode.code, 1)
  assert.match(withoutCode.stderr, /The Portal rushes-\d+ has an access code\.\n {2}→ Add --access-code/)
  const coded = [...send, portal.url, '--access-code-file', 'secret.txt']
  const withoutAnswer = await user.longshore(...coded)
  assert.equal(withoutAnswer.code, 2)
  assert.match(withoutAnswer.stderr, /--field scene=…/)

  const done = await user.longshore(...coded, '--field', 'scene=The harbour', '--name', 'Handed in')
  assert.equal(done.code, 0, done.stderr)
  const { records } = await site.client.call(listPortalPackages, { params: { portal_id: portal.id } })
  assert.deepEqual(
    records.map(({ name, state, sender }) => ({ name, state, sender })),
    [{ name: 'Handed in', state: 'finalized', sender: 'guest@example.test' }],
  )
})

test('with --json a transfer is told as objects, one a line, and the last has the link', async () => {
  const { code, stdout } = await user.longshore('send', 'Dailies', '--link', '--json')
  assert.equal(code, 0)
  const told = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; link?: { url: string } })
  assert.equal(told[0]?.event, 'started')
  assert.ok(told.slice(1, -1).every(({ event }) => event === 'progress'))
  assert.equal(told.at(-1)?.event, 'complete')
  assert.match(told.at(-1)?.link?.url ?? '', /\?secret=/)
})

test('doctor finds all well', async () => {
  const { code, stdout } = await user.longshore('doctor', '--transfer')
  assert.equal(code, 0, stdout)
  assert.match(stdout, /^✓ transfer +1 MB sent in \d+ ms, fetched in \d+ ms, the same byte by byte$/m)
  for (const about of ['agent', 'server', 'clock', 'session', 'interfaces'])
    assert.match(stdout, new RegExp(`^✓ ${about} `, 'm'))
})

test('nothing that must stay secret is in the log of the agent or readable by others', async () => {
  const log = await readFile(join(user.folder, 'data/agent.log'), 'utf8')
  for (const secret of ['swordfish', site.team.owner.password, site.team.api_key]) assert.ok(!log.includes(secret))
  assert.doesNotMatch(log, /secret=[\w-]/)
})

test('the single executable needs nothing beside it to send and fetch', async (t) => {
  const other = await newUser(executableLongshore)
  t.after(() => other.leave())
  await writeFile(join(other.folder, 'key'), site.team.api_key)
  await writeFile(join(other.folder, 'take.mov'), film)
  assert.match((await other.longshore('--version')).stdout, /^\d+\.\d+\.\d+\n$/)
  const login = await other.longshore('login', '--cloud', site.url, '--api-key-file', 'key')
  assert.equal(login.code, 0, login.stderr)
  const sent = await other.longshore('send', 'take.mov', '--link')
  assert.equal(sent.code, 0, sent.stderr)
  const got = await other.longshore('get', sent.stdout.trim(), 'Inbox', '--no-package-folder')
  assert.equal(got.code, 0, got.stderr)
  assert.deepEqual(await readFile(join(other.folder, 'Inbox/take.mov')), film)
})
