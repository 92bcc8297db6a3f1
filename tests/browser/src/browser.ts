import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'

const executablePath = '/usr/bin/chromium'

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Debian's Chromium, the real thing. */
export async function openBrowser(more: readonly string[] = []): Promise<Browser> {
  if (!existsSync(executablePath)) {
    throw new Error('These tests need Chromium: apt-get install --yes --no-install-recommends chromium')
  }
  return chromium.launch({ executablePath, args: [...args, ...more] })
}

/** What a page complained about and whom it talked to. */
export interface Watched {
  readonly complaints: string[]
  readonly hosts: Set<string>
}

/** Collects console errors and warnings, uncaught errors, violations of the page's policy, and every host it calls. */
export async function watch(page: Page): Promise<Watched> {
  const watched: Watched = { complaints: [], hosts: new Set() }
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      watched.complaints.push(`${message.type()}: ${message.text()} (${message.location().url})`)
    }
  })
  page.on('pageerror', (error) => watched.complaints.push(`uncaught: ${error.message}`))
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url())
    if (protocol === 'http:' || protocol === 'https:' || protocol.startsWith('ws')) watched.hosts.add(host)
  })
  page.on('websocket', (socket) => watched.hosts.add(new URL(socket.url()).host))
  await page.exposeFunction('reportViolation', (what: string) => watched.complaints.push(`policy: ${what}`))
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const report = (globalThis as unknown as { reportViolation(what: string): void }).reportViolation
      report(`${event.violatedDirective} ${event.blockedURI}`)
    })
  })
  return watched
}
