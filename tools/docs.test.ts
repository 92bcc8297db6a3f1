import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { agentEndpoints } from '@longshore/contract/agent/endpoints'
import { cloudEndpoints } from '@longshore/contract/cloud/endpoints'
import { type Credential, type Endpoint, refusalsOf } from '@longshore/contract/endpoint'
import { codeOf, type ErrorName, errors } from '@longshore/contract/errors'
import { servedNames as servedByAgent } from '../apps/agent/src/api/server.ts'
import { options as agentOptions } from '../apps/agent/src/config.ts'
import { errorsOfTransfers } from '../apps/agent/src/transfers/errors.ts'
import { servedNames } from '../apps/server/src/api/server.ts'
import { configSchema } from '../apps/server/src/start/config.ts'

const root = dirname(import.meta.dirname)
const skipped = new Set(['node_modules', '.git', '.stack', '.demo', '.node', 'coverage', 'dist'])

const pages = globSync('**/*.md', {
  cwd: root,
  exclude: (path) => skipped.has(path.split('/').at(-1) ?? ''),
}).sort((a, b) => (a < b ? -1 : 1))
const text = (page: string) => readFileSync(join(root, page), 'utf8')

// The API reference

const named = (names: readonly string[], endpoints: Readonly<Record<string, Endpoint>>): readonly Endpoint[] =>
  names.map((name) => {
    const endpoint = endpoints[name]
    if (endpoint === undefined) throw new Error(`The contract has no endpoint '${name}'.`)
    return endpoint
  })

const served = [...named(servedNames, cloudEndpoints), ...named(servedByAgent, agentEndpoints)]

const credentialWords: Readonly<Partial<Record<Credential, string>>> = {
  none: 'no credential',
  user: '`X-API-KEY` or `X-User-Token`',
  'user-token': '`X-User-Token`',
  'transfer-token': '`X-Transfer-Token`',
  link: "the link's secret",
  'access-code': '`X-Access-Code`',
  'user-or-access-code': '`X-API-KEY`, `X-User-Token` or `X-Access-Code`',
  agent: 'no session',
  'agent-session': 'a session',
}

const written = (path: string) => path.replaceAll(/:([a-z_]+)/g, '{$1}')

/** The line that stands over the description of every call. */
function lineOf(endpoint: Endpoint): string {
  const credential = credentialWords[endpoint.credential] ?? `\`X-Package-Token\` (${endpoint.levels?.join(', ')})`
  const once = endpoint.idempotent === true ? ' · `Idempotency-Key`' : ''
  return `\`${endpoint.method} ${written(endpoint.path)}\` · ${credential} · ${endpoint.status}${once}`
}

const reference = pages.filter((page) => page.startsWith('docs/api/'))
/** Every section of the reference under a second-level heading. */
const sections = reference.flatMap((page) => text(page).split(/^## /m).slice(1))

const sectionOf = (endpoint: Endpoint) => sections.filter((section) => section.split('\n').includes(lineOf(endpoint)))

const namesIn = (schema: unknown): readonly string[] =>
  Object.keys((schema as { properties?: Record<string, unknown> } | undefined)?.properties ?? {})

test('every call that is served is described once, with its credential and status', () => {
  const wrong = served.filter((endpoint) => sectionOf(endpoint).length !== 1).map(lineOf)
  assert.deepEqual(wrong, [], 'docs/api needs exactly one section with each of these lines')
})

test('the description of a call names each field it takes and each refusal of its own', () => {
  const missing = served.flatMap((endpoint) => {
    const section = sectionOf(endpoint)[0] ?? ''
    const words: readonly string[] = section.match(/[\w.]+/g) ?? []
    const fields = [...namesIn(endpoint.query), ...namesIn(endpoint.body)].filter((name) => !words.includes(name))
    const refusals = `Refusals: ${endpoint.refusals.map((name) => `\`${name}\``).join(', ')}.`
    const unsaid = endpoint.refusals.length === 0 || section.includes(refusals) ? [] : [refusals]
    return [...fields, ...unsaid].map((what) => `${endpoint.method} ${written(endpoint.path)}: ${what}`)
  })
  assert.deepEqual(missing, [])
})

test('no page describes a call that is not served', () => {
  const known = new Set(
    served.flatMap(({ method, path, aliases = [] }) => [path, ...aliases].map((at) => `${method} ${written(at)}`)),
  )
  const told = reference.flatMap((page) =>
    [...text(page).matchAll(/`((?:GET|POST|PUT|DELETE|HEAD) \/[^`\s]*)`/g)].map(([, call = '']) => call),
  )
  assert.deepEqual(
    told.filter((call) => !known.has(call)),
    [],
  )
})

// Errors

/** Refusals that come from the server itself and not from a call. */
const ofEveryServer: readonly ErrorName[] = [
  'internal_error',
  'not_found',
  'method_not_allowed',
  'overloaded',
  'storage_unavailable',
]

test('the table of errors is the registry, and tells those in use from those reserved', () => {
  const inUse = new Set([...ofEveryServer, ...errorsOfTransfers, ...served.flatMap(refusalsOf)])
  const names = Object.keys(errors) as ErrorName[]
  const row = (name: ErrorName) => `| \`${name}\` | ${codeOf(name)} | ${errors[name].status} | ${errors[name].advice} |`
  const [, used = '', reserved = ''] = text('docs/api/errors.md').split(/^## .*$/m)
  const rows = (section: string) =>
    section.split('\n').filter((line) => line.startsWith('| `') && !line.includes('`error`'))

  assert.deepEqual(rows(used), names.filter((name) => inUse.has(name)).map(row))
  assert.deepEqual(rows(reserved), names.filter((name) => !inUse.has(name)).map(row))
})

// Configuration

test('the table of the configuration is its schema', () => {
  const rows = Object.entries(
    configSchema.properties as Record<string, { description?: string; default?: string | number | boolean }>,
  ).map(([name, property]) => {
    const byDefault =
      property.default === undefined ? 'required' : property.default === '' ? 'empty' : `\`${property.default}\``
    return `| \`${name}\` | ${byDefault} | ${property.description} |`
  })
  const table = text('docs/operate/configuration.md')
    .split('\n')
    .filter((line) => line.startsWith('| `LONGSHORE_'))
  assert.deepEqual(table, rows)
})

test("the table of the agent's options is what it reads", () => {
  const rows = Object.entries(agentOptions).map(([name, { env, description, ...rest }]) => {
    const byDefault = 'byDefault' in rest ? (rest.byDefault === '' ? 'empty' : `\`${rest.byDefault}\``) : 'required'
    return `| \`--${name}\` | \`${env}\` | ${byDefault} | ${description} |`
  })
  const table = text('docs/operate/agent.md')
    .split('\n')
    .filter((line) => line.startsWith('| `--'))
  assert.deepEqual(table, rows)
})

/** What tests take from the environment, such as sizes for a longer run. */
const readByTests = () =>
  globSync('tests/*/src/**/*.ts', { cwd: root }).flatMap((file) =>
    [...text(file).matchAll(/process\.env\['(LONGSHORE_[A-Z0-9_]+)'\]/g)].map(([, name = '']) => name),
  )

test('a variable that any page names exists', () => {
  const known = new Set([
    ...Object.keys(configSchema.properties),
    ...Object.values(agentOptions).map(({ env }) => env),
    'LONGSHORE_AGENT_URL',
    ...readByTests(),
  ])
  const unknown = pages.flatMap((page) =>
    [...text(page).matchAll(/\bLONGSHORE_[A-Z0-9_]+\b/g)]
      .filter(([name]) => !known.has(name))
      .map(([name]) => `${page}: ${name}`),
  )
  assert.deepEqual(unknown, [])
})

// Links, commands and files

const withoutCode = (markdown: string) => markdown.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, '')

/** Names of a page's headings as they stand behind `#` in an address. */
const anchors = (page: string) =>
  [
    ...text(page)
      .replaceAll(/^```.*?^```$/gms, '')
      .matchAll(/^#+ (.*)$/gm),
  ].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

test('no relative link leads nowhere', () => {
  const dead = pages.flatMap((page) =>
    [...withoutCode(text(page)).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [path = '', anchor] = target.split('#')
        const file = path === '' ? page : relative(root, join(root, dirname(page), path))
        if (file.startsWith('..') || !existsSync(join(root, file))) return true
        return anchor !== undefined && file.endsWith('.md') && !anchors(file).includes(anchor)
      })
      .map((target) => `${page}: ${target}`),
  )
  assert.deepEqual(dead, [])
})

test('every npm script that a page names is there', () => {
  const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> }
  const missing = pages.flatMap((page) =>
    [...text(page).matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)]
      .filter(([, script = '']) => !(script in scripts))
      .map(([, script]) => `${page}: ${script}`),
  )
  assert.deepEqual(missing, [])
})

test('source files that the pages name are there', () => {
  const missing = pages.flatMap((page) =>
    [...text(page).matchAll(/`((?:apps|packages|ops|tests|tools|docs)\/[\w./-]+)`/g)]
      .filter(([, path = '']) => !existsSync(join(root, path)))
      .map(([, path]) => `${page}: ${path}`),
  )
  assert.deepEqual(missing, [])
})
