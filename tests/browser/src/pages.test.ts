import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@longshore/client/client'
import { changeEmail, signIn } from '@longshore/contract/cloud/account'
import { addFiles, finalizeFiles } from '@longshore/contract/cloud/files'
import { createLink } from '@longshore/contract/cloud/links'
import { createTeamPackage, finalizePackage } from '@longshore/contract/cloud/packages'
import { runScript } from '@longshore/stack/longshore/server-process'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, watch } from '#browser'
import { mailedAddress } from '#mailed-address'
import { type OwnInstance, startOwnInstance } from '#own-instance'

const phone = { width: 360, height: 740 }
const owner = { team: 'Häfen & Söhne', name: 'Олга', email: 'olga@example.test', password: 'correct horse battery' }
const newEmail = `olga-${randomBytes(4).toString('hex')}@example.test`

let browser: Browser
let instance: OwnInstance

before(async () => {
  instance = await startOwnInstance('browser-pages', 15)
  browser = await openBrowser()
})

after(async () => {
  await browser?.close()
  await instance?.stop()
})

async function openPhone(): Promise<{ page: Page; complaints: readonly string[]; hosts: ReadonlySet<string> }> {
  const page = await browser.newPage({ viewport: phone, deviceScaleFactor: 2, hasTouch: true })
  return { page, ...(await watch(page)) }
}

const picture = (page: Page, name: string) => page.screenshot({ path: join(instance.folder, `${name}.png`) })

const overflows = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)

async function setupLink(): Promise<string> {
  const { output } = await runScript('operate', instance.env, ['setup-link'])
  const link = /https?:\S+/.exec(output)?.[0]
  assert.ok(link, output)
  return link
}

/** The first field has the focus from the start; who types before the form is there types into nothing. */
const formIsThere = (page: Page) => page.locator('input:focus').waitFor()

test('the setup page says what is wrong and keeps what was typed', { timeout: 60_000 }, async () => {
  const { page } = await openPhone()
  await page.goto(`${instance.url}/setup#not-the-token`)
  await formIsThere(page)
  for (const text of [owner.team, owner.name, owner.email, owner.password]) {
    await page.keyboard.type(text)
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Enter')

  await page.getByText('setup link').waitFor()
  assert.equal(await page.getByLabel('Your name').inputValue(), owner.name)
  await picture(page, 'setup-refused')
  await page.close()
})

test('the first Team is made on the setup page with the keyboard alone, on a phone', { timeout: 60_000 }, async () => {
  const { page, complaints, hosts } = await openPhone()
  await page.goto(await setupLink())
  await formIsThere(page)
  assert.equal(await overflows(page), false)
  await picture(page, 'setup-empty')

  // Enter in the last field sends the form.
  for (const text of [owner.team, owner.name, owner.email]) {
    await page.keyboard.type(text)
    await page.keyboard.press('Tab')
  }
  await page.keyboard.type(owner.password)
  await picture(page, 'setup-filled')
  await page.keyboard.press('Enter')

  await page.waitForURL(/\/console/)
  await page.getByText(owner.team).first().waitFor()
  await picture(page, 'setup-done')
  assert.equal(new URL(page.url()).hash, '', 'the token stays in the address')
  const signedIn = await createClient({ baseUrl: instance.url }).call(signIn, {
    body: { email: owner.email, password: owner.password },
  })
  assert.equal(signedIn.teams[0]?.name, owner.team)
  assert.deepEqual(complaints, [])
  assert.deepEqual([...hosts], [new URL(instance.url).host])
  await page.close()
})

/** Sends small files as the Owner and answers the address of a link with a password. */
async function sendWithPassword(files: Readonly<Record<string, Buffer>>, password: string): Promise<string> {
  const client = createClient({ baseUrl: instance.url })
  const { token, teams } = await client.call(signIn, { body: { email: owner.email, password: owner.password } })
  const pkg = await client.call(
    createTeamPackage,
    {
      params: { team_id: teams[0]?.id ?? '' },
      body: { name: 'Für Sie: <b>Filme</b>', description: '', recipients: [] },
    },
    { credential: { userToken: token } },
  )
  const params = { package_id: pkg.id }
  const sender = createClient({ baseUrl: instance.url, credential: { packageToken: pkg.access_token ?? '' } })
  const entries = Object.entries(files).map(([name, bytes]) => ({
    kind: 'file' as const,
    name,
    path: 'Tag 1',
    last_modified: '2026-11-01T10:00:00Z',
    size: bytes.length,
  }))
  const added = await sender.call(addFiles, { params, body: { files: entries } })
  for (const { file, put_blueprint } of added.files) {
    assert.ok(put_blueprint)
    const { url, method, headers } = put_blueprint
    const stored = await fetch(url, { method, headers, body: new Uint8Array(files[file.name] ?? []) })
    assert.equal(stored.status, 200)
  }
  const claims = added.files.map(({ file }) => ({ file_id: file.id, size: file.size ?? 0 }))
  await sender.call(finalizeFiles, { params, body: { files: claims } })
  await sender.call(finalizePackage, { params })
  return (await sender.call(createLink, { params, body: { password } })).url
}

test('a recipient opens a link on a phone, gives its password and saves a file', { timeout: 60_000 }, async () => {
  const bytes = randomBytes(123_456)
  const name = 'Überfahrt – sehr langer Name ohne Ende_ohne_Leerzeichen_bis_zum_Rand 🎬.mov'
  const link = await sendWithPassword({ [name]: bytes, leer: Buffer.alloc(0) }, 'пароль')
  const { page, complaints, hosts } = await openPhone()

  await page.goto(link)
  await page.getByLabel('Password').waitFor()
  await picture(page, 'download-locked')
  await page.getByLabel('Password').focus()
  await page.keyboard.type('пароль')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Für Sie: <b>Filme</b>' }).waitFor()
  await page.getByRole('button', { name: `Download ${name}` }).waitFor()
  await picture(page, 'download-open')

  assert.equal(await overflows(page), false)
  assert.equal(new URL(page.url()).search, '', 'the secret stays in the address')
  const saved = join(instance.folder, 'saved')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: `Download ${name}` }).press('Enter'),
  ])
  assert.equal(download.suggestedFilename(), name)
  await download.saveAs(saved)
  assert.deepEqual(await readFile(saved), bytes)

  // A phone throws tabs away and loads them again.
  await page.reload()
  await page.getByText('This link has a password.').waitFor()
  await page.getByLabel('Password').fill('пароль')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: `Download ${name}` }).waitFor()
  // The browser itself notes that the first look, without the password, was answered 401.
  assert.deepEqual(
    complaints.filter((complaint) => !complaint.includes('401')),
    [],
  )
  assert.deepEqual(
    [...hosts].toSorted(),
    [instance.url, instance.stack.s3.public_endpoint].map((url) => new URL(url).host).toSorted(),
  )
  await page.close()
})

test('a changed email address is confirmed on the mailed page, by its button and not by opening it', {
  timeout: 60_000,
}, async () => {
  const client = createClient({ baseUrl: instance.url })
  const { token, user } = await client.call(signIn, { body: { email: owner.email, password: owner.password } })
  await client.call(
    changeEmail,
    { params: { user_id: user.id }, body: { email: newEmail, password: owner.password } },
    { credential: { userToken: token } },
  )
  const { page, complaints, hosts } = await openPhone()

  await page.goto(await mailedAddress(instance.stack.mail_url, newEmail))
  await page.getByRole('button').waitFor()
  await page.waitForLoadState('networkidle')
  // Mail scanners open every address they find: that alone must change nothing.
  await client.call(signIn, { body: { email: owner.email, password: owner.password } })
  await picture(page, 'confirm-email-asked')
  await page.keyboard.press('Enter')
  await page.getByText('Done.').waitFor()

  await picture(page, 'confirm-email')
  assert.equal(await overflows(page), false)
  assert.deepEqual(complaints, [])
  assert.deepEqual([...hosts], [new URL(instance.url).host])
  const again = await client.call(signIn, { body: { email: newEmail, password: owner.password } })
  assert.equal(again.user.id, user.id)
  await page.close()
})

test('the API reference renders and talks to nobody but the server', { timeout: 90_000 }, async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  const { complaints, hosts } = await watch(page)
  await page.goto(`${instance.url}/reference`)

  await page.getByRole('heading', { name: 'Longshore cloud API' }).first().waitFor()
  await page.getByText('Chunk limits of uploads').first().waitFor()
  await page.getByRole('button', { name: 'Open Group - Packages' }).click()
  await page.getByText('Create a package for a Team').first().waitFor()
  // Whatever it loads late shall have its chance.
  await page.mouse.wheel(0, 4000)
  await sleep(2_000)

  await picture(page, 'reference')
  for (const foreign of ['Ask AI', 'Generate MCP', 'Deploy', 'Share']) {
    assert.equal(await page.getByText(foreign, { exact: true }).count(), 0, foreign)
  }
  assert.deepEqual([...hosts], [new URL(instance.url).host])
  // Its script asks once whether it may use eval, and does without.
  assert.deepEqual(
    complaints.filter((complaint) => complaint !== 'policy: script-src eval'),
    [],
  )
  await page.close()
})
