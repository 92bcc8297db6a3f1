import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@longshore/client/client'
import { changePassword, signIn } from '@longshore/contract/cloud/account'
import { deletePackage, listTeamPackages } from '@longshore/contract/cloud/packages'
import type { Page } from 'playwright-core'
import { type ConsoleHouse, openConsoleHouse } from '#console-house'
import { blockStore, lookAt } from '#pictures'
import { chooseFiles, writeFiles } from '#portal-scene'

const password = 'another good long password'

let house: ConsoleHouse
let token: string
let path: string

before(async () => {
  house = await openConsoleHouse('browser-sending', 24)
  token = house.token
  await writeFiles(house.instance.folder, { 'a.txt': 3 })
  path = join(house.instance.folder, 'a.txt')
})

after(() => house?.close())

/** Begins to send while the store cannot be reached, so that it is under way until it can. */
async function beginSending(page: Page, name: string): Promise<() => Promise<void>> {
  const unblock = await blockStore(page, house.instance.stack.s3.public_endpoint)
  await chooseFiles(page, path)
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  // From then on the browser has it kept, whatever becomes of the page.
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  return unblock
}

const unfinished = (page: Page) => page.getByRole('region', { name: 'You have not finished sending' })

async function untilSent(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Show the package' }).waitFor({ timeout: 45_000 })
}

async function packagesNamed(name: string) {
  const client = createClient({ baseUrl: house.instance.url, credential: { userToken: token } })
  const params = { team_id: house.team.team_id }
  return (await client.call(listTeamPackages, { params, query: { name, status: ['new', 'finalized'] } })).records
}

test('what a reload broke off is offered again, and goes on once its files are chosen', {
  timeout: 120_000,
}, async () => {
  const { page, context, complaints } = await house.open(token, house.place('send'))
  page.on('dialog', (dialog) => void dialog.accept())
  const unblock = await beginSending(page, 'Broken off')
  await page.reload()
  await unblock()
  await unfinished(page).getByText('“Broken off”: one file').waitFor()
  await lookAt(page, 'send-unfinished')
  await unfinished(page).getByRole('button', { name: 'Go on' }).click()
  await page.getByText('The browser has let go of one file.').waitFor()
  await lookAt(page, 'send-missing')
  await page
    .locator('input[data-files]')
    .setInputFiles([{ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('other') }])
  await page.getByText('What you chose is something else').waitFor()
  await chooseFiles(page, path)
  await untilSent(page)
  assert.deepEqual(
    complaints.filter((complaint) => !complaint.includes('ERR_FAILED')),
    [],
  )
  await context.close()
})

test('a package that is deleted while it is sent ends its upload, which says so', { timeout: 120_000 }, async () => {
  const { page, context } = await house.open(token, house.place('send'))
  const unblock = await beginSending(page, 'Deleted meanwhile')
  const [found] = await packagesNamed('Deleted meanwhile')
  assert.ok(found)
  const client = createClient({ baseUrl: house.instance.url })
  const credential = { packageToken: found.access_token ?? '' }
  await client.call(deletePackage, { params: { package_id: found.id } }, { credential })
  await unblock()
  await page.getByRole('alert').getByText('This package has expired.').waitFor({ timeout: 60_000 })
  await lookAt(page, 'send-ended')
  await page.getByRole('button', { name: 'Start anew' }).click()
  await page.getByLabel('Name', { exact: true }).waitFor()
  assert.equal(await unfinished(page).count(), 0)
  await context.close()
})

test('what the server has against a field is said at the field, in the language of the page', async () => {
  const { page, context } = await house.open(token, house.place('send'))
  await page.evaluate(() => localStorage.setItem('longshore.language', 'de'))
  await page.reload()
  await chooseFiles(page, path)
  await page.getByLabel('Name', { exact: true }).fill('Auf Deutsch')
  const recipients = page.getByLabel('Empfänger')
  await recipients.fill('mara@example.test\nkeine Adresse')
  const send = page.getByRole('button', { name: 'Senden', exact: true })
  await send.click()
  await page.getByRole('alert').getByText('Empfänger sind einfache E-Mail-Adressen').waitFor()
  const said = await recipients.evaluate((field: HTMLTextAreaElement) => field.validationMessage)
  assert.match(said, /^Empfänger sind einfache E-Mail-Adressen/)
  await lookAt(page, 'send-refused')
  await recipients.fill('mara@example.test')
  await send.click()
  await page.getByRole('link', { name: 'Paket zeigen' }).waitFor()
  await context.close()
})

test('who signs out while they send is asked first, and is offered to go on when they are back', {
  timeout: 120_000,
}, async () => {
  const { page, context } = await house.open(token, house.place('send'))
  await beginSending(page, 'Left behind')
  const signOut = async () => {
    await page.getByRole('button', { name: /owner@example\.test/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
  }
  page.once('dialog', (dialog) => void dialog.dismiss())
  await signOut()
  await page.getByRole('progressbar', { name: 'Sending' }).waitFor()
  page.once('dialog', (dialog) => void dialog.accept())
  await signOut()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.getByLabel('Email').fill(house.team.owner.email)
  await page.getByLabel('Password').fill(house.team.owner.password)
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Send files' }).click()
  await unfinished(page).getByText('“Left behind”: one file').waitFor()
  await unfinished(page).getByRole('button', { name: 'Discard' }).click()
  await unfinished(page).waitFor({ state: 'detached' })
  await context.close()
})

// Ends the session of the house: the last test.
test('who is signed out while they send signs in again and finds it going on, whole, in one package', {
  timeout: 120_000,
}, async () => {
  const { page, context } = await house.open(token, house.place('send'))
  const unblock = await beginSending(page, 'Signed out')
  const client = createClient({ baseUrl: house.instance.url })
  const { token: other, user } = await client.call(signIn, { body: house.team.owner })
  await client.call(
    changePassword,
    { params: { user_id: user.id }, body: { current_password: house.team.owner.password, password } },
    { credential: { userToken: other } },
  )
  token = other

  // The page finds out as soon as it asks for something: when it is looked at again, and what it knows is old.
  while (!(await page.getByRole('heading', { name: 'Sign in' }).isVisible())) {
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await sleep(500)
  }
  await page.getByLabel('Email').fill(house.team.owner.email)
  await page.getByLabel('Password').fill(password)
  await page.getByLabel('Stay signed in').check()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('progressbar', { name: 'Sending' }).waitFor()
  await unblock()
  await untilSent(page)
  const sent = await packagesNamed('Signed out')
  assert.deepEqual(
    sent.map(({ state, total_files: files }) => ({ state, files })),
    [{ state: 'finalized', files: 1 }],
  )

  // Another tab that still has the old token is signed out, and signs nobody else out.
  const old = await context.newPage()
  await old.goto(`${house.instance.url}/console/sign-in`)
  await old.evaluate((value) => sessionStorage.setItem('longshore.token', value), house.token)
  await old.goto(house.place('tags'))
  await old.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.goto(house.place('tags'))
  await page.getByRole('heading', { name: 'Tags' }).waitFor()
  await context.close()
})
