import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const dist = fileURLToPath(new URL('../../../apps/web/dist', import.meta.url))

const compressed = (asset: string) => statSync(join(dist, `${asset}.gz`)).size
const scriptsIn = (text: string) => [...text.matchAll(/assets\/[\w.-]+\.js/g)].map(([name]) => name)

test('the console is cut by route: its first load stays below 220 kB of compressed script', (t) => {
  const first = new Set(scriptsIn(readFileSync(join(dist, 'console.html'), 'utf8')))
  const bytes = [...first].reduce((total, asset) => total + compressed(asset), 0)
  t.diagnostic(`console: ${(bytes / 1_000).toFixed(1)} kB gzip at first, in ${first.size} files`)
  assert.ok(first.size > 0, 'the page has no script: this measures nothing')
  assert.ok(bytes < 220_000, `${bytes} bytes`)
  const pages = readdirSync(join(dist, 'assets')).filter((name) => /-page-[\w-]+\.js$/.test(name))
  assert.ok(pages.length >= 10, `only ${pages.length} pages are loaded when they are wanted`)
  assert.deepEqual(
    pages.filter((name) => first.has(`assets/${name}`)),
    [],
  )
})

test('each file that can be compressed lies beside its compressed forms', () => {
  const files = readdirSync(join(dist, 'assets')).filter((name) => /\.(?:js|css|svg)$/.test(name))
  assert.ok(files.length > 10)
  for (const name of files) {
    for (const form of ['gz', 'br']) assert.ok(statSync(join(dist, 'assets', `${name}.${form}`)).size > 0)
  }
})
