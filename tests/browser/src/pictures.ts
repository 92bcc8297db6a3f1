import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

const folder = process.env['LONGSHORE_PICTURES']

/** For people to look at, where LONGSHORE_PICTURES names a folder. */
export async function picture(page: Page, name: string): Promise<void> {
  if (folder === undefined) return
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

/** Stands between a page and the store like a firewall. Answers how to let it through again. */
export async function blockStore(page: Page, store: string): Promise<() => Promise<void>> {
  await page.route(`${store}/**`, (route) => route.abort())
  return () => page.unroute(`${store}/**`)
}

/** Runs inside the page. */
const isTooWide = () =>
  [document.documentElement, ...document.querySelectorAll('[role="dialog"]')].some(
    ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
  )

const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } } as const

/**
 * Looks at a page as it is, in light and dark, large and small: for axe, for its width and, where LONGSHORE_PICTURES
 * names a folder, for people to judge by pictures.
 */
export async function lookAt(page: Page, name: string): Promise<void> {
  const wrong: string[] = []
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    for (const [size, viewport] of Object.entries(sizes)) {
      await page.setViewportSize(viewport)
      await picture(page, `${name}-${scheme}-${size}`)
      if (await page.evaluate(isTooWide))
        wrong.push(`${name} on a ${size} is wider than the screen, or than its dialog`)
    }
    const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
    for (const { id, impact, nodes } of violations.filter(
      ({ impact }) => impact === 'serious' || impact === 'critical',
    )) {
      wrong.push(`${name} in ${scheme}: ${impact} ${id} at ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
    }
  }
  await page.setViewportSize(sizes.desktop)
  assert.deepEqual(wrong, [])
}
