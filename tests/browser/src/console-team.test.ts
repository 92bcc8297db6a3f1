import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ConsoleHouse, openConsoleHouse } from '#console-house'
import { makeConsoleScene } from '#console-scene'
import { mailedAddress } from '#mailed-address'
import type { OwnInstance } from '#own-instance'
import { lookAt, picture } from '#pictures'

let house: ConsoleHouse
let instance: OwnInstance
let token: string

const place = (path: string) => house.place(path)
const open = (signedInWith: string | undefined, path: string) => house.open(signedInWith, path)

before(async () => {
  house = await openConsoleHouse('browser-console-team', 26)
  ;({ instance, token } = house)
  // What is made and deleted here stands beside others.
  await makeConsoleScene(instance.url, token, house.team.team_id)
})

after(() => house?.close())

test('a Portal with a form is made, seen while it is made, and kept', async () => {
  const { page, context, complaints } = await open(token, place('portals/new'))
  await page.getByLabel('Name', { exact: true }).fill('Rushes “north”')
  assert.equal(await page.getByLabel('Address').inputValue(), 'rushes-north')
  await page.getByLabel('Message').fill('<b>Send</b> everything.')
  const preview = page.getByRole('complementary', { name: 'Preview' })
  await preview.getByText('<b>Send</b> everything.').waitFor()
  await page.getByRole('tab', { name: 'Look' }).click()
  await page.getByRole('button', { name: '#5b3a8e' }).click()
  await page.getByRole('tab', { name: 'Form' }).click()
  await page.getByText('Ask questions before the upload').click()
  for (const [kind, label] of [
    ['Short text', 'Scene'],
    ['Dropdown', 'Weather'],
  ] as const) {
    await page.getByRole('button', { name: 'Add question' }).click()
    const field = page.getByRole('group', { name: /New question/ })
    await field.getByLabel('Kind').selectOption({ label: kind })
    if (kind === 'Dropdown') await field.getByLabel('Choices').fill('dry\nwet')
    await field.getByLabel('Question', { exact: true }).fill(label)
  }
  assert.equal(
    await page
      .getByRole('group', { name: /Weather/ })
      .getByLabel('Name in files')
      .inputValue(),
    'weather',
  )
  await page.getByRole('button', { name: 'Move Weather up' }).press('Enter')
  await preview.getByText('Weather').waitFor()
  await lookAt(page, 'portal-form')
  await page.getByRole('button', { name: 'Keep as template' }).click()
  await page.getByText('is kept as a template').waitFor()
  await page.getByRole('tab', { name: 'Access' }).click()
  await page.getByText('Ask for an access code').click()
  await page.getByLabel('Access code', { exact: true }).fill('harbour')
  await lookAt(page, 'portal-access')
  await page.setViewportSize({ width: 390, height: 844 })
  const limits = page.getByRole('tab', { name: 'Limits' })
  await limits.press('Enter')
  const { x = 0, width = 0 } = (await limits.boundingBox()) ?? {}
  assert.ok(x >= 0 && x + width <= 390, 'the chosen tab is not in sight on a phone')
  await page.getByText('Senders agree to terms').click()
  await lookAt(page, 'portal-limits')
  await page.getByRole('button', { name: 'Create Portal' }).click()
  await page.getByText('“Rushes “north”” is saved.').waitFor()
  await page.waitForURL(/portals\/[0-9a-f-]{36}$/)

  await page.reload()
  await page.getByRole('tab', { name: 'Form' }).click()
  await page.getByRole('group', { name: '1. Weather' }).waitFor()
  const scene = page.getByRole('group', { name: '2. Scene' })
  await scene.getByLabel('Question', { exact: true }).fill('Scene, as in the script')
  const kept = page.getByRole('group', { name: '2. Scene, as in the script' }).getByLabel('Name in files')
  assert.equal(await kept.inputValue(), 'scene', 'a question that is known by its name gets another')
  await page.getByRole('tab', { name: 'General' }).click()
  await page.getByLabel('Address').fill('www')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').waitFor()
  await picture(page, 'portal-refused')
  assert.deepEqual(
    complaints.filter((complaint) => !complaint.includes('422')),
    [],
  )
  await context.close()
})

test('a webhook is made, tried, looked at, sent again and given a new secret', async () => {
  const { page, context } = await open(token, place('webhooks'))
  await page.getByRole('button', { name: 'New webhook' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Address').fill(`${instance.url}/nowhere`)
  await dialog.getByLabel('Name').fill('Nowhere')
  await dialog.getByLabel('Headers').fill('X-Team: harbour')
  await lookAt(page, 'webhook-dialog')
  await dialog.getByRole('button', { name: 'Save' }).click()
  assert.match(await page.getByLabel('Signing secret').inputValue(), /^whsec_/)
  await lookAt(page, 'webhook-secret')
  await page.getByRole('button', { name: 'I have it' }).click()
  await page.getByRole('link', { name: 'Nowhere' }).click()
  await page.getByText('Nothing sent yet').waitFor()
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByRole('cell', { name: '404' }).first().waitFor()
  await page.getByRole('button', { name: 'Send again' }).click()
  await page.getByRole('cell', { name: 'webhook.test' }).nth(1).waitFor()
  await page.getByRole('button', { name: 'Actions for Nowhere' }).click()
  await page.getByRole('menuitem', { name: 'New secret' }).click()
  assert.match(await page.getByLabel('Signing secret').inputValue(), /^whsec_/)
  await page.getByRole('button', { name: 'I have it' }).click()
  await page.getByRole('button', { name: 'Actions for Nowhere' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('link', { name: 'Archive' }).waitFor()
  await page.getByRole('link', { name: 'Nowhere' }).waitFor({ state: 'detached' })
  await context.close()
})

test('a key is made and shown once, switched off and deleted', async () => {
  const { page, context } = await open(token, place('keys'))
  await page.getByRole('button', { name: 'New key' }).press('Enter')
  await page.getByRole('dialog').getByLabel('Name').fill('Ingest')
  await page.keyboard.press('Enter')
  const key = await page.getByRole('textbox', { name: 'API key' }).inputValue()
  assert.match(key, /^lsk_/)
  await page.keyboard.press('Escape')
  assert.equal(
    await page.getByRole('textbox', { name: 'API key' }).inputValue(),
    key,
    'a key that is shown once goes by Escape',
  )
  await page.getByRole('button', { name: 'I have it' }).press('Enter')
  const row = page.getByRole('row', { name: /Ingest/ })
  await row.getByRole('button').click()
  await page.getByRole('menuitem', { name: 'Switch off' }).click()
  await row.getByText('Off').waitFor()
  await row.getByRole('button').click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await lookAt(page, 'key-delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await row.waitFor({ state: 'detached' })
  await context.close()
})

test('somebody is invited, joins from the mail, is given a role and let go', async () => {
  const { page, context } = await open(token, place('members'))
  await page.getByRole('button', { name: 'Invite' }).click()
  const email = `ida-${Date.now()}@example.test`
  await page.getByRole('dialog').getByLabel('Email').fill(email)
  await lookAt(page, 'invite')
  await page.keyboard.press('Enter')
  await page.getByText(`The invitation to ${email} is on its way.`).waitFor()

  const guest = await open(undefined, await mailedAddress(instance.stack.mail_url, email))
  await guest.page.getByRole('heading', { name: 'Join a Team' }).waitFor()
  assert.equal(new URL(guest.page.url()).hash, '', 'the token stays in the address')
  await lookAt(guest.page, 'invitation')
  await guest.page.keyboard.type('Ida')
  await guest.page.keyboard.press('Tab')
  await guest.page.keyboard.type('a good long password')
  await guest.page.keyboard.press('Enter')
  await guest.page.getByRole('heading', { name: 'Sent packages' }).waitFor()
  assert.equal(await guest.page.getByRole('link', { name: 'API keys' }).count(), 0, 'offers what a member may not do')
  assert.equal(await guest.page.getByRole('link', { name: 'Storage' }).count(), 0, 'offers what a member may not do')

  await page.reload()
  await page.getByLabel('Role of Ida').selectOption('integration_manager')
  await page.getByText('Ida is now Integration manager.').waitFor()
  await page.getByRole('button', { name: 'Remove Ida' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByRole('row', { name: /Ida/ }).waitFor({ state: 'detached' })
  await guest.page.goto(place('tags'))
  await guest.page.getByText('There is no such Team, or you are not in it.').waitFor()
  await Promise.all([context.close(), guest.context.close()])
})

test('Teamspaces, tags and settings are changed', async () => {
  const { page, context } = await open(token, place('spaces'))
  await page.getByRole('button', { name: 'New Teamspace' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Trailers')
  await page.getByRole('dialog').getByRole('checkbox').first().check()
  await page.keyboard.press('Enter')
  await page.getByText('Trailers').waitFor()
  await page.goto(place('tags'))
  await page.getByLabel('Name of the tag').fill('Stills')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Stills' }).waitFor()
  await page.getByRole('button', { name: 'Delete Stills' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('link', { name: 'Stills' }).waitFor({ state: 'detached' })
  await page.goto(place('settings'))
  await page.getByLabel('Days a package is kept').fill('21')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await page.reload()
  assert.equal(await page.getByLabel('Days a package is kept').inputValue(), '21')
  await context.close()
})
