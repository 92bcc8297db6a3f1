import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { destroy } from '@longshore/stack/stack'
import { unpackByAll } from '@longshore/stack/unpackers'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, watch, type Watched } from '#browser'
import { mailedAddress } from '#mailed-address'
import { theStack } from '#own-instance'
import { chooseFolder, digestOf, MiB, untilSent, withoutPickers, writeFiles } from '#portal-scene'

// The whole story is told with more than a gibibyte by: PORTAL_MEBIBYTES=1100
const largest = Number(process.env['PORTAL_MEBIBYTES'] ?? 48) * MiB
const recipient = 'editor@example.test'

interface Demo {
  readonly cloud_url: string
  readonly web_url: string
  readonly mail_url: string
  readonly storage_url: string
  readonly owner: { readonly email: string; readonly password: string }
}

let folder: string
let program: ChildProcess
let demo: Demo
let browser: Browser

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-whole-life-'))
  const portBase = (await theStack()).port_base + 200
  program = spawn('npm', ['run', 'demo', '--', '--data', join(folder, 'demo'), '--port-base', String(portBase)], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  demo = await printedLine(program)
  browser = await openBrowser()
})

after(async () => {
  await browser?.close()
  if (program?.exitCode === null) {
    program.kill('SIGTERM')
    await once(program, 'close')
  }
  await destroy({ data: join(folder, 'demo') })
  await rm(folder, { recursive: true })
})

/** The one line of JSON that the demo prints, below what npm says of it. */
async function printedLine({ stdout }: ChildProcess): Promise<Demo> {
  assert.ok(stdout)
  for await (const line of createInterface(stdout)) {
    if (line.startsWith('{')) return JSON.parse(line) as Demo
  }
  throw new Error('The demo ended without a word; see above.')
}

/** Somebody with a browser that knows nothing yet. */
async function somebody(address: string): Promise<Watched & { readonly page: Page }> {
  const page = await browser.newPage({ viewport: { width: 1360, height: 900 }, locale: 'en-GB' })
  await withoutPickers(page)
  const watched = await watch(page)
  await page.goto(address)
  return { page, ...watched }
}

/** A zip is there once all files are checked. Until then the page says so, and one asks again. */
async function saved(page: Page, button: string): Promise<string> {
  for (const until = Date.now() + 300_000; ; ) {
    const began = page.waitForEvent('download', { timeout: 10_000 }).catch(() => undefined)
    await page.getByRole('button', { name: button }).click()
    const download = await began
    if (download !== undefined) {
      const path = join(folder, download.suggestedFilename())
      await download.saveAs(path)
      return path
    }
    await page.getByText('still being checked').waitFor()
    assert.ok(Date.now() < until, `${button}: nothing came`)
  }
}

test('the whole life of a Portal package, in the demo: admin, sender of 500 files, recipient, admin', {
  timeout: 900_000,
}, async () => {
  // An admin makes a Portal and its form.
  const admin = await somebody(demo.web_url)
  await admin.page.getByLabel('Email').fill(demo.owner.email)
  await admin.page.getByLabel('Password').fill(demo.owner.password)
  await admin.page.keyboard.press('Enter')
  await admin.page.getByRole('link', { name: 'Portals' }).click()
  await admin.page.getByRole('link', { name: 'New Portal' }).first().click()
  await admin.page.getByLabel('Name', { exact: true }).fill('Harbour Films dailies')
  await admin.page.getByLabel('Message').fill('One folder a day, please.')
  await admin.page.getByLabel('Tell by mail').fill(recipient)
  await admin.page.getByRole('tab', { name: 'Form' }).click()
  await admin.page.getByText('Ask questions before the upload').click()
  await admin.page.getByRole('button', { name: 'Add question' }).click()
  await admin.page
    .getByRole('group', { name: /New question/ })
    .getByLabel('Question', { exact: true })
    .fill('Scene')
  await admin.page.getByRole('tab', { name: 'Access' }).click()
  await admin.page.getByText('Ask for an access code').click()
  await admin.page.getByLabel('Access code', { exact: true }).fill('harbour')
  await admin.page.getByRole('button', { name: 'Create Portal' }).click()
  await admin.page.getByText('“Harbour Films dailies” is saved.').waitFor()

  // Somebody sends a folder.
  const day = join(folder, 'Shooting day 12')
  const files: Record<string, number> = { 'A001.mov': largest, 'sound/größe 声.wav': 9 * MiB, 'empty.txt': 0 }
  for (let n = 3; n < 500; n++) files[`stills/${n % 10}/still ${n}.jpg`] = 100 + n
  const digests = await writeFiles(day, files)
  const sender = await somebody(`${demo.cloud_url}/p/harbour-films-dailies`)
  await sender.page.getByLabel('Access code').fill('harbour')
  await sender.page.keyboard.press('Enter')
  await sender.page.getByText('One folder a day, please.').waitFor()
  await chooseFolder(sender.page, day)
  await sender.page.getByLabel('Your email address').fill('camera@example.test')
  await sender.page.getByLabel('Scene').fill('12b')
  await sender.page.getByText('500 files').first().waitFor()
  await sender.page.getByRole('button', { name: 'Send', exact: true }).click()
  await untilSent(sender.page, 600_000)

  // The recipient opens what the mail says.
  const reader = await somebody(await mailedAddress(demo.mail_url, recipient))
  await reader.page.getByRole('heading', { name: 'Shooting day 12' }).waitFor()
  assert.equal(new URL(reader.page.url()).search, '', 'the secret stays in the address bar')
  await reader.page.getByLabel('Search by name').fill('A001')
  assert.equal(await digestOf(await saved(reader.page, 'Download A001.mov')), digests.get('A001.mov'))
  await reader.page.getByLabel('Search by name').fill('')
  const archive = await saved(reader.page, 'Download all as a zip')
  const { value: unpacked } = await unpackByAll(archive, join(folder, 'unpacked')).next()
  for (const [place, digest] of digests) {
    assert.equal(unpacked?.entries.get(`Shooting day 12/${place}`), digest, place)
  }

  // The admin sees what came, what was answered and who fetched it.
  await admin.page.getByRole('link', { name: 'Received' }).click()
  await admin.page.getByRole('link', { name: 'Shooting day 12' }).click()
  await admin.page.getByRole('tab', { name: 'Form' }).click()
  await admin.page.getByText('12b').waitFor()
  await admin.page.getByRole('tab', { name: 'Links' }).click()
  const link = admin.page.getByRole('row').filter({ hasText: recipient })
  await link.getByText('Active').waitFor()
  assert.equal(await link.getByText('Not yet').count(), 0, 'nobody has downloaded yet, says the console')

  for (const { complaints, hosts } of [admin, sender, reader]) {
    // The browser itself notes that a zip which is not ready is answered 409.
    assert.deepEqual(
      complaints.filter((complaint) => !/status of 409 .*\/download\)$/.test(complaint)),
      [],
    )
    const ours = [demo.cloud_url, demo.storage_url].map((address) => new URL(address).host)
    assert.deepEqual(
      [...hosts].filter((host) => !ours.includes(host)),
      [],
    )
  }
})
