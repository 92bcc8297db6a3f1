import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { mkdir, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { createClient } from '@longshore/client/client'
import { createForm } from '@longshore/contract/cloud/forms'
import { listTeamPackages } from '@longshore/contract/cloud/packages'
import { updatePortal } from '@longshore/contract/cloud/portals'
import { makeFirstTeam } from '@longshore/stack/longshore/first-team'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, watch } from '#browser'
import { startOwnInstance, theStack } from '#own-instance'
import {
  arrivedFiles,
  chooseFiles,
  chooseFolder,
  type FormFields,
  makePortal,
  MiB,
  type Scene,
  untilSent,
  withoutPickers,
  writeFiles,
} from '#portal-scene'
import { blockStore, lookAt } from '#pictures'

let browser: Browser
let scene: Scene

before(async () => {
  const port = (await theStack()).port_base + 16
  // Browsers find every name below localhost on their own machine.
  const instance = await startOwnInstance('browser-portal', 16, {
    LONGSHORE_PORTAL_URL: `http://{subdomain}.portals.localhost:${port}`,
  })
  scene = { instance, team: await makeFirstTeam(instance.url, instance.env) }
  browser = await openBrowser()
})

after(async () => {
  await browser?.close()
  await scene?.instance.stop()
})

async function open(
  subdomain: string,
): Promise<{ page: Page; complaints: readonly string[]; hosts: ReadonlySet<string> }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await withoutPickers(page)
  const watched = await watch(page)
  await page.goto(`${scene.instance.url}/p/${subdomain}`)
  return { page, ...watched }
}

const form: FormFields = [
  { name: 'title', label: 'Title of the day', type: 'package_name', visibility: 'required' },
  { name: 'scene', label: 'Scene', type: 'short_text', visibility: 'required' },
  { name: 'remarks', label: 'Remarks', type: 'long_text', visibility: 'optional' },
  { name: 'takes', label: 'Takes', type: 'number', visibility: 'optional' },
  { name: 'day', label: 'Day of shooting', type: 'date', visibility: 'optional' },
  { name: 'site', label: 'Web site', type: 'url', visibility: 'optional' },
  { name: 'contact', label: 'Contact', type: 'email', visibility: 'optional' },
  { name: 'weather', label: 'Weather', type: 'dropdown', visibility: 'required', options: ['dry', 'wet'] },
  { name: 'unit', label: 'Unit', type: 'radio', visibility: 'optional', options: ['first', 'second'] },
  { name: 'cameras', label: 'Cameras', type: 'checkbox', visibility: 'optional', options: ['A', 'B', 'C'] },
  { name: 'insured', label: 'Insured', type: 'checkbox', visibility: 'optional' },
  { name: 'job', label: 'Job', type: 'short_text', visibility: 'readonly', default_value: 'HF-12' },
  { name: 'secret', label: 'Hidden', type: 'short_text', visibility: 'hidden', default_value: 'x' },
]

const terms = { title: 'Terms of delivery', text: 'Only what is yours.\n'.repeat(30) }

test('a Portal is filled in by the keyboard alone: code, files, form, terms, receipt', {
  timeout: 240_000,
}, async () => {
  const portal = await makePortal(
    scene,
    {
      subdomain: 'by-keyboard',
      has_access_code: true,
      access_code: 'größe',
      terms_of_service_enabled: true,
      terms_of_service: terms,
      primary_color: '#7a1fa2',
    },
    form,
  )
  const folder = join(scene.instance.folder, 'keyboard')
  await writeFiles(folder, { 'A001.mov': 3 * MiB, 'notes.txt': 10 })
  const { page, complaints } = await open(portal.subdomain)
  // Asked for early: a dialog that opens before the browser knows that we wait for it is lost.
  const chooser = page.waitForEvent('filechooser', { timeout: 240_000 })
  const type = async (text: string) => {
    await page.keyboard.type(text)
    await page.keyboard.press('Tab')
  }

  // The only field of the page has the focus.
  await page.getByLabel('Access code').waitFor()
  await lookAt(page, 'portal-code')
  await page.keyboard.type('wrong')
  await page.keyboard.press('Enter')
  await page.getByText('This is not the access code.').waitFor()
  await lookAt(page, 'portal-code-wrong')
  await page.getByLabel('Access code').fill('größe')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
  await lookAt(page, 'portal-empty')
  await page.getByRole('button', { name: 'Choose files' }).focus()
  await page.keyboard.press('Enter')
  await (await chooser).setFiles([join(folder, 'A001.mov'), join(folder, 'notes.txt')])
  await page.getByText('2 files').first().waitFor()

  await page.getByRole('button', { name: 'Send', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Agree to send something here.').waitFor()
  await lookAt(page, 'portal-faults')
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-invalid')), 'true')

  await page.getByLabel('Your email address').focus()
  await type('camera@example.test')
  await type('Day <b>12</b>')
  await type('12b')
  await type('In the rain.')
  await type('7')
  await page.getByLabel('Day of shooting').fill('2026-11-01')
  await page.getByLabel('Web site').focus()
  await type('https://example.com')
  await type('grip@example.test')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  await page.getByLabel('first', { exact: true }).focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await page.getByLabel('I agree to these terms.').focus()
  await page.keyboard.press('Space')
  await lookAt(page, 'portal-filled')
  assert.equal(await page.getByLabel('Hidden').count(), 0)
  assert.equal(await page.getByLabel('Job').isEditable(), false)
  await page.getByRole('button', { name: 'Send', exact: true }).focus()
  await page.keyboard.press('Enter')
  await untilSent(page)

  await lookAt(page, 'portal-receipt')
  await page.getByText('Day <b>12</b>').waitFor()
  assert.deepEqual(
    complaints.filter((complaint) => !complaint.includes('401')),
    [],
  )
  // The receipt is still there after a reload.
  await page.reload()
  await page.getByRole('heading', { name: 'Everything has arrived' }).waitFor()
  await page.close()
})

test('Send that is pressed before the files are listed need not be pressed again', { timeout: 60_000 }, async () => {
  const portal = await makePortal(scene)
  const { page } = await open(portal.subdomain)
  await page.getByLabel('Your email address').fill('camera@example.test')
  await page.locator('input[data-files]').evaluate((input: HTMLInputElement) => {
    const chosen = new DataTransfer()
    chosen.items.add(new File(['a take'], 'A001.mov'))
    input.files = chosen.files
    input.dispatchEvent(new Event('change', { bubbles: true }))
    input.form?.requestSubmit()
  })
  await untilSent(page)
  await page.close()
})

test('a sender whose network blocks the storage is told so and what to try, and it goes on by itself', {
  timeout: 150_000,
}, async () => {
  const portal = await makePortal(scene)
  const { page } = await open(portal.subdomain)
  const store = scene.instance.stack.s3.public_endpoint
  const unblock = await blockStore(page, store)
  await page.getByLabel('Your email address').fill('camera@example.test')
  const buffer = Buffer.alloc(20 * MiB, 1)
  await page.locator('input[data-files]').setInputFiles([
    { name: 'A001.mov', mimeType: 'video/quicktime', buffer },
    { name: 'A001.txt', mimeType: 'text/plain', buffer: Buffer.from('a take') },
  ])
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  const told = page.getByText(`The storage at ${new URL(store).host} cannot be reached from here`)
  await told.waitFor({ timeout: 60_000 })
  await page.getByText('tell whoever gave you this address').waitFor()
  await lookAt(page, 'portal-store-away')

  await unblock()
  await told.waitFor({ state: 'detached', timeout: 45_000 })
  await untilSent(page)
  await page.close()
})

test('a Portal that is changed while a German sender fills it in says so in German, and keeps what was typed', {
  timeout: 60_000,
}, async () => {
  const portal = await makePortal(scene)
  const page = await browser.newPage({ locale: 'de-DE' })
  await withoutPickers(page)
  await page.goto(portal.url)
  await page.getByLabel('Ihre E-Mail-Adresse').fill('kamera@example.test')
  await page
    .locator('input[data-files]')
    .setInputFiles([{ name: 'A001.mov', mimeType: 'video/quicktime', buffer: Buffer.from('a take') }])
  const client = createClient({ baseUrl: scene.instance.url, credential: { apiKey: scene.team.api_key } })
  const fields = [{ name: 'scene', label: 'Szene', type: 'short_text' as const, visibility: 'required' as const }]
  await client.call(createForm, {
    params: { portal_id: portal.id },
    body: { name: 'Camera report', delivery_formats: ['json'], fields },
  })
  await page.getByRole('button', { name: 'Senden' }).click()
  await page.getByText('Das Formular dieses Portals wurde gerade geändert.').waitFor()
  assert.equal(await page.getByLabel('Ihre E-Mail-Adresse').inputValue(), 'kamera@example.test')
  await page.getByLabel('Szene').fill('12')

  const turn = (active: boolean) =>
    client.call(updatePortal, {
      params: { portal_id: portal.id },
      body: { name: portal.name, subdomain: portal.subdomain, active },
    })
  await turn(false)
  await page.getByRole('button', { name: 'Senden' }).click()
  await page.getByText('Dieses Portal ist zurzeit geschlossen.').waitFor()
  await turn(true)
  await page.getByRole('button', { name: 'Senden' }).click()
  await page.getByRole('heading', { name: 'Alles ist angekommen' }).waitFor()
  await page.close()
})

test('an access code that is changed while somebody fills in the form is asked for there, and nothing is lost', {
  timeout: 60_000,
}, async () => {
  const portal = await makePortal(scene, { has_access_code: true, access_code: 'old' })
  const { page } = await open(portal.subdomain)
  await page.getByLabel('Access code').fill('old')
  await page.keyboard.press('Enter')
  await page.getByLabel('Your email address').fill('camera@example.test')
  await page.getByLabel('Message').fill('Reel 3 has no sound.')
  await page
    .locator('input[data-files]')
    .setInputFiles([{ name: 'A001.mov', mimeType: 'video/quicktime', buffer: Buffer.from('a take') }])
  const client = createClient({ baseUrl: scene.instance.url, credential: { apiKey: scene.team.api_key } })
  const { id, name, subdomain, recipients = [] } = portal
  await client.call(updatePortal, {
    params: { portal_id: id },
    body: { name, subdomain, recipients, active: true, has_access_code: true, access_code: 'new' },
  })
  const send = page.getByRole('button', { name: 'Send', exact: true })
  await send.click()
  await page.getByText('The access code of this Portal has just been changed.').waitFor()
  await lookAt(page, 'portal-code-changed')
  await page.getByLabel('Access code').fill('new')
  assert.equal(await page.getByLabel('Message').inputValue(), 'Reel 3 has no sound.')
  await send.click()
  await untilSent(page)
  await page.reload()
  await page.getByRole('heading', { name: 'Everything has arrived' }).waitFor()
  await page.close()
})

test('a file that cannot be read is listed, kept out, and keeps nothing else out', { timeout: 60_000 }, async () => {
  const portal = await makePortal(scene)
  const page = await browser.newPage()
  await page.addInitScript(() => {
    const pick = async () => {
      const folder = await navigator.storage.getDirectory()
      const handles = []
      for (const name of ['gone.mov', 'here.mov']) {
        const handle = await folder.getFileHandle(name, { create: true })
        const writable = await handle.createWritable()
        await writable.write(name)
        await writable.close()
        handles.push(handle)
      }
      await folder.removeEntry('gone.mov')
      return handles
    }
    Object.assign(window, { showOpenFilePicker: pick })
  })
  await page.goto(portal.url)
  await page.getByRole('button', { name: 'Choose files' }).click()
  await page.getByText('here.mov').waitFor()
  await page.getByText('gone.mov').waitFor()
  await page.getByLabel('Your email address').fill('camera@example.test')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('One file could not be sent.').waitFor()
  await page.getByRole('alert').getByText('The file is not there any more.').waitFor()
  await page.getByRole('button', { name: 'Send without it' }).click()
  await page.getByRole('alert').waitFor({ state: 'detached' })
  await untilSent(page)
  assert.deepEqual([...(await arrivedFiles(scene, portal)).keys()], ['here.mov'])
  await page.close()
})

test('a file that is changed on the disk while it is sent is kept out, and sent anew as it is then', {
  timeout: 60_000,
}, async () => {
  const portal = await makePortal(scene)
  const path = join(scene.instance.folder, 'changing', 'A001.mov')
  const places = { 'A001.mov': 9 * MiB }
  await writeFiles(dirname(path), places)
  const { page } = await open(portal.subdomain)
  const unblock = await blockStore(page, scene.instance.stack.s3.public_endpoint)
  const send = async () => {
    await chooseFiles(page, path)
    await page.getByLabel('Your email address').fill('camera@example.test')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
  }
  await send()
  await page.getByRole('progressbar').waitFor()
  const now = await writeFiles(dirname(path), places)
  // Written in the same millisecond it would look as before.
  await utimes(path, new Date(), new Date(Date.now() + 2_000))
  await unblock()
  await page.getByRole('alert').getByText('The file was changed after it was chosen.').waitFor({ timeout: 45_000 })
  await page.getByRole('button', { name: 'Start anew' }).click()
  await send()
  await untilSent(page)
  assert.deepEqual(await arrivedFiles(scene, portal), now)
  await page.close()
})

test('a Portal of endless words is as wide as the screen', { timeout: 60_000 }, async () => {
  const word = 'Wochenendschichten'.repeat(11)
  const portal = await makePortal(scene, {
    name: word,
    message: word,
    terms_of_service_enabled: true,
    terms_of_service: { title: word, text: word },
  })
  const { page } = await open(portal.subdomain)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await lookAt(page, 'portal-endless-words')
  await page.close()
})

test('what a Portal does not take is told before anything is sent', { timeout: 60_000 }, async () => {
  const portal = await makePortal(scene, {
    subdomain: 'choosy',
    package_size_restriction_enabled: true,
    max_package_size: 3 * MiB,
    max_file_size: 2 * MiB,
    max_file_count: 3,
    file_type_restriction_enabled: true,
    file_types: ['mov', 'wav'],
  })
  const folder = join(scene.instance.folder, 'choosy')
  await writeFiles(folder, { 'large.mov': 2 * MiB + 1, 'note.txt': 1, 'a.mov': MiB, 'b.MOV': MiB, 'c.wav': 2 * MiB })
  const { page } = await open(portal.subdomain)
  const choose = (...names: readonly string[]) =>
    chooseFiles(
      page,
      names.map((name) => join(folder, name)),
    )

  await page.getByText('Only .mov, .wav · Files up to 2.1 MB · Up to 3.1 MB in all · Up to 3 files').waitFor()
  await choose('large.mov', 'note.txt', 'a.mov')
  await page.getByText('Larger than 2.1 MB').waitFor()
  await page.getByText('Not one of .mov, .wav').waitFor()
  await page.getByLabel('Your email address').fill('camera@example.test')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('2 files cannot be sent to this Portal.').waitFor()
  await lookAt(page, 'portal-refused-files')
  await page.getByRole('button', { name: 'Leave them out' }).click()
  await page.getByText('1 file, 1 MB').first().waitFor()
  await choose('b.MOV', 'c.wav')
  await page.getByText('This Portal takes 3.1 MB at a time. That is 1 MB too much.').waitFor()
  await page.getByRole('button', { name: 'Remove c.wav' }).click()
  await page.getByText('2 files, 2.1 MB').first().waitFor()

  const client = createClient({ baseUrl: scene.instance.url, credential: { apiKey: scene.team.api_key } })
  const { metadata } = await client.call(listTeamPackages, {
    params: { team_id: scene.team.team_id },
    query: { name: 'choosy' },
  })
  assert.equal(metadata.total, 0)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await untilSent(page)
  await page.close()
})

test('a Portal that is closed, over or unknown says so', { timeout: 60_000 }, async () => {
  await makePortal(scene, { subdomain: 'closed', active: false })
  await makePortal(scene, { subdomain: 'over', expiry_enabled: true, expiry: '2026-01-01T00:00:00.000Z' })
  for (const [subdomain, sentence] of [
    ['closed', 'This Portal is closed at the moment.'],
    ['over', 'This Portal takes no more packages.'],
    ['nobody-knows-it', 'There is no such Portal.'],
  ] as const) {
    const { page } = await open(subdomain)
    await page.getByText(sentence).waitFor()
    await lookAt(page, `portal-${subdomain}`)
    await page.close()
  }
})

const markup = '<img src=x onerror="window.hit=1"><svg/onload="window.hit=1">{{7*7}}${7*7}'

test('158, 160, 169: markup in names, message, form and terms of a Portal is text', { timeout: 60_000 }, async () => {
  const portal = await makePortal(
    scene,
    {
      subdomain: 'markup',
      name: `Name ${markup}`,
      message: `Message ${markup} [x](javascript:window.hit=1)`,
      terms_of_service_enabled: true,
      terms_of_service: { title: `Terms ${markup}`, text: `<a href="javascript:window.hit=1">read</a> ${markup}` },
    },
    [
      { name: 'a', label: `Label ${markup}`, type: 'radio', visibility: 'optional', options: [`Choice ${markup}`] },
      {
        name: 'b',
        label: 'b',
        type: 'short_text',
        visibility: 'optional',
        default_value: `"><script>window.hit=1</script>`,
      },
    ],
  )
  const folder = join(scene.instance.folder, 'markup')
  await writeFiles(folder, { '<img src=x onerror=window.hit=1>.txt': 1, '"><svg onload=window.hit=1>.txt': 1 })
  const { page, complaints } = await open(portal.subdomain)

  for (const text of [`Name ${markup}`, `Label ${markup}`, `Choice ${markup}`, `Terms ${markup}`]) {
    await page.getByText(text).first().waitFor()
  }
  await page.getByText('[x](javascript:window.hit=1)').waitFor()
  await page.getByText('<a href="javascript:window.hit=1">read</a>').waitFor()
  await chooseFolder(page, folder)
  await page.getByText('<img src=x onerror=window.hit=1>.txt', { exact: true }).waitFor()
  await page.getByLabel('Your email address').fill('camera@example.test')
  await page.getByLabel('I agree').check()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await untilSent(page)

  assert.equal(await page.evaluate(() => 'hit' in window), false)
  assert.equal(await page.locator('main a[href^="javascript"], main img[src="x"], main script').count(), 0)
  assert.deepEqual(complaints, [])
  await page.close()
})

/** Lets go of a folder over the page, as a file manager does. */
async function drop(page: Page, path: string): Promise<void> {
  const cdp = await page.context().newCDPSession(page)
  const at = { x: 400, y: 300, data: { items: [], files: [path], dragOperationsMask: 1 } }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await cdp.send('Input.dispatchDragEvent', { ...at, type })
}

test('10,000 files are dropped without the page standing still, and the list scrolls', {
  timeout: 120_000,
}, async () => {
  const portal = await makePortal(scene, { subdomain: 'many' })
  const folder = join(scene.instance.folder, 'many')
  const count = 10_000
  for (let n = 0; n < 100; n++) await mkdir(join(folder, `d${n}`), { recursive: true })
  for (let n = 0; n < count; n++) writeFileSync(join(folder, `d${n % 100}`, `file ${n}.txt`), 'x')
  const { page } = await open(portal.subdomain)
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
  await page.evaluate(() => {
    const tasks: number[] = []
    Object.assign(window, { tasks })
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
    })
  })

  const longest: number[] = []
  for (let round = 0; round < 2; round++) {
    await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks.splice(0))
    await drop(page, folder)
    await page.getByText('10,000 files').first().waitFor({ timeout: 60_000 })
    const list = page.getByRole('group', { name: 'Files' })
    for (const part of [0.25, 0.5, 1]) {
      await list.evaluate((frame, part) => frame.scrollTo(0, frame.scrollHeight * part), part)
      await page.waitForTimeout(100)
    }
    assert.equal(await page.getByRole('listitem').last().getAttribute('aria-posinset'), String(count))
    assert.ok((await page.getByRole('listitem').count()) < 60)
    longest.push(Math.max(0, ...(await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks))))
    await page.getByRole('button', { name: 'Clear the list' }).click()
    await page.getByText('10,000 files').first().waitFor({ state: 'detached' })
  }
  console.log(`longest tasks while 10,000 files were dropped: ${longest.map(Math.round).join(', ')} ms (goal: 200)`)
  // Others may use the machine as well: the calmest round counts, and even that has room.
  assert.ok(Math.min(...longest) < 500, `${longest.join(', ')} ms`)
  await page.close()
})

test('a host of its own leads to its Portal, and any other to the console', { timeout: 60_000 }, async () => {
  const portal = await makePortal(scene, { subdomain: 'with-a-host' })
  const page = await browser.newPage()

  await page.goto(portal.url)
  await page.getByRole('heading', { name: 'Dailies for Harbour Films' }).waitFor()
  assert.match(page.url(), /^http:\/\/with-a-host\.portals\.localhost:\d+\/$/)
  const elsewhere = await fetch(scene.instance.url, { redirect: 'manual' })
  assert.equal(elsewhere.headers.get('location'), '/console')
  await page.close()
})
