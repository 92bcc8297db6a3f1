import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, request as forward, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AgentProcess, startAgent } from '@longshore/stack/longshore/agent-process'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from '#browser'
import { serveSite, type Site } from '#foreign-site'
import { theStack } from '#own-instance'

const rebound = 'rebound.example'
const reboundTo = '127.0.0.2'

let folder: string
let agent: AgentProcess
let browser: Browser
let stranger: Site

before(async () => {
  const { port_base } = await theStack()
  folder = await mkdtemp(join(tmpdir(), 'browser-agent-'))
  stranger = await serveSite('localhost', port_base + 21)
  agent = await startAgent({
    cloudUrl: 'http://127.0.0.1:9',
    dataDir: join(folder, 'data'),
    logFile: join(folder, 'agent.log'),
  })
  browser = await openBrowser([`--host-resolver-rules=MAP ${rebound} ${reboundTo}`])
})

after(async () => {
  await browser?.close()
  await Promise.all([stranger?.close(), agent?.stop()])
  await rm(folder, { recursive: true, force: true })
})

/** What of the agent a page could have changed, read as its owner does. */
async function state(): Promise<string> {
  const paths = ['uploads', 'downloads', 'settings/fifo_mode', 'settings/worker_config', 'settings/upload_rate_limit']
  const parts = await Promise.all(
    paths.map(async (path) => {
      const { active_now: _, ...kept } = (await (await fetch(`${agent.url}/api/v1/${path}`)).json()) as object & {
        active_now?: boolean
      }
      return kept
    }),
  )
  return JSON.stringify(parts)
}

/** The status of each request that the agent has logged, behind a place in its log. */
async function answers(behind: number) {
  // The log is written a moment after the answer.
  await sleep(300)
  const lines = (await readFile(agent.logFile, 'utf8')).slice(behind).split('\n')
  return lines
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line) as { method: string; route: string; status: number })
}

/** Everything that a page can try, from inside of it. Answers what it was able to read. */
async function tryEverything(api: string): Promise<string[]> {
  const readings: string[] = []
  const attempt = async (what: string, act: () => Promise<unknown>) => {
    try {
      const got = await act()
      if (typeof got === 'string' && got !== '' && !got.includes('foreign_caller')) readings.push(`${what}: ${got}`)
    } catch {
      // Refused, as it should be.
    }
  }
  const json = { 'content-type': 'application/json' }
  const body = JSON.stringify({ upload: 1, download: 1 })
  const upload = JSON.stringify({ team_id: '01a1dd1f-e0ee-7215-b682-71d76fdfb384', paths: ['/etc/hostname'] })
  await attempt('read', async () => (await fetch(`${api}/uploads`)).text())
  await attempt('read without cors', async () => (await fetch(`${api}/uploads`, { mode: 'no-cors' })).text())
  await attempt('set', async () =>
    (await fetch(`${api}/settings/worker_config`, { method: 'POST', headers: json, body })).text(),
  )
  await attempt('set as text', async () => {
    const init = { method: 'POST', mode: 'no-cors' as const, headers: { 'content-type': 'text/plain' }, body }
    return (await fetch(`${api}/settings/worker_config`, init)).text()
  })
  await attempt('start', async () =>
    (await fetch(`${api}/uploads`, { method: 'POST', headers: json, body: upload })).text(),
  )
  await attempt('pause', async () => (await fetch(`${api}/uploads/pause`, { method: 'POST', mode: 'no-cors' })).text())
  await attempt('delete', async () => (await fetch(`${api}/uploads`, { method: 'DELETE' })).text())
  await attempt('beacon', async () => void navigator.sendBeacon(`${api}/uploads/pause`, body))
  await attempt('events', async () => {
    const events = new EventSource(`${api}/events`)
    const opened = await new Promise<boolean>((resolve) => {
      events.addEventListener('open', () => resolve(true))
      events.addEventListener('error', () => resolve(false))
    })
    events.close()
    return opened ? 'the stream opened' : ''
  })
  await attempt('image', async () => {
    const image = new Image()
    image.src = `${api}/uploads`
    await image.decode()
    return 'an image was drawn'
  })
  const form = document.createElement('form')
  form.method = 'POST'
  form.enctype = 'text/plain'
  form.action = `${api}/uploads/pause`
  form.target = 'frame'
  const frame = document.createElement('iframe')
  frame.name = 'frame'
  document.body.append(frame, form)
  form.submit()
  await new Promise((resolve) => setTimeout(resolve, 500))
  return readings
}

/** The length of a log once the lines of our own requests are in it: a reply leaves before its line is written. */
async function settledLength(file: string): Promise<number> {
  for (let before = -1; ; ) {
    const { length } = await readFile(file)
    if (length === before) return length
    before = length
    await sleep(200)
  }
}

async function expectPowerless(page: Page, api: string, atLeast: number): Promise<void> {
  const before = await state()
  const behind = await settledLength(agent.logFile)
  const readings = await page.evaluate(tryEverything, api)
  const answered = await answers(behind)
  assert.deepEqual(readings, [])
  assert.ok(answered.length >= atLeast, `only ${answered.length} requests reached the agent`)
  assert.deepEqual(
    answered.filter(({ status }) => status !== 403),
    [],
  )
  assert.equal(await state(), before)
}

test('cases 199 to 202 and 205: a page on another origin can neither read, start, pause nor change anything', async () => {
  const page = await browser.newPage()
  await page.goto(stranger.origin)
  await expectPowerless(page, `${agent.url}/api/v1`, 8)
  await expectPowerless(page, `${agent.url.replace('127.0.0.1', 'localhost')}/api/v1`, 8)
  await page.close()
})

/**
 * A name that leads to its author for the page, and to the agent for everything after it: what a browser sees of a name
 * whose address was changed. Requests are passed on as they are, with their Host.
 */
async function serveRebound(port: number): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url === '/') {
      response.setHeader('content-type', 'text/html; charset=utf-8').end('<!doctype html><p>Hello.')
      return
    }
    const { url: path, method, headers } = request
    const onward = forward({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  await once(server.listen(port, reboundTo), 'listening')
  return server
}

test('case 203: neither can a page whose own name was made to point to this machine', async (t) => {
  const port = Number(new URL(agent.url).port)
  const server = await serveRebound(port)
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://${rebound}:${port}`
  const page = await browser.newPage()
  await page.goto(`${origin}/`)
  await expectPowerless(page, `${origin}/api/v1`, 8)
  await page.close()
})

test('its owner may look at it in a browser, by typing the address', async () => {
  const page = await browser.newPage()
  const reply = await page.goto(`${agent.url}/api/v1/system/status`)
  assert.equal(reply?.status(), 200)
  await page.close()
})
