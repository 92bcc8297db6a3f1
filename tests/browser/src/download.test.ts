import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@longshore/client/client'
import { packageCalls } from '@longshore/client/package-calls'
import { updateLink } from '@longshore/contract/cloud/links'
import { deletePackage } from '@longshore/contract/cloud/packages'
import { unpackByAll } from '@longshore/stack/unpackers'
import type { Page } from 'playwright-core'
import { type DownloadScene, openDownloadScene, type Sent } from '#download-scene'
import { blockStore, lookAt } from '#pictures'
import { digestOf } from '#portal-scene'

let scene: DownloadScene

before(async () => {
  scene = await openDownloadScene('browser-download', 22)
})

after(() => scene?.close())

// The bytes that every scanner takes for a virus, put together here so that none takes this file for one.
const eicar = Buffer.from(
  ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD', '-ANTIVIRUS-TEST-FILE', '!$H+H*'].join(''),
)

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

test('a recipient finds a file in the tree, and saves one, some and all', { timeout: 120_000 }, async () => {
  const files: Record<string, Buffer> = {
    'read me.txt': randomBytes(5),
    'Überfahrt/Größe 🎬.mov': randomBytes(300_000),
  }
  for (let n = 0; n < 80; n++) files[`stills/day ${n % 4}/still ${n}.jpg`] = randomBytes(100 + n)
  const { url } = await scene.send(files, {
    name: 'Shooting day 12',
    description: 'All of it.\nCall me if something is missing.',
  })
  const { page, complaints, hosts } = await scene.open(url)

  await page.getByText('Call me if something is missing.').waitFor()
  await page.getByText('82 files').first().waitFor()
  await lookAt(page, 'download-open')
  await page.getByRole('button', { name: 'stills' }).press('Enter')
  await page.getByRole('button', { name: 'day 3' }).click()
  await page.getByText('still 3.jpg', { exact: true }).waitFor()
  await page.getByLabel('Search by name').fill('größe')
  await page.getByText('Überfahrt', { exact: true }).waitFor()
  const [one] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download Größe 🎬.mov' }).press('Enter'),
  ])
  const saved = join(scene.instance.folder, 'saved')
  await one.saveAs(saved)
  assert.equal(await digestOf(saved), sha256(files['Überfahrt/Größe 🎬.mov'] ?? Buffer.alloc(0)))
  const [zip] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download all as a zip' }).click(),
  ])
  assert.match(zip.suggestedFilename(), /\.zip$/)
  await zip.saveAs(saved)
  const wanted = new Map(Object.entries(files).map(([place, bytes]) => [place, sha256(bytes)]))
  for await (const { by, entries } of unpackByAll(saved, join(scene.instance.folder, 'unpacked'))) {
    assert.deepEqual(new Map([...entries].filter(([place]) => !place.endsWith('/'))), wanted, by)
  }
  await page.getByLabel('Search by name').fill('nothing like it')
  await page.getByText('No file has this in its name.').waitFor()
  assert.deepEqual(complaints, [])
  assert.deepEqual(
    [...hosts].toSorted(),
    [scene.instance.url, scene.instance.stack.s3.public_endpoint].map((address) => new URL(address).host).toSorted(),
  )
  await page.close()
})

test('files go straight into a folder, compared with the waybill, and what is there already is not fetched again', {
  timeout: 150_000,
}, async () => {
  const files = { 'a/b.bin': randomBytes(700_000), 'a/empty': Buffer.alloc(0), 'c.bin': randomBytes(100) }
  const sent = await scene.send(files)
  await untilInspected(sent)
  const page = await scene.context.newPage()
  await pickOwnFolder(page)
  const inFolder = () =>
    page.evaluate(async () => {
      const found: Record<string, string> = {}
      const walk = async (folder: FileSystemDirectoryHandle, path: string) => {
        for await (const [name, handle] of folder.entries()) {
          if (handle.kind === 'directory') await walk(handle, `${path}${name}/`)
          else {
            const bytes = await (await handle.getFile()).arrayBuffer()
            const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
            found[path + name] = [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')
          }
        }
      }
      await walk(await (await navigator.storage.getDirectory()).getDirectoryHandle('saved'), '')
      return found
    })
  const wanted = Object.fromEntries(Object.entries(files).map(([place, bytes]) => [place, sha256(bytes)]))
  let fetched = 0
  page.on('request', (request) => {
    if (request.url().startsWith(scene.instance.stack.s3.public_endpoint)) fetched++
  })

  // Whoever is quicker than the list does not save nothing.
  await page.route('**/v1/packages/*/files', async (route) => {
    await sleep(1_000)
    await route.continue()
  })
  await page.goto(sent.url)
  await page.getByRole('button', { name: 'Save into a folder…' }).click()
  await page.getByText('3 files were saved and compared').waitFor()
  assert.deepEqual(await inFolder(), wanted)
  const first = fetched
  await page.reload()
  await page.getByRole('button', { name: 'Save into a folder…' }).click()
  await page.getByText('3 files were saved and compared').waitFor()
  assert.deepEqual(await inFolder(), wanted)
  assert.equal(fetched, first)
  await page.close()
})

test('a recipient whose network blocks the storage is told so, and saving goes on by itself', {
  timeout: 150_000,
}, async () => {
  const { url } = await scene.send({ 'late.bin': randomBytes(700_000) })
  const page = await scene.context.newPage()
  await pickOwnFolder(page)
  const store = scene.instance.stack.s3.public_endpoint
  const unblock = await blockStore(page, store)
  await page.goto(url)
  await page.getByRole('button', { name: 'Save into a folder…' }).click()
  await page.getByText(`The storage at ${new URL(store).host} cannot be reached`).waitFor({ timeout: 60_000 })
  await lookAt(page, 'download-store-away')
  await unblock()
  await page.getByText('1 file was saved and compared').waitFor({ timeout: 45_000 })
  await page.close()
})

test('on a small phone names of deep folders can be read, and words stay in their buttons, in German too', {
  timeout: 60_000,
}, async () => {
  const german = await scene.browser.newContext({ locale: 'de-DE', viewport: { width: 360, height: 740 } })
  const page = await german.newPage()
  await pickOwnFolder(page)
  const folders = Array.from({ length: 16 }, (_, depth) => `Ebene ${depth}`).join('/')
  await page.goto((await scene.send({ [`${folders}/a.txt`]: Buffer.from('a') })).url)
  const name = page.getByText('Ebene 15')
  await name.waitFor()
  assert.ok(((await name.boundingBox())?.width ?? 0) > 40)
  const button = page.getByRole('button', { name: 'In einen Ordner speichern…' })
  assert.ok(await button.evaluate((one) => one.scrollWidth <= one.clientWidth))
  await german.close()
})

test('a link that is closed or used up while a German recipient looks at it says so, in German', {
  timeout: 90_000,
}, async () => {
  const german = await scene.browser.newContext({ locale: 'de-DE' })
  const client = createClient({ baseUrl: scene.instance.url })
  const page = await german.newPage()
  await pickOwnFolder(page)
  const file = { 'a.txt': Buffer.from('a') }

  const usedUp = await scene.send(file, { link: { access_limit: 1 } })
  // Somebody else comes between the waybill and the addresses of the files.
  await page.route('**/files/download', async (route) => {
    const other = await scene.open(usedUp.url)
    await Promise.all([
      other.page.waitForEvent('download'),
      other.page.getByRole('button', { name: 'Download a.txt' }).click(),
    ])
    await other.page.close()
    await route.continue()
  })
  await page.goto(usedUp.url)
  await page.getByRole('button', { name: 'In einen Ordner speichern…' }).click()
  await page.getByText('Dieser Link hat seine Zahl von Downloads erreicht.').waitFor()
  await lookAt(page, 'download-used-up-meanwhile')

  const closed = await scene.send(file)
  await page.goto(closed.url)
  await page.getByRole('button', { name: 'In einen Ordner speichern…' }).waitFor()
  await client.call(
    updateLink,
    { params: { package_id: closed.id, link_id: closed.linkId }, body: { active: false } },
    { credential: { packageToken: closed.token } },
  )
  await page.getByRole('button', { name: 'a.txt laden' }).click()
  await page.getByText('Der Absender hat diesen Link geschlossen oder geändert.').waitFor()
  await page.getByRole('button', { name: 'In einen Ordner speichern…' }).click()
  await page.getByText('Der Absender hat diesen Link geschlossen oder geändert.').waitFor()
  await lookAt(page, 'download-closed-meanwhile')
  await german.close()
})

/** A folder that the browser keeps itself stands in for one that a person picks in a dialog of the system. */
const pickOwnFolder = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const pick = async () => (await navigator.storage.getDirectory()).getDirectoryHandle('saved', { create: true })
    Object.assign(window, { showDirectoryPicker: pick })
  })

async function untilInspected({ id, token }: Sent): Promise<void> {
  const client = createClient({ baseUrl: scene.instance.url })
  const calls = packageCalls(client, id, token)
  const deadline = Date.now() + 75_000
  while (Date.now() < deadline) {
    const listed = await calls.listFiles(new AbortController().signal)
    if (listed.every(({ scan, kind }) => kind !== 'file' || (scan !== 'pending' && scan !== undefined))) return
    await sleep(300)
  }
  throw new Error('The files were not inspected in time.')
}

test('a file with a virus is kept back, and the others are not', { timeout: 90_000 }, async () => {
  const sent = await scene.send({ 'invoice.exe': eicar, 'letter.txt': Buffer.from('hello') })
  await untilInspected(sent)
  const { page } = await scene.open(sent.url)

  await page.getByText('A virus was found in one file.').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Download invoice.exe' }).isDisabled(), true)
  assert.equal(await page.getByLabel('Select invoice.exe').isDisabled(), true)
  await lookAt(page, 'download-virus')
  const [letter] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download letter.txt' }).click(),
  ])
  assert.equal(letter.suggestedFilename(), 'letter.txt')
  await page.close()
})

test('a recipient of a link for one may reload the page and fetch the rest, and the waybill', {
  timeout: 60_000,
}, async () => {
  const { url } = await scene.send(
    { 'a.txt': Buffer.from('a'), 'b.txt': Buffer.from('b') },
    { link: { access_limit: 1 } },
  )
  const { page } = await scene.open(url)
  const fetch = (name: string) =>
    Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: `Download ${name}` }).click()])
  await fetch('a.txt')
  await page.reload()
  const [rest] = await fetch('b.txt')
  assert.equal(rest.suggestedFilename(), 'b.txt')
  const [waybill] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Get the waybill' }).click(),
  ])
  assert.match(waybill.suggestedFilename(), /\.waybill\.json$/)
  await page.close()
})

test('a link that is expired, used up, switched off, too early or unknown says which, and what to do', {
  timeout: 120_000,
}, async () => {
  const file = { 'a.txt': Buffer.from('a') }
  const client = createClient({ baseUrl: scene.instance.url })
  const gone = await scene.send(file)
  await client.call(deletePackage, { params: { package_id: gone.id } }, { credential: { packageToken: gone.token } })
  const off = await scene.send(file)
  await client.call(
    updateLink,
    { params: { package_id: off.id, link_id: off.linkId }, body: { active: false } },
    { credential: { packageToken: off.token } },
  )
  const locked = await scene.send(file, { link: { access_limit: 1 } })
  const user = await scene.open(locked.url)
  await Promise.all([
    user.page.waitForEvent('download'),
    user.page.getByRole('button', { name: 'Download a.txt' }).click(),
  ])
  await user.page.close()
  const early = await scene.send(file, { finalize: false })

  for (const [name, url, sentence] of [
    ['deleted', gone.url, 'Ask the sender to send them again.'],
    ['off', off.url, 'The sender has closed it.'],
    ['locked', locked.url, 'It has been used as often as the sender allowed.'],
    ['early', early.url, 'Come back a little later.'],
    ['wrong-secret', `${early.url}x`, 'Check that the whole link was copied'],
    ['no-link', `${scene.instance.url}/d/nothing?secret=x`, 'Check that the whole link was copied'],
  ] as const) {
    const { page } = await scene.open(url)
    await page.getByText(sentence).waitFor({ timeout: 15_000 })
    await lookAt(page, `download-${name}`)
    await page.close()
  }
})

test('a password is asked for by the keyboard alone, and a wrong one can be corrected', {
  timeout: 60_000,
}, async () => {
  const { url } = await scene.send({ 'a.txt': Buffer.from('a') }, { link: { password: 'пароль' } })
  const { page } = await scene.open(url)

  await page.getByLabel('Password').waitFor()
  await page.keyboard.type('wrong')
  await page.keyboard.press('Enter')
  await page.getByText('This is not the password of the link.').waitFor()
  await lookAt(page, 'download-password-wrong')
  await page.getByLabel('Password').fill('пароль')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Rushes' }).waitFor()
  await page.close()
})
