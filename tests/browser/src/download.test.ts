import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@longshore/client/client'
import { packageCalls } from '@longshore/client/package-calls'
import { createLink, updateLink } from '@longshore/contract/cloud/links'
import { createTeamPackage, deletePackage } from '@longshore/contract/cloud/packages'
import { createPortal } from '@longshore/contract/cloud/portals'
import { makeFirstTeam, type FirstTeam } from '@longshore/stack/longshore/first-team'
import { unpackByAll } from '@longshore/stack/unpackers'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openBrowser, watch } from '#browser'
import { type OwnInstance, startOwnInstance } from '#own-instance'
import { blockStore, lookAt } from '#pictures'
import { digestOf } from '#portal-scene'

let browser: Browser
let context: BrowserContext
let instance: OwnInstance
let team: FirstTeam

before(async () => {
  instance = await startOwnInstance('browser-download', 22)
  team = await makeFirstTeam(instance.url, instance.env)
  browser = await openBrowser()
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
})

after(async () => {
  await browser?.close()
  await instance?.stop()
})

// The bytes that every scanner takes for a virus, put together here so that none takes this file for one.
const eicar = Buffer.from(
  ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD', '-ANTIVIRUS-TEST-FILE', '!$H+H*'].join(''),
)

interface Sent {
  readonly id: string
  readonly url: string
  readonly token: string
  readonly linkId: string
}

/** Sends files as a member of the Team and answers a link to them. */
async function send(
  files: Readonly<Record<string, Buffer>>,
  given: {
    readonly name?: string
    readonly description?: string
    readonly link?: { readonly password?: string; readonly access_limit?: number }
    readonly finalize?: boolean
  } = {},
): Promise<Sent> {
  const client = createClient({ baseUrl: instance.url, credential: { apiKey: team.api_key } })
  const pkg = await client.call(createTeamPackage, {
    params: { team_id: team.team_id },
    body: { name: given.name ?? 'Rushes', description: given.description ?? '', recipients: [] },
  })
  const token = pkg.access_token ?? ''
  const calls = packageCalls(client, pkg.id, token)
  const { signal } = new AbortController()
  const added = await calls.addFiles(
    Object.entries(files).map(([place, bytes]) => ({
      kind: 'file' as const,
      name: place.split('/').at(-1) ?? '',
      path: place.split('/').slice(0, -1).join('/'),
      last_modified: '2026-11-01T10:00:00Z',
      size: bytes.length,
    })),
    randomBytes(8).toString('hex'),
    signal,
  )
  for (const [index, bytes] of Object.values(files).entries()) {
    const put = added[index]?.put_blueprint
    assert.ok(put)
    const stored = await fetch(put.url, { method: put.method, headers: put.headers, body: new Uint8Array(bytes) })
    assert.equal(stored.status, 200)
  }
  await calls.finalizeFiles(
    added.map(({ file }) => ({ file_id: file.id, size: file.size ?? 0 })),
    signal,
  )
  if (given.finalize !== false) await calls.finalizePackage(signal)
  const link = await client.call(
    createLink,
    { params: { package_id: pkg.id }, body: given.link ?? {} },
    { credential: { packageToken: token } },
  )
  return { id: pkg.id, url: link.url, token, linkId: link.id }
}

async function open(url: string): Promise<{ page: Page; complaints: readonly string[]; hosts: ReadonlySet<string> }> {
  const page = await context.newPage()
  const watched = await watch(page)
  await page.goto(url)
  return { page, ...watched }
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

test('167: the secret is out of the address bar before anything is asked for, and no address has it afterwards', {
  timeout: 60_000,
}, async () => {
  const { url } = await send({ 'a.txt': Buffer.from('a') })
  const page = await context.newPage()
  const secret = new URL(url).searchParams.get('secret') ?? ''
  const asked: { readonly url: string; readonly referer: string | undefined; readonly bar: string }[] = []
  page.on('request', (request) => {
    asked.push({ url: request.url(), referer: request.headers()['referer'], bar: page.url() })
  })
  const page_reply = await page.goto(url)
  await page.getByRole('heading', { name: 'Rushes' }).waitFor()
  await page.waitForLoadState('networkidle')

  assert.equal(page_reply?.headers()['cache-control'], 'no-store')
  assert.equal(page_reply?.headers()['referrer-policy'], 'no-referrer')
  assert.equal(page.url().includes(secret), false)
  assert.equal(await page.evaluate(() => history.length), 2)
  for (const { url, referer } of asked) assert.equal(referer ?? '', '', url)
  const withSecret = asked.slice(1).filter(({ url }) => url.includes(secret))
  // The call that opens the link, to the server itself; nobody else.
  assert.deepEqual([...new Set(withSecret.map(({ url }) => new URL(url).pathname.split('/')[2]))], ['links'])
  const opened = asked.findIndex(({ url }) => url.includes('/v1/links/'))
  assert.equal(asked[opened]?.bar.includes(secret), false)
  const foreign = asked.filter(({ url }) => !url.startsWith(instance.url))
  assert.deepEqual(foreign, [])
  await page.reload()
  await page.getByRole('heading', { name: 'Rushes' }).waitFor()
  await page.close()
})

test('a recipient finds a file in the tree, and saves one, some and all', { timeout: 120_000 }, async () => {
  const files: Record<string, Buffer> = {
    'read me.txt': randomBytes(5),
    'Überfahrt/Größe 🎬.mov': randomBytes(300_000),
  }
  for (let n = 0; n < 80; n++) files[`stills/day ${n % 4}/still ${n}.jpg`] = randomBytes(100 + n)
  const { url } = await send(files, {
    name: 'Shooting day 12',
    description: 'All of it.\nCall me if something is missing.',
  })
  const { page, complaints, hosts } = await open(url)

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
  const saved = join(instance.folder, 'saved')
  await one.saveAs(saved)
  assert.equal(await digestOf(saved), sha256(files['Überfahrt/Größe 🎬.mov'] ?? Buffer.alloc(0)))
  const [zip] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download all as a zip' }).click(),
  ])
  assert.match(zip.suggestedFilename(), /\.zip$/)
  await zip.saveAs(saved)
  const wanted = new Map(Object.entries(files).map(([place, bytes]) => [place, sha256(bytes)]))
  for await (const { by, entries } of unpackByAll(saved, join(instance.folder, 'unpacked'))) {
    assert.deepEqual(new Map([...entries].filter(([place]) => !place.endsWith('/'))), wanted, by)
  }
  await page.getByLabel('Search by name').fill('nothing like it')
  await page.getByText('No file has this in its name.').waitFor()
  assert.deepEqual(complaints, [])
  assert.deepEqual(
    [...hosts].toSorted(),
    [instance.url, instance.stack.s3.public_endpoint].map((address) => new URL(address).host).toSorted(),
  )
  await page.close()
})

test('files go straight into a folder, compared with the waybill, and what is there already is not fetched again', {
  timeout: 150_000,
}, async () => {
  const files = { 'a/b.bin': randomBytes(700_000), 'a/empty': Buffer.alloc(0), 'c.bin': randomBytes(100) }
  const sent = await send(files)
  await untilInspected(sent)
  const page = await context.newPage()
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
    if (request.url().startsWith(instance.stack.s3.public_endpoint)) fetched++
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
  const { url } = await send({ 'late.bin': randomBytes(700_000) })
  const page = await context.newPage()
  await pickOwnFolder(page)
  const store = instance.stack.s3.public_endpoint
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
  const german = await browser.newContext({ locale: 'de-DE', viewport: { width: 360, height: 740 } })
  const page = await german.newPage()
  await pickOwnFolder(page)
  const folders = Array.from({ length: 16 }, (_, depth) => `Ebene ${depth}`).join('/')
  await page.goto((await send({ [`${folders}/a.txt`]: Buffer.from('a') })).url)
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
  const german = await browser.newContext({ locale: 'de-DE' })
  const client = createClient({ baseUrl: instance.url })
  const page = await german.newPage()
  await pickOwnFolder(page)
  const file = { 'a.txt': Buffer.from('a') }

  const usedUp = await send(file, { link: { access_limit: 1 } })
  // Somebody else comes between the waybill and the addresses of the files.
  await page.route('**/files/download', async (route) => {
    const other = await open(usedUp.url)
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

  const closed = await send(file)
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
  const client = createClient({ baseUrl: instance.url })
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
  const sent = await send({ 'invoice.exe': eicar, 'letter.txt': Buffer.from('hello') })
  await untilInspected(sent)
  const { page } = await open(sent.url)

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
  const { url } = await send({ 'a.txt': Buffer.from('a'), 'b.txt': Buffer.from('b') }, { link: { access_limit: 1 } })
  const { page } = await open(url)
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
  const client = createClient({ baseUrl: instance.url })
  const gone = await send(file)
  await client.call(deletePackage, { params: { package_id: gone.id } }, { credential: { packageToken: gone.token } })
  const off = await send(file)
  await client.call(
    updateLink,
    { params: { package_id: off.id, link_id: off.linkId }, body: { active: false } },
    { credential: { packageToken: off.token } },
  )
  const locked = await send(file, { link: { access_limit: 1 } })
  const user = await open(locked.url)
  await Promise.all([
    user.page.waitForEvent('download'),
    user.page.getByRole('button', { name: 'Download a.txt' }).click(),
  ])
  await user.page.close()
  const early = await send(file, { finalize: false })

  for (const [name, url, sentence] of [
    ['deleted', gone.url, 'Ask the sender to send them again.'],
    ['off', off.url, 'The sender has closed it.'],
    ['locked', locked.url, 'It has been used as often as the sender allowed.'],
    ['early', early.url, 'Come back a little later.'],
    ['wrong-secret', `${early.url}x`, 'Check that the whole link was copied'],
    ['no-link', `${instance.url}/d/nothing?secret=x`, 'Check that the whole link was copied'],
  ] as const) {
    const { page } = await open(url)
    await page.getByText(sentence).waitFor({ timeout: 15_000 })
    await lookAt(page, `download-${name}`)
    await page.close()
  }
})

test('a password is asked for by the keyboard alone, and a wrong one can be corrected', {
  timeout: 60_000,
}, async () => {
  const { url } = await send({ 'a.txt': Buffer.from('a') }, { link: { password: 'пароль' } })
  const { page } = await open(url)

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

const markup = '<img src=x onerror="window.hit=1"><svg/onload="window.hit=1">{{7*7}}${7*7}'

test('158: markup in names, message and sender of a package is text', { timeout: 60_000 }, async () => {
  const { url } = await send(
    {
      '<img src=x onerror=window.hit=1>.txt': Buffer.from('a'),
      '"><svg onload=window.hit=1>/javascript:alert(1)': Buffer.from('b'),
    },
    { name: `Name ${markup}`, description: `Message ${markup}\n<script>window.hit=1</script>` },
  )
  const { page, complaints } = await open(url)

  await page.getByRole('heading', { name: `Name ${markup}` }).waitFor()
  await page.getByText('<script>window.hit=1</script>').waitFor()
  await page.getByText('<img src=x onerror=window.hit=1>.txt', { exact: true }).waitFor()
  await page.getByText('javascript:alert(1)', { exact: true }).waitFor()
  assert.equal(await page.evaluate(() => 'hit' in window), false)
  assert.equal(await page.locator('main a, main img, main script').count(), 0)
  assert.deepEqual(complaints, [])
  await page.close()
})

test('161: whatever was uploaded comes from the storage, as an attachment', { timeout: 60_000 }, async () => {
  const page_in_file = Buffer.from('<script>alert(1)</script>')
  const sent = await send({ 'a.html': page_in_file, 'b.svg': page_in_file, 'c.xhtml': page_in_file })
  const { page } = await open(sent.url)
  for (const name of ['a.html', 'b.svg', 'c.xhtml']) {
    const [reply] = await Promise.all([
      page.waitForResponse((response) => response.url().startsWith(instance.stack.s3.public_endpoint)),
      page.waitForEvent('download'),
      page.getByRole('button', { name: `Download ${name}` }).click(),
    ])
    assert.match(reply.headers()['content-disposition'] ?? '', /^attachment/)
    assert.equal(reply.headers()['content-type'], 'application/octet-stream')
  }
  await page.getByRole('heading', { name: 'Rushes' }).waitFor()
  await page.close()
})

test('165, 166: every page has a strict policy and cannot be framed', { timeout: 60_000 }, async () => {
  const { url } = await send({ 'a.txt': Buffer.from('a') })
  for (const path of [new URL(url).pathname, '/p/any', '/console']) {
    const { headers } = await fetch(instance.url + path)
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'; script-src 'self';/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe|script-src[^;]*(?:http|data|blob|\*)/)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.match(headers.get('strict-transport-security') ?? '', /max-age=\d{7}/)
  }
  const page = await context.newPage()
  await page.route('http://framer.test/', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<iframe src="${url}"></iframe>` }),
  )
  await page.goto('http://framer.test/')
  await page.waitForTimeout(1_000)
  assert.equal(await page.frameLocator('iframe').getByRole('heading').count(), 0)
  await page.close()
})

test('Portal page and download page load at most 120 kB of compressed script each, their workers included', {
  timeout: 60_000,
}, async () => {
  const client = createClient({ baseUrl: instance.url, credential: { apiKey: team.api_key } })
  const portal = await client.call(createPortal, {
    params: { team_id: team.team_id },
    body: { name: 'Light', subdomain: 'light', active: true },
  })
  const { url } = await send({ 'a.txt': Buffer.from('a') })
  for (const [name, address] of [
    ['Portal page', portal.url],
    ['download page', url],
  ] as const) {
    const page = await context.newPage()
    const scripts = new Set<string>()
    page.on('response', (response) => {
      if (new URL(response.url()).pathname.endsWith('.js')) scripts.add(response.url())
    })
    const cdp = await context.newCDPSession(page)
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    await page.goto(address)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    const painted = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0)
    let bytes = 0
    for (const script of scripts) bytes += await gzipped(script)
    console.log(
      `${name}: ${bytes} bytes of script, first content after ${Math.round(painted)} ms with a CPU four times slower`,
    )
    assert.ok(scripts.size >= 3)
    assert.ok(bytes <= 120_000, `${name}: ${bytes} bytes`)
    await page.close()
  }
})

/** What a script weighs as gzip has it. */
async function gzipped(url: string): Promise<number> {
  const { headers } = await fetch(url, { headers: { 'accept-encoding': 'gzip' } })
  assert.equal(headers.get('content-encoding'), 'gzip', url)
  return Number(headers.get('content-length'))
}
