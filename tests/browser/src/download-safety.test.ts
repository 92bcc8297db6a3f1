import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient } from '@longshore/client/client'
import { createPortal } from '@longshore/contract/cloud/portals'
import { type DownloadScene, openDownloadScene } from '#download-scene'

let scene: DownloadScene

before(async () => {
  scene = await openDownloadScene('browser-download-safety', 25)
})

after(() => scene?.close())

test('167: the secret is out of the address bar before anything is asked for, and no address has it afterwards', {
  timeout: 60_000,
}, async () => {
  const { url } = await scene.send({ 'a.txt': Buffer.from('a') })
  const page = await scene.context.newPage()
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
  const foreign = asked.filter(({ url }) => !url.startsWith(scene.instance.url))
  assert.deepEqual(foreign, [])
  await page.reload()
  await page.getByRole('heading', { name: 'Rushes' }).waitFor()
  await page.close()
})

const markup = '<img src=x onerror="window.hit=1"><svg/onload="window.hit=1">{{7*7}}${7*7}'

test('158: markup in names, message and sender of a package is text', { timeout: 60_000 }, async () => {
  const { url } = await scene.send(
    {
      '<img src=x onerror=window.hit=1>.txt': Buffer.from('a'),
      '"><svg onload=window.hit=1>/javascript:alert(1)': Buffer.from('b'),
    },
    { name: `Name ${markup}`, description: `Message ${markup}\n<script>window.hit=1</script>` },
  )
  const { page, complaints } = await scene.open(url)

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
  const sent = await scene.send({ 'a.html': page_in_file, 'b.svg': page_in_file, 'c.xhtml': page_in_file })
  const { page } = await scene.open(sent.url)
  for (const name of ['a.html', 'b.svg', 'c.xhtml']) {
    const [reply] = await Promise.all([
      page.waitForResponse((response) => response.url().startsWith(scene.instance.stack.s3.public_endpoint)),
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
  const { url } = await scene.send({ 'a.txt': Buffer.from('a') })
  for (const path of [new URL(url).pathname, '/p/any', '/console']) {
    const { headers } = await fetch(scene.instance.url + path)
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'; script-src 'self';/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe|script-src[^;]*(?:http|data|blob|\*)/)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.match(headers.get('strict-transport-security') ?? '', /max-age=\d{7}/)
  }
  const page = await scene.context.newPage()
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
  const client = createClient({ baseUrl: scene.instance.url, credential: { apiKey: scene.team.api_key } })
  const portal = await client.call(createPortal, {
    params: { team_id: scene.team.team_id },
    body: { name: 'Light', subdomain: 'light', active: true },
  })
  const { url } = await scene.send({ 'a.txt': Buffer.from('a') })
  for (const [name, address] of [
    ['Portal page', portal.url],
    ['download page', url],
  ] as const) {
    const page = await scene.context.newPage()
    const scripts = new Set<string>()
    page.on('response', (response) => {
      if (new URL(response.url()).pathname.endsWith('.js')) scripts.add(response.url())
    })
    const cdp = await scene.context.newCDPSession(page)
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
