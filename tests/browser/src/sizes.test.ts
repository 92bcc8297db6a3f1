import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const dist = fileURLToPath(new URL('../../../apps/web/dist', import.meta.url))
const limit = 120_000

const compressed = (asset: string) => statSync(join(dist, `${asset}.gz`)).size

/** Files of the build that a script names: what it imports at once, and what it may ask for later. */
const namedIn = (asset: string) => {
  const code = readFileSync(join(dist, asset), 'utf8')
  const names = [...code.matchAll(/["'`(](?:\.\/|\/?assets\/)([\w.-]+\.js)["'`)]/g)].map(([, name]) => `assets/${name}`)
  return names.filter((name) => statSync(join(dist, name), { throwIfNoEntry: false }) !== undefined)
}

/** Texts of another door or language. */
const isForeign = (asset: string, door: string) => /\/text-/.test(asset) && !new RegExp(`/text-en-(?:ui|${door})-`).test(asset)

/** Everything that a page can ever load, in one language: workers and late parts included. */
function reach(page: string): Set<string> {
  const html = readFileSync(join(dist, page), 'utf8')
  const found = new Set<string>()
  const waiting = [...html.matchAll(/(?:src|href)="\/(assets\/[\w.-]+\.js)"/g)].map(([, name = '']) => name)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next) || isForeign(next, page.replace('.html', ''))) continue
    found.add(next)
    waiting.push(...namedIn(next))
  }
  return found
}

const sum = (assets: Iterable<string>) => [...assets].reduce((total, asset) => total + compressed(asset), 0)

for (const page of ['portal.html', 'download.html']) {
  test(`${page} loads at most 120 kB of compressed script, with all that it may ask for later`, (t) => {
    const assets = reach(page)
    const bytes = sum(assets)
    t.diagnostic(`${page}: ${(bytes / 1_000).toFixed(1)} kB gzip in ${assets.size} files`)
    assert.ok(assets.size > 1, 'the page has no script: this measures nothing')
    assert.ok(bytes <= limit, `${bytes} bytes`)
  })
}

test('the console is cut by route: what it loads first is less than half of it', (t) => {
  const html = readFileSync(join(dist, 'console.html'), 'utf8')
  const first = [...html.matchAll(/(?:src|href)="\/(assets\/[\w.-]+\.js)"/g)].map(([, name = '']) => name)
  const all = reach('console.html')
  t.diagnostic(`console: ${(sum(first) / 1_000).toFixed(1)} of ${(sum(all) / 1_000).toFixed(1)} kB gzip at first`)
  assert.ok(sum(first) < 220_000, `${sum(first)} bytes at first`)
  assert.ok(all.size - first.length >= 12, `only ${all.size - first.length} parts are loaded later`)
})

test('each file that can be compressed lies beside its compressed forms', () => {
  const files = readdirSync(join(dist, 'assets')).filter((name) => /\.(?:js|css|svg)$/.test(name))
  assert.ok(files.length > 10)
  for (const name of files) for (const form of ['gz', 'br']) assert.ok(statSync(join(dist, 'assets', `${name}.${form}`)).size > 0)
})
