import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFirstTeam } from '@longshore/stack/longshore/first-team'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openBrowser } from '#browser'
import { drawLine, type Line } from '#line'
import { startOwnInstance, theStack } from '#own-instance'
import {
  arrivedFiles,
  chooseFiles,
  chooseFolder,
  makePortal,
  MiB,
  type Scene,
  untilSent,
  withoutPickers,
  writeFiles,
} from '#portal-scene'

const size = Number(process.env['RESUME_MEBIBYTES'] ?? 80) * MiB
const cutMs = Number(process.env['RESUME_CUT_SECONDS'] ?? 5) * 1_000
// Bytes a second: so that there is a moment at 20 % and one at 90 %.
const slow = 20e6
const chunkSize = 8 * MiB
const mostLanes = 6

let browser: Browser
let scene: Scene
let line: Line

before(async () => {
  const stack = await theStack()
  line = await drawLine(stack.port_base + 19, stack.s3.public_endpoint)
  const instance = await startOwnInstance('browser-resume', 17, { LONGSHORE_S3_PUBLIC_ENDPOINT: line.url })
  scene = { instance, team: await makeFirstTeam(instance.url, instance.env) }
  browser = await openBrowser()
})

after(async () => {
  await browser?.close()
  await scene?.instance.stop()
  await line?.close()
})

/** How far the page says it is, from 0 to 100. */
const percentOf = async (page: Page) => Number(await page.getByRole('progressbar').getAttribute('aria-valuenow'))

async function untilPercent(page: Page, wanted: number): Promise<void> {
  const shown = await page
    .getByRole('progressbar')
    .waitFor({ timeout: 15_000 })
    .then(
      () => true,
      () => false,
    )
  if (!shown) assert.fail(`No progress is shown. The page says: ${await page.locator('body').innerText()}`)
  const deadline = Date.now() + 60_000
  for (;;) {
    const percent = await percentOf(page)
    if (percent >= wanted) return
    assert.ok(Date.now() < deadline, `${percent} % after a minute`)
    await sleep(50)
  }
}

/** Waits until nothing goes over the line any more: what was on its way in buffers still arrives. */
async function untilQuiet(): Promise<number> {
  for (let last = -1; ; await sleep(700)) {
    if (line.sent() === last) return last
    last = line.sent()
  }
}

/** Ends the page without a word, as a crash does. */
async function kill(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page)
  await Promise.race([cdp.send('Page.crash').catch(() => undefined), page.waitForEvent('crash')])
  await page.close()
}

/** A folder that the browser itself keeps: its handle is one like that of any folder, and outlives the page. */
async function keptFolder(context: BrowserContext, bytes: number): Promise<string> {
  const page = await context.newPage()
  await page.goto(`${scene.instance.url}/reference`)
  const digest = await page.evaluate(async (bytes) => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('Day 3', { create: true })
    const file = await folder.getFileHandle('A001.mov', { create: true })
    const content = new Uint8Array(bytes)
    for (let at = 0; at < bytes; at += 65_536)
      crypto.getRandomValues(content.subarray(at, Math.min(bytes, at + 65_536)))
    const writable = await file.createWritable()
    await writable.write(content)
    await writable.close()
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', content))
    return [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  }, bytes)
  await page.close()
  await context.addInitScript(() => {
    const pick = async () => (await navigator.storage.getDirectory()).getDirectoryHandle('Day 3')
    Object.assign(window, { showDirectoryPicker: pick })
  })
  return digest
}

// The last hundredth of a small file is over before anybody could kill the tab in it.
const last = size >= 512 * MiB ? 99 : 90

test(`a tab that dies at 20, 50 and ${last} % goes on by itself when it is opened again, and sends little twice`, {
  timeout: 180_000,
}, async () => {
  const portal = await makePortal(scene)
  const context = await browser.newContext()
  const digest = await keptFolder(context, size)
  line.limit(slow)
  const before = line.sent()

  let page = await context.newPage()
  await page.goto(portal.url)
  await page.getByRole('button', { name: 'Choose a folder' }).click()
  await page.getByText('A001.mov').waitFor()
  await page.getByLabel('Your email address').fill('camera@example.test')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  for (const percent of [20, 50, last]) {
    await untilPercent(page, percent)
    await kill(page)
    page = await context.newPage()
    await page.goto(portal.url)
  }
  line.limit(Number.POSITIVE_INFINITY)
  await untilSent(page)

  assert.deepEqual(await arrivedFiles(scene, portal), new Map([['Day 3/A001.mov', digest]]))
  // A kill costs the chunks that were under way, and nothing else.
  const twice = line.sent() - before - size
  assert.ok(twice < 3 * mostLanes * chunkSize + 2 * MiB, `${Math.round(twice / MiB)} MiB were sent twice`)
  await context.close()
})

async function openWithoutPickers(context: Pick<BrowserContext, 'newPage'>, url: string): Promise<Page> {
  const page = await context.newPage()
  await withoutPickers(page)
  await page.goto(url)
  return page
}

test('where the browser lends no handles, the same folder is chosen again and goes on where it was', {
  timeout: 120_000,
}, async () => {
  const portal = await makePortal(scene)
  const folder = join(scene.instance.folder, 'Day 4')
  const digests = await writeFiles(folder, { 'A001.mov': size, 'notes/a.txt': 10, 'notes/b.txt': 0 })
  const context = await browser.newContext()
  const open = () => openWithoutPickers(context, portal.url)
  line.limit(slow)
  const before = line.sent()

  const first = await open()
  await chooseFolder(first, folder)
  await first.getByLabel('Your email address').fill('camera@example.test')
  await first.getByRole('button', { name: 'Send', exact: true }).click()
  await untilPercent(first, 60)
  await kill(first)
  const page = await open()
  await page
    .getByRole('region', { name: 'You have not finished sending' })
    .getByRole('button', { name: 'Go on' })
    .click()
  await page.getByText('The browser has let go of').waitFor()
  await chooseFiles(page, join(folder, 'notes', 'a.txt'))
  await page.getByText('What you chose is something else').waitFor()
  await chooseFolder(page, folder)
  line.limit(Number.POSITIVE_INFINITY)
  await untilSent(page)

  const wanted = new Map([...digests].map(([place, digest]) => [`Day 4/${place}`, digest]))
  assert.deepEqual(await arrivedFiles(scene, portal), wanted)
  const twice = line.sent() - before - size
  assert.ok(twice < mostLanes * chunkSize + 2 * MiB, `${Math.round(twice / MiB)} MiB were sent twice`)
  await context.close()
})

test('who does not have the files any more starts anew, and is not asked about them again', {
  timeout: 60_000,
}, async () => {
  const portal = await makePortal(scene)
  const context = await browser.newContext()
  const open = () => openWithoutPickers(context, portal.url)
  const unfinished = (page: Page) => page.getByRole('region', { name: 'You have not finished sending' })
  const first = await open()
  line.cut()
  await first.getByLabel('Your email address').fill('camera@example.test')
  await first
    .locator('input[data-files]')
    .setInputFiles([{ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') }])
  await first.getByRole('button', { name: 'Send', exact: true }).click()
  await first.getByRole('progressbar').waitFor()
  await kill(first)
  line.mend()

  const page = await open()
  await unfinished(page).getByRole('button', { name: 'Go on' }).click()
  await page.getByRole('button', { name: 'Start anew' }).click()
  await page.getByLabel('Your email address').waitFor()
  assert.equal(await unfinished(page).count(), 0)
  await page.reload()
  await page.getByLabel('Your email address').waitFor()
  await sleep(1_000)
  assert.equal(await unfinished(page).count(), 0)
  await context.close()
})

test('a network that is away for a while costs no more than the time', { timeout: 120_000 }, async () => {
  const portal = await makePortal(scene)
  const folder = join(scene.instance.folder, 'Day 5')
  const digests = await writeFiles(folder, { 'A001.mov': size })
  const context = await browser.newContext()
  line.limit(slow)

  const page = await openWithoutPickers(context, portal.url)
  await chooseFolder(page, folder)
  await page.getByLabel('Your email address').fill('camera@example.test')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await untilPercent(page, 30)
  line.cut()
  await context.setOffline(true)
  await page.getByText('You are offline').waitFor()
  const during = await percentOf(page)
  await sleep(cutMs)
  line.mend()
  line.limit(Number.POSITIVE_INFINITY)
  await context.setOffline(false)
  const back = Date.now()
  await untilSent(page)

  assert.ok(during >= 30)
  // Without the news that the network is back, the next try would have been half a minute away.
  assert.ok(Date.now() - back < 15_000, `${Date.now() - back} ms`)
  assert.deepEqual(await arrivedFiles(scene, portal), new Map([['Day 5/A001.mov', digests.get('A001.mov')]]))
  await context.close()
})

test('a pause keeps what has arrived, and going on sends the rest', { timeout: 120_000 }, async () => {
  const portal = await makePortal(scene)
  const folder = join(scene.instance.folder, 'Day 6')
  const digests = await writeFiles(folder, { 'A001.mov': size })
  line.limit(slow)
  const before = line.sent()

  const page = await openWithoutPickers(browser, portal.url)
  await chooseFolder(page, folder)
  await page.getByLabel('Your email address').fill('camera@example.test')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await untilPercent(page, 40)
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused.').waitFor()
  const paused = await untilQuiet()
  assert.ok(paused - before < size, 'Everything was sent in spite of the pause.')
  line.limit(Number.POSITIVE_INFINITY)
  await page.getByRole('button', { name: 'Go on' }).click()
  await untilSent(page)

  assert.deepEqual(await arrivedFiles(scene, portal), new Map([['Day 6/A001.mov', digests.get('A001.mov')]]))
  await page.close()
})
