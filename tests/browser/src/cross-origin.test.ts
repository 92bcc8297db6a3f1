import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { makeFirstTeam, type FirstTeam } from '@longshore/stack/longshore/first-team'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, watch } from '#browser'
import { serveSite, type Site } from '#foreign-site'
import { type OwnInstance, startOwnInstance, theStack } from '#own-instance'
import { type Errand, fetchByLink, sendChosenFiles } from '#page-errands'

const MiB = 1024 * 1024
const chunkSize = 5 * MiB

// Sizes around the edges of chunks, names in several scripts.
const large = { 'Überfahrt – Größe.mov': 2 * chunkSize + 12_345, 'Отчёт.bin': chunkSize, '🎬 réel 文件.dat': 1 }
const small = { 'grün.txt': 5, пусто: 0, '🎉.bin': 100_000 }
const empty = { 'leer.bin': 0 }

let browser: Browser
let instance: OwnInstance
let team: FirstTeam
let friend: Site
let stranger: Site

before(async () => {
  const { port_base } = await theStack()
  friend = await serveSite('localhost', port_base + 13)
  stranger = await serveSite('127.0.0.1', port_base + 14)
  instance = await startOwnInstance('browser-cross-origin', 12, { LONGSHORE_ALLOWED_ORIGINS: friend.origin })
  team = await makeFirstTeam(instance.url, instance.env)
  browser = await openBrowser()
})

after(async () => {
  await browser?.close()
  await Promise.all([friend?.close(), stranger?.close(), instance?.stop()])
})

/** Writes files of random bytes and lets the page's user choose them. Answers their names with their digests. */
async function choose(page: Page, files: Readonly<Record<string, number>>): Promise<Record<string, string>> {
  const folder = join(instance.folder, 'chosen')
  await mkdir(folder, { recursive: true })
  const digests: Record<string, string> = {}
  for (const [name, size] of Object.entries(files)) {
    const bytes = randomBytes(size)
    await writeFile(join(folder, name), bytes)
    digests[name] = hash('sha256', bytes)
  }
  await page.locator('#files').setInputFiles(Object.keys(files).map((name) => join(folder, name)))
  return digests
}

const digestsByName = (files: readonly { name: string; sha256: string }[]) =>
  Object.fromEntries(files.map(({ name, sha256 }) => [name, sha256]))

const errand = (how: Errand['how']): Errand => ({
  cloud: instance.url,
  apiKey: team.api_key,
  teamId: team.team_id,
  chunkSize,
  how,
})

for (const [what, how, files] of [
  ['in chunks', 'chunks', large],
  ['without a byte in it, in chunks', 'chunks', empty],
  ['in single requests by the batch calls', 'batch', small],
] as const) {
  test(`a page of a listed origin sends and fetches files ${what}`, { timeout: 120_000 }, async () => {
    const page = await browser.newPage()
    const watched = await watch(page)
    await page.goto(friend.origin)
    const digests = await choose(page, files)

    const sent = await page.evaluate(sendChosenFiles, errand(how))
    assert.deepEqual(digestsByName(sent.files), digests)
    const fetched = await page.evaluate(fetchByLink, { cloud: instance.url, link: sent.link })

    assert.deepEqual(digestsByName(fetched), digests)
    assert.deepEqual([...new Set(fetched.map(({ path }) => path))], ['Ordner/папка'])
    assert.deepEqual(watched.complaints, [])
    await page.close()
  })
}

test('a download that the browser saves has the name of the file', { timeout: 60_000 }, async () => {
  const page = await browser.newPage()
  await page.goto(friend.origin)
  const digests = await choose(page, { 'Überfahrt, Teil 2 🎬.mov': 1000 })
  const { packageId, link, files } = await page.evaluate(sendChosenFiles, errand('batch'))
  const opened = (await (await fetch(`${instance.url}/v1/links/${link.id}?secret=${link.secret}`)).json()) as {
    package_token: string
  }
  const { url } = (await (
    await fetch(`${instance.url}/v1/packages/${packageId}/files/${files[0]?.id}/download`, {
      headers: { 'x-package-token': opened.package_token },
    })
  ).json()) as { url: string }

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.evaluate((address) => {
      location.href = address
    }, url),
  ])

  assert.equal(download.suggestedFilename(), 'Überfahrt, Teil 2 🎬.mov')
  const saved = join(instance.folder, 'saved')
  await download.saveAs(saved)
  assert.equal(hash('sha256', await readFile(saved)), Object.values(digests)[0])
  await page.close()
})

test('a page of another origin may open a link, and nothing that needs a credential', { timeout: 60_000 }, async () => {
  const page = await browser.newPage()
  await page.goto(friend.origin)
  await choose(page, small)
  const sent = await page.evaluate(sendChosenFiles, errand('batch'))

  await page.goto(stranger.origin)
  const tried = await page.evaluate(
    async ({ cloud, apiKey, teamId, link }) => {
      const status = (path: string, init?: RequestInit) =>
        fetch(cloud + path, init).then(
          (reply) => String(reply.status),
          (error: Error) => error.name,
        )
      return {
        link: await status(`/v1/links/${link.id}?secret=${link.secret}`),
        linkWithPassword: await status(`/v1/links/${link.id}?secret=${link.secret}`, {
          headers: { 'x-link-password': 'x' },
        }),
        limits: await status('/v1/system/packages/spec'),
        create: await status(`/v1/teams/${teamId}/packages`, {
          method: 'POST',
          headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
          body: JSON.stringify({ name: 'n', description: '', recipients: [] }),
        }),
        account: await status('/v1/users/me', { headers: { 'x-api-key': apiKey } }),
      }
    },
    { ...errand('batch'), link: sent.link },
  )

  assert.deepEqual(tried, {
    link: '200',
    linkWithPassword: '200',
    limits: '200',
    create: 'TypeError',
    account: 'TypeError',
  })
  await page.close()
})
