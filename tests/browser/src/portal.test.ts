import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { makeFirstTeam } from '@longshore/stack/longshore/first-team'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, watch } from '#browser'
import { startOwnInstance } from '#own-instance'
import {
  chooseFolder,
  digestOf,
  mailedAddress,
  makePortal,
  MiB,
  type Scene,
  untilSent,
  withoutPickers,
  writeFiles,
} from '#portal-scene'

let browser: Browser
let scene: Scene

before(async () => {
  const instance = await startOwnInstance('browser-portal', 16)
  scene = { instance, team: await makeFirstTeam(instance.url, instance.env) }
  browser = await openBrowser()
})

after(async () => {
  await browser?.close()
  await scene?.instance.stop()
})

async function newPage(): Promise<{ page: Page; complaints: readonly string[]; hosts: ReadonlySet<string> }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await withoutPickers(page)
  return { page, ...(await watch(page)) }
}

// The whole story is told with more than a gibibyte by: PORTAL_MEBIBYTES=1100
const largest = Number(process.env['PORTAL_MEBIBYTES'] ?? 48) * MiB

test('a folder of 500 files goes through a Portal and comes out of the mailed link, byte for byte', {
  timeout: 600_000,
}, async () => {
  const portal = await makePortal(scene)
  const folder = join(scene.instance.folder, 'Shooting day 12')
  const files: Record<string, number> = { 'A001.mov': largest, 'sound/größe 声.wav': 9 * MiB, 'empty.txt': 0 }
  for (let n = 3; n < 500; n++) files[`stills/${n % 10}/still ${n}.jpg`] = 100 + n
  const digests = await writeFiles(folder, files)
  const { page, complaints, hosts } = await newPage()

  await page.goto(portal.url)
  await page.getByRole('heading', { name: 'Dailies for Harbour Films' }).waitFor()
  await chooseFolder(page, folder)
  await page.getByLabel('Your email address').fill('camera@example.test')
  await page.getByText('500 files').first().waitFor()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await untilSent(page, 600_000)
  assert.deepEqual(complaints, [])

  await page.goto(await mailedAddress(scene, portal.recipients?.[0] ?? ''))
  await page.getByRole('heading', { name: 'Shooting day 12' }).waitFor()
  assert.equal(new URL(page.url()).search, '')
  await page.getByLabel('Search by name').fill('A001')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download A001.mov' }).click(),
  ])
  const saved = join(scene.instance.folder, 'saved')
  await download.saveAs(saved)
  assert.equal(await digestOf(saved), digests.get('A001.mov'))
  assert.deepEqual(complaints, [])
  assert.deepEqual(
    [...hosts].toSorted(),
    [scene.instance.url, scene.instance.stack.s3.public_endpoint].map((url) => new URL(url).host).toSorted(),
  )
  await page.close()
})
