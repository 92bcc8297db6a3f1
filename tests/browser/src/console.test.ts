import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient } from '@longshore/client/client'
import { changePassword, signIn } from '@longshore/contract/cloud/account'
import { finalizeFiles, listFiles } from '@longshore/contract/cloud/files'
import { finalizePackage, readTeamPackage } from '@longshore/contract/cloud/packages'
import { reportProgress } from '@longshore/contract/cloud/realtime'
import type { FirstTeam } from '@longshore/stack/longshore/first-team'
import { assertOnlyText, type ConsoleHouse, openConsoleHouse, tabTo } from '#console-house'
import { makeConsoleScene, type Scene } from '#console-scene'
import type { OwnInstance } from '#own-instance'
import { blockStore, lookAt, picture } from '#pictures'

let house: ConsoleHouse
let instance: OwnInstance
let team: FirstTeam
let scene: Scene
let subdomain: string
let token: string

const client = () => createClient({ baseUrl: instance.url })
const place = (path: string) => house.place(path)
const open = (signedInWith: string | undefined, path: string) => house.open(signedInWith, path)

before(async () => {
  house = await openConsoleHouse('browser-console', 18)
  ;({ instance, team, subdomain, token } = house)
  scene = await makeConsoleScene(instance.url, token, team.team_id)
})

after(() => house?.close())

test('who comes without a session signs in by the keyboard and is where they wanted to be', async () => {
  const { page, context, complaints } = await open(undefined, place('keys'))
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await lookAt(page, 'sign-in')
  await page.keyboard.type(team.owner.email)
  await page.keyboard.press('Tab')
  await page.keyboard.type('not the password')
  await page.keyboard.press('Enter')
  await page.getByText('Email or password is wrong.').waitFor()
  await picture(page, 'sign-in-refused')

  await page.keyboard.press('Control+a')
  await page.keyboard.type(team.owner.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'API keys' }).waitFor()
  assert.equal(page.url(), place('keys'))
  assert.equal(await page.evaluate(() => localStorage.getItem('longshore.token')), null, 'kept beyond the tab')
  // The browser itself notes that the first try was answered 401.
  assert.deepEqual(
    complaints.filter((complaint) => !complaint.includes('401')),
    [],
  )
  await context.close()
})

test('each page can be read by everybody, shows names as text and asks nobody but its server', {
  timeout: 600_000,
}, async () => {
  const pages = {
    sent: 'packages',
    received: 'inbox',
    package: `packages/${scene.sent}`,
    'package-uploading': `packages/${scene.open}`,
    'package-missing': 'packages/0199c1a0-0000-7000-8000-000000000001',
    send: 'send',
    portals: 'portals',
    portal: `portals/${scene.portal}`,
    usage: 'usage',
    webhooks: 'webhooks',
    webhook: `webhooks/${scene.webhook}`,
    keys: 'keys',
    members: 'members',
    spaces: 'spaces',
    tags: 'tags',
    settings: 'settings',
    account: 'account',
  }
  const { page, context, complaints, hosts } = await open(token, place('packages'))
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(place(path))
    await page.locator('#content').waitFor()
    await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => {})
    await lookAt(page, name)
    await assertOnlyText(page)
  }
  assert.deepEqual(
    complaints.filter((complaint) => !complaint.includes('404')),
    [],
  )
  assert.deepEqual([...hosts], [new URL(instance.url).host])
  await context.close()
})

test('packages are found, sorted and filtered, and the address says how', async () => {
  const { page, context } = await open(token, place('packages'))
  await page.getByRole('link', { name: 'Scans, box 4' }).waitFor()
  await page.getByRole('searchbox', { name: 'Search by name' }).fill('reel')
  await page.getByText('1–1 of 1').waitFor()
  assert.equal(new URL(page.url()).searchParams.get('name'), 'reel')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('button', { name: 'Size' }).click()
  await page.getByRole('columnheader', { name: 'Size' }).and(page.locator('[aria-sort="ascending"]')).waitFor()
  await page.getByRole('checkbox', { name: 'Expired' }).uncheck()
  await page.getByRole('link', { name: 'Posters of last year' }).waitFor({ state: 'detached' })
  await page.getByRole('combobox', { name: 'Tag' }).selectOption({ label: 'Dailies' })
  await page.getByText('1–1 of 1').waitFor()
  await page.reload()
  await page.getByRole('link', { name: 'Reel 12, picture and sound' }).waitFor()
  await page.getByText('1–1 of 1').waitFor()

  await page.goto(place('packages'))
  await page.getByRole('button', { name: 'Archive by date' }).click()
  const dialog = page.getByRole('dialog')
  const today = new Date().toLocaleDateString('sv')
  await dialog.getByLabel('Expired from').fill('2026-01-01')
  await dialog.getByLabel('to', { exact: true }).fill(today)
  await lookAt(page, 'archive-dialog')
  await dialog.getByRole('button', { name: 'Move' }).click()
  await page.getByText('1 package was moved.').waitFor()
  await page.getByRole('link', { name: 'Posters of last year' }).waitFor({ state: 'detached' })
  await page.getByRole('checkbox', { name: 'Archived' }).check()
  await page.getByRole('link', { name: 'Posters of last year' }).waitFor()
  await context.close()
})

test('a package is changed, linked and deleted, by the keyboard alone', async () => {
  const { page, context, complaints } = await open(token, place(`packages/${scene.sent}`))
  await page.getByRole('button', { name: /^picture/ }).waitFor()
  await tabTo(page, 'Files')
  await page.keyboard.press('ArrowRight')
  await page.getByRole('button', { name: 'New link' }).waitFor()
  await tabTo(page, 'New link')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('Recipient').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.type('sesame')
  await page.keyboard.press('Enter')
  await page.getByText('Copy it now').waitFor()
  const address = await page.getByLabel('Address of the link').inputValue()
  assert.match(address, /\/d\/[0-9a-f-]{36}\?secret=/)
  await lookAt(page, 'link-made')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  const withPassword = page.getByRole('img', { name: 'with a password' })
  await withPassword.nth(1).waitFor()
  await page.getByRole('button', { name: 'Actions for Anyone with the link' }).first().focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Edit link' }).waitFor()
  await page.keyboard.press('Enter')
  await tabTo(page, 'Remove the password')
  await page.keyboard.press('Space')
  await lookAt(page, 'link-edit')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await withPassword.nth(1).waitFor({ state: 'detached' })

  await tabTo(page, 'Links')
  await page.keyboard.press('ArrowRight')
  await page.getByRole('heading', { name: 'Verified', exact: true }).waitFor()
  await lookAt(page, 'waybill')

  await page.getByRole('button', { name: 'Actions for Reel 12' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Edit' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('Name').waitFor()
  await page.keyboard.press('End')
  await page.keyboard.type(' (final)')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Reel 12, picture and sound (final)' }).waitFor()

  await page.getByRole('button', { name: 'Actions for Reel 12' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.getByText('deleted for good').waitFor()
  await picture(page, 'package-delete')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('The files are gone.').waitFor()
  // What was open of it is asked for once more, and gone.
  assert.deepEqual(
    complaints.filter((complaint) => !complaint.includes('410')),
    [],
  )
  await context.close()
})

test('an upload that is under way is seen to move and to arrive, without a reload', async () => {
  const { page, context } = await open(token, place(`packages/${scene.open}`))
  await page.getByText('Waiting for the sender.').waitFor()
  const params = { package_id: scene.open }
  const { access_token = '' } = await client().call(
    readTeamPackage,
    { params: { team_id: team.team_id, ...params } },
    { credential: { userToken: token } },
  )
  const by = { credential: { packageToken: access_token } } as const
  // The feed tells from now on; what was told before it was open is not repeated.
  await page.waitForTimeout(500)
  await client().call(reportProgress, { params, body: { uploaded_bytes: 10_000 } }, by)
  await page.getByText(/10 kB of 20 kB/).waitFor()
  await picture(page, 'package-moving')

  const [file] = await client().call(listFiles, { params }, by)
  await client().call(finalizeFiles, { params, body: { files: [{ file_id: file?.id ?? '', size: 20_000 }] } }, by)
  await client().call(finalizePackage, { params }, by)
  await page.getByText('Ready', { exact: true }).waitFor()
  await context.close()
})

test('language and appearance are those that one chose, also after a reload', async () => {
  const { page, context, complaints } = await open(token, place('account'))
  await page.getByLabel('Appearance').selectOption('dark')
  await page.getByLabel('Language').selectOption('de')
  await page.getByRole('heading', { name: 'Konto' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Konto' }).waitFor()
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), 'dark')
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'de')
  await picture(page, 'account-german')
  assert.deepEqual(complaints, [])
  await context.close()
})

test('files are sent from the browser and arrive', { timeout: 60_000 }, async () => {
  const { page, context, complaints } = await open(token, place('send'))
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
  await page.locator('input[data-files]').setInputFiles([
    { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('one') },
    { name: '<b>b.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(3_000_000, 7) },
  ])
  await page.getByText('2 files, 3 MB').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('From the browser')
  await lookAt(page, 'send-chosen')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('Sent', { exact: true }).last().waitFor()
  await page.getByRole('link', { name: 'Show the package' }).click()
  await page.getByRole('heading', { name: 'From the browser' }).waitFor()
  await page.getByText('<b>b.bin').waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})

test('who sends from the console is told when the storage cannot be reached, and it goes on by itself', {
  timeout: 150_000,
}, async () => {
  const { page, context } = await open(token, place('send'))
  const store = instance.stack.s3.public_endpoint
  const unblock = await blockStore(page, store)
  await page
    .locator('input[data-files]')
    .setInputFiles([{ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('one') }])
  await page.getByLabel('Name', { exact: true }).fill('Behind a firewall')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText(`The storage at ${new URL(store).host} cannot be reached`).waitFor({ timeout: 60_000 })
  await page.getByText('npm run doctor').waitFor()
  await lookAt(page, 'send-store-away')
  await unblock()
  await page.getByRole('link', { name: 'Show the package' }).waitFor({ timeout: 45_000 })
  await context.close()
})

test('168: no address makes the sign-in lead anywhere but into the console', async () => {
  for (const back of ['https://evil.example/', '//evil.example/', 'javascript:alert(1)', '/d/x']) {
    const { page, context, hosts } = await open(
      undefined,
      `${instance.url}/console/sign-in?back=${encodeURIComponent(back)}`,
    )
    await page.getByLabel('Email').fill(team.owner.email)
    await page.getByLabel('Password').fill(team.owner.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Sent packages' }).waitFor()
    assert.deepEqual([...hosts], [new URL(instance.url).host], back)
    await context.close()
  }
})

test('a session that was ended elsewhere ends here, and signing in leads back', async () => {
  const { page, context } = await open(token, place('tags'))
  await page.getByRole('heading', { name: 'Tags' }).waitFor()
  const { token: other, user } = await client().call(signIn, { body: team.owner })
  const password = 'another good long password'
  await client().call(
    changePassword,
    { params: { user_id: user.id }, body: { current_password: team.owner.password, password } },
    { credential: { userToken: other } },
  )
  await page.goto(place('settings'))
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.getByLabel('Email').fill(team.owner.email)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Team settings' }).waitFor()
  await context.close()
})

test('165, 166: pages have a strict policy, are not framed, and only what never changes is kept', async () => {
  for (const path of ['/console', `/console/${subdomain}/packages`, '/setup', '/invitation', '/confirm-email']) {
    const reply = await fetch(`${instance.url}${path}`)
    assert.equal(reply.status, 200, path)
    const policy = reply.headers.get('content-security-policy') ?? ''
    for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]) {
      assert.ok(policy.split('; ').includes(rule), `${path}: ${rule}`)
    }
    assert.doesNotMatch(policy, /unsafe|\*/)
    assert.equal(reply.headers.get('cache-control'), 'no-cache')
    assert.equal(reply.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(reply.headers.get('x-frame-options'), 'DENY')
    assert.equal(reply.headers.get('referrer-policy'), 'no-referrer')
    assert.ok(reply.headers.get('cross-origin-opener-policy'))
    assert.ok(reply.headers.get('strict-transport-security'))
    const html = await reply.text()
    assert.doesNotMatch(html, /<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=|(?:src|href)="(?:https?:)?\/\//)
    for (const [, asset = ''] of html.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
      const loaded = await fetch(`${instance.url}${asset}`)
      assert.equal(loaded.status, 200, asset)
      assert.match(loaded.headers.get('cache-control') ?? '', /immutable/)
    }
  }
})
