import assert from 'node:assert/strict'
import { createClient } from '@longshore/client/client'
import { signIn } from '@longshore/contract/cloud/account'
import { type FirstTeam, makeFirstTeam } from '@longshore/stack/longshore/first-team'
import type { BrowserContext, Page } from 'playwright-core'
import { openBrowser, watch, type Watched } from '#browser'
import { type OwnInstance, startOwnInstance } from '#own-instance'

const desktop = { width: 1360, height: 860 }

export interface Opened extends Watched {
  readonly page: Page
  readonly context: BrowserContext
}

/** A server with a Team, and browsers that its console is opened in. */
export interface ConsoleHouse {
  readonly instance: OwnInstance
  readonly team: FirstTeam
  readonly subdomain: string
  /** The Owner's. */
  readonly token: string
  place(path: string): string
  /** A browser of somebody who is signed in, or of nobody yet. */
  open(signedInWith: string | undefined, path: string): Promise<Opened>
  close(): Promise<void>
}

export async function openConsoleHouse(name: string, portOffset: number): Promise<ConsoleHouse> {
  const instance = await startOwnInstance(name, portOffset)
  const team = await makeFirstTeam(instance.url, instance.env)
  const { token, teams } = await createClient({ baseUrl: instance.url }).call(signIn, { body: team.owner })
  const subdomain = teams[0]?.subdomain ?? ''
  const browser = await openBrowser()
  return {
    instance,
    team,
    subdomain,
    token,
    place: (path) => `${instance.url}/console/${subdomain}/${path}`,
    async open(signedInWith, path) {
      const context = await browser.newContext({ viewport: desktop, locale: 'en-GB', reducedMotion: 'reduce' })
      context.setDefaultTimeout(20_000)
      const page = await context.newPage()
      const watched = await watch(page)
      if (signedInWith !== undefined) {
        await page.goto(`${instance.url}/console/sign-in`)
        await page.evaluate((value) => sessionStorage.setItem('longshore.token', value), signedInWith)
      }
      await page.goto(path)
      return { page, context, ...watched }
    },
    async close() {
      await browser.close()
      await instance.stop()
    },
  }
}

/** Nothing that a Team typed has become more than text. */
export async function assertOnlyText(page: Page): Promise<void> {
  assert.doesNotMatch(await page.title(), /owned/)
  assert.equal(await page.locator('img[src="x"], svg[onload], script:not([src])').count(), 0)
}

/** Goes on by the Tab key until something has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let step = 0; step < 60; step += 1) {
    const here = await page.evaluate(() => {
      const focused = document.activeElement
      const labels = focused !== null && 'labels' in focused ? [...(focused.labels as NodeListOf<HTMLElement>)] : []
      return [focused?.getAttribute('aria-label') ?? '', ...labels, focused as HTMLElement | null].map((one) =>
        typeof one === 'string' ? one : (one?.innerText ?? ''),
      )
    })
    if (here.some((label) => label.trim() === name)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`The Tab key does not lead to ‘${name}’.`)
}
