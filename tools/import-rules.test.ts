import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'

const root = dirname(import.meta.dirname)
const config = join(root, '.dependency-cruiser.cjs')
const cruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs')
const territories = ['packages', 'apps', 'tests', 'ops', 'tools']

interface Cruised {
  readonly modules: readonly {
    readonly source: string
    readonly dependencies: readonly { readonly module: string; readonly resolved: string }[]
  }[]
  readonly summary: {
    readonly violations: readonly {
      readonly from: string
      readonly to: string
      readonly rule: { readonly name: string }
    }[]
  }
}

function cruise(tree: string): Cruised {
  const places = territories.filter((place) => existsSync(join(tree, place)))
  const ran = spawnSync(process.execPath, [cruiser, '--config', config, '--output-type', 'json', ...places], {
    cwd: tree,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  })
  if (!ran.stdout.startsWith('{')) throw new Error(`dependency-cruiser failed: ${ran.stderr}${ran.stdout}`)
  return JSON.parse(ran.stdout) as Cruised
}

const inOrder = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function sourcesOf(tree: string): string[] {
  const patterns = territories.map((place) => `${place}/**/*.{ts,tsx}`)
  return globSync(patterns, { cwd: tree, exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path) }).sort(inOrder)
}

// The repository as it stands

const listed = sourcesOf(root)
const repository = cruise(root)

test('every source file is read, so that a cruise over nothing cannot pass for obedience', () => {
  const read = new Set(repository.modules.map((module) => module.source))
  // Somebody may delete a file while we look.
  const unread = listed.filter((file) => !read.has(file) && existsSync(join(root, file)))
  assert.ok(listed.length > 20, `only ${listed.length} files listed`)
  assert.deepEqual(unread, [])
})

test('imports of files are followed, so that reading without understanding cannot pass either', () => {
  const dependencies = repository.modules.flatMap((module) => module.dependencies)
  const resolved = (start: string) =>
    dependencies.filter(({ module, resolved }) => module.startsWith(start) && existsSync(join(root, resolved)))
  assert.ok(resolved('#').length > 20)
  assert.ok(resolved('@longshore/contract/').length > 5)
})

test('the repository keeps the import rules', () => {
  const broken = repository.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)
  assert.deepEqual(broken, [])
})

// A small tree of the same shape, with one import of every kind in a file of its own

/** The law, by hand, so that the rules are not their own witness. A room may always import itself. */
const law: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  server: {
    start: 'api worker domain store blob outbound queue live platform',
    api: 'domain',
    worker: 'domain queue',
    domain: 'store blob outbound queue live platform',
    store: 'platform',
    blob: 'platform',
    outbound: 'platform',
    queue: 'platform',
    live: 'platform',
    platform: '',
  },
  agent: {
    api: 'automations gateway transfers settings state cloud host',
    cli: '',
    automations: 'transfers settings state cloud host',
    gateway: 'transfers settings state cloud host',
    transfers: 'settings state cloud host',
    settings: 'state cloud host',
    state: '',
    cloud: '',
    host: '',
  },
  web: {
    portal: 'browser ui text',
    download: 'browser ui text',
    console: 'browser ui text',
    browser: '',
    ui: 'text',
    text: '',
  },
}

const packageLaw: Readonly<Record<string, string>> = {
  contract: '',
  client: 'contract',
  transfer: 'contract',
  zip: '',
  waybill: '',
  kit: 'contract',
}

/** `from`, what it imports, and where that leads; where the two last are the same, it is left out. */
type Import = readonly [from: string, specifier: string, to?: string]

const roomImports = Object.entries(law).flatMap(([app, rooms]) =>
  Object.entries(rooms).flatMap(([room, may]) =>
    Object.keys(rooms).map((other) => ({
      allowed: other === room || may.split(' ').includes(other),
      one: [
        `apps/${app}/src/${room}/to-${other}.ts`,
        `#${other}/room`,
        `apps/${app}/src/${other}/room.ts`,
      ] satisfies Import,
    })),
  ),
)

const packageImports = Object.entries(packageLaw).flatMap(([name, may]) =>
  Object.keys(packageLaw)
    .filter((other) => other !== name)
    .map((other) => ({
      allowed: may.split(' ').includes(other),
      one: [
        `packages/${name}/src/to-${other}.ts`,
        `@longshore/${other}/room`,
        `packages/${other}/src/room.ts`,
      ] satisfies Import,
    })),
)

const serverRooms = Object.keys(law['server'] ?? {})

const lawful: readonly Import[] = [
  ...[...roomImports, ...packageImports].filter(({ allowed }) => allowed).map(({ one }) => one),
  ...serverRooms.flatMap((room): Import[] => [
    [`apps/server/src/${room}/to-contract.ts`, '@longshore/contract/room'],
    [`apps/server/src/${room}/to-kit.ts`, '@longshore/kit/room'],
    [`apps/server/src/${room}/room.test.ts`, '#test-kit/kit'],
    [`apps/server/src/${room}/room.suite.ts`, '#test-kit/kit'],
    [`apps/server/src/${room}/suite.test.ts`, `#${room}/room.suite`],
  ]),
  ['apps/server/src/platform/db.ts', 'pg'],
  ['apps/server/src/platform/migrate.ts', 'node-pg-migrate'],
  ['apps/server/src/blob/s3.ts', '@aws-sdk/client-s3'],
  ['apps/server/src/queue/engine.ts', 'pg-boss'],
  ['apps/server/src/live/redis.ts', 'ioredis'],
  ['apps/server/src/api/gateway-channel.ts', 'ws'],
  ['apps/agent/src/cloud/gateway-line.ts', 'ws'],
  ['apps/server/src/outbound/mail-templates/compile.ts', 'mjml'],
  ['apps/server/src/live/limiter.ts', 'rate-limiter-flexible'],
  ['apps/server/src/store/to-node.ts', 'node:fs'],
  ['apps/server/test-kit/to-start.ts', '#start/room'],
  ['apps/server/test-kit/to-pg.ts', 'pg'],
  ['apps/server/test-kit/to-s3.ts', '@aws-sdk/client-s3'],
  ['apps/server/test-kit/to-stack.ts', '@longshore/stack/room'],
  ['apps/agent/src/start.ts', '#api/room'],
  ['apps/web/src/main.ts', '#portal/room'],
  ['apps/web/src/ui/to-contract.ts', '@longshore/contract/room'],
  ['apps/web/src/ui/kit/to-aria.ts', 'react-aria-components'],
  ['apps/web/src/console/to-aria.ts', 'react-aria-components'],
  ['packages/contract/src/room.test.ts', 'node:fs'],
  ['packages/transfer/src/room.test.ts', '#simulation/room'],
  ['packages/kit/src/to-node.ts', 'node:fs'],
  ['packages/waybill/src/to-node.ts', 'node:fs'],
  ['tests/acceptance/src/to-contract.ts', '@longshore/contract/room'],
  ['tests/acceptance/src/to-client.ts', '@longshore/client/room'],
  ['tests/acceptance/src/to-node.ts', 'node:fs'],
]

const anywhereElse: readonly Import[] = [
  ['apps/server/src/store/to-pg.ts', 'pg'],
  ['apps/server/src/platform/pool.ts', 'pg'],
  ['apps/server/src/start/to-pg.ts', 'pg'],
  ['packages/kit/src/to-pg.ts', 'pg'],
  ['apps/server/src/start/to-migrations.ts', 'node-pg-migrate'],
  ['apps/server/src/domain/to-s3.ts', '@aws-sdk/client-s3'],
  ['apps/server/src/worker/to-pg-boss.ts', 'pg-boss'],
  ['apps/server/src/queue/enqueue.ts', 'pg-boss'],
  ['apps/server/src/api/to-redis.ts', 'ioredis'],
  ['apps/server/src/domain/to-ws.ts', 'ws'],
  ['apps/agent/src/gateway/to-ws.ts', 'ws'],
  ['apps/server/src/outbound/to-mjml.ts', 'mjml'],
  ['apps/server/src/api/to-limiter.ts', 'rate-limiter-flexible'],
  ['apps/web/src/portal/to-aria.ts', 'react-aria-components'],
  ['apps/web/src/ui/plain/to-aria.ts', 'react-aria-components'],
]

const unlawful: readonly Import[] = [
  ...[...roomImports, ...packageImports].filter(({ allowed }) => !allowed).map(({ one }) => one),
  ...anywhereElse,
  ['packages/contract/src/to-node.ts', 'node:fs', 'fs'],
  ['packages/client/src/to-node.ts', 'node:fs', 'fs'],
  ['packages/transfer/src/to-node.ts', 'node:net', 'net'],
  ['packages/transfer/src/to-simulation.ts', '#simulation/room', 'packages/transfer/src/simulation/room.ts'],
  ['packages/zip/src/to-node.ts', 'stream', 'stream'],
  ['apps/web/src/ui/to-node.ts', 'node:fs', 'fs'],
  ['apps/web/src/ui/to-kit.ts', '@longshore/kit/room', 'packages/kit/src/room.ts'],
  ['apps/web/src/download/to-ui-kit.ts', '#ui/kit/room', 'apps/web/src/ui/kit/room.ts'],
  ['packages/kit/src/to-server.ts', '@longshore/server/start/room', 'apps/server/src/start/room.ts'],
  ['packages/newcomer/src/to-server.ts', '@longshore/server/start/room', 'apps/server/src/start/room.ts'],
  ['packages/kit/src/to-tests.ts', '../../../tests/acceptance/src/room.ts', 'tests/acceptance/src/room.ts'],
  ['apps/agent/src/host/to-server.ts', '@longshore/server/start/room', 'apps/server/src/start/room.ts'],
  ['apps/web/src/ui/to-agent.ts', '../../../agent/src/host/room.ts', 'apps/agent/src/host/room.ts'],
  ['apps/server/src/start/to-stack.ts', '@longshore/stack/room', 'ops/stack/src/room.ts'],
  ['tests/acceptance/src/to-server.ts', '@longshore/server/start/room', 'apps/server/src/start/room.ts'],
  ['tests/acceptance/src/to-stack.ts', '@longshore/stack/room', 'ops/stack/src/room.ts'],
  ['tests/acceptance/src/to-kit.ts', '@longshore/kit/room', 'packages/kit/src/room.ts'],
  ['apps/server/src/store/to-test-kit.ts', '#test-kit/kit', 'apps/server/test-kit/kit.ts'],
  ['apps/server/src/start/to-test-kit.ts', '#test-kit/kit', 'apps/server/test-kit/kit.ts'],
  ['apps/server/src/store/to-suite.ts', '#store/room.suite', 'apps/server/src/store/room.suite.ts'],
  ['apps/server/src/odd/room.ts', '#platform/room', 'apps/server/src/platform/room.ts'],
  ['apps/server/src/loose.ts', '#platform/room', 'apps/server/src/platform/room.ts'],
  ['apps/agent/src/odd/room.ts', '#host/room', 'apps/agent/src/host/room.ts'],
  ['apps/web/src/odd/room.ts', '#ui/room', 'apps/web/src/ui/room.ts'],
  ['apps/server/src/store/past-the-door.ts', '../blob/room.ts', 'apps/server/src/blob/room.ts'],
  ['apps/server/src/store/to-nowhere.ts', '#store/nowhere', '#store/nowhere'],
  ['apps/server/src/platform/ring-a.ts', '#platform/ring-b', 'apps/server/src/platform/ring-b.ts'],
]

/** Closes the ring that `unlawful` opens; a cycle is reported once. */
const ring: Import = ['apps/server/src/platform/ring-b.ts', '#platform/ring-a']

const typeOnly: Import = ['apps/server/src/store/to-blob-types.ts', '#blob/room', 'apps/server/src/blob/room.ts']

const shared = { type: 'module', imports: { '#*': './src/*.ts' }, exports: { './*': './src/*.ts' } }

/** Lays out the tree with everything that can be imported, and the libraries of the repository beside it. */
function layOut(imports: readonly Import[], extra: Readonly<Record<string, string>> = {}): string {
  const tree = realpathSync(mkdtempSync(join(tmpdir(), 'import-rules-')))
  after(() => rmSync(tree, { recursive: true }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    writeFileSync(join(tree, path), text)
  }
  const folders = {
    ...Object.fromEntries(Object.keys(packageLaw).map((name) => [name, `packages/${name}`])),
    newcomer: 'packages/newcomer',
    server: 'apps/server',
    agent: 'apps/agent',
    web: 'apps/web',
    stack: 'ops/stack',
    'tests-acceptance': 'tests/acceptance',
  }

  mkdirSync(join(tree, 'node_modules/@longshore'), { recursive: true })
  for (const library of readdirSync(join(root, 'node_modules'))) {
    if (library === '@longshore' || library.startsWith('.')) continue
    symlinkSync(join(root, 'node_modules', library), join(tree, 'node_modules', library))
  }
  write('package.json', '{ "private": true, "type": "module" }')
  for (const [name, folder] of Object.entries(folders)) {
    symlinkSync(join(tree, folder), join(tree, 'node_modules/@longshore', name))
    // The server's own, since its subpaths are the ones most written.
    const own = name === 'server' ? readFileSync(join(root, folder, 'package.json'), 'utf8') : JSON.stringify(shared)
    write(join(folder, 'package.json'), own)
  }
  for (const name of Object.keys(packageLaw)) write(`packages/${name}/src/room.ts`, 'export const here = 1\n')
  for (const [app, rooms] of Object.entries(law)) {
    for (const room of Object.keys(rooms)) write(`apps/${app}/src/${room}/room.ts`, 'export const here = 1\n')
  }
  const otherRooms = [
    'apps/server/test-kit/kit.ts',
    'ops/stack/src/room.ts',
    'packages/transfer/src/simulation/room.ts',
    'apps/web/src/ui/kit/room.ts',
    'tests/acceptance/src/room.ts',
  ]
  for (const room of otherRooms) write(room, 'export const here = 1\n')
  for (const [from, specifier] of imports) {
    write(from, `import * as there from '${specifier}'\nexport const here = there\n`)
  }
  for (const [path, text] of Object.entries(extra)) write(path, text)
  return tree
}

const arrow = ([from, specifier, to]: Import) => `${from} → ${to ?? specifier}`

test('what the rules allow is reported by none of them', () => {
  const { modules, summary } = cruise(layOut(lawful))
  assert.deepEqual(
    summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`),
    [],
  )
  const read = new Set(modules.map((module) => module.source))
  assert.deepEqual(
    lawful.filter(([from]) => !read.has(from)),
    [],
  )
})

const [typeFrom, typeSpecifier] = typeOnly
const typeImport = `import type { here } from '${typeSpecifier}'\nexport type Here = typeof here\n`
const planted = cruise(layOut([...lawful, ...unlawful, ring], { [typeFrom]: typeImport }))

/** Where a library leads is its own affair; which library it is counts. */
const libraryOf = (to: string) => /.*node_modules\/(?:@types\/)?((?:@[^/]+\/)?[^/]+)\//.exec(to)?.[1] ?? to

const reported = new Set(planted.summary.violations.map(({ from, to }) => `${from} → ${libraryOf(to)}`))

test('each forbidden import is reported, and nothing else is', () => {
  const expected = [...unlawful, typeOnly].map(arrow)
  assert.ok(expected.length > 150)
  assert.deepEqual(
    {
      missed: expected.filter((one) => !reported.has(one)),
      surplus: [...reported].filter((one) => !expected.includes(one)),
    },
    { missed: [], surplus: [] },
  )
})

test('every rule has been seen to bite', () => {
  const { forbidden } = createRequire(import.meta.url)(config) as { forbidden: { name: string }[] }
  const bitten = new Set(planted.summary.violations.map(({ rule }) => rule.name))
  assert.ok(forbidden.length > 20)
  assert.deepEqual(
    forbidden.map(({ name }) => name).filter((name) => !bitten.has(name)),
    [],
  )
})

// process.env, which no import betrays

const readsEnv =
  /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\s*\[\s*['"`]env|\benv\b[^=;{}]*\}\s*=\s*(?:globalThis\.)?process\b|\{[^}]*\benv\b[^}]*\}\s*from\s*['"](?:node:)?process['"]|\bloadEnvFile\b/

const withoutComments = (source: string) => source.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')

const mayReadEnv =
  /^apps\/[^/]+\/(src\/start(\/|\.ts$)|test-kit\/)|^apps\/agent\/src\/(longshore|cli\/shell)\.ts$|^packages\/transfer\/src\/simulation\/[^/]+\.test\.ts$|^(ops|tests|tools)\//

test('only what starts a program reads the environment', () => {
  const readers = listed
    .filter((file) => !mayReadEnv.test(file) && existsSync(join(root, file)))
    .filter((file) => readsEnv.test(withoutComments(readFileSync(join(root, file), 'utf8'))))
  assert.deepEqual(readers, [])
})

test('every way to read the environment is noticed', () => {
  const ways = [
    'const port = process.env.PORT',
    "const port = process.env['PORT']",
    "const port = process['env'].PORT",
    'const { env } = process',
    'const { argv, env: all } = process',
    "import { env } from 'node:process'",
    "import { argv, env as all } from 'process'",
    'globalThis.process?.env',
    "process.loadEnvFile('.env')",
  ]
  assert.deepEqual(
    ways.filter((way) => !readsEnv.test(withoutComments(way))),
    [],
  )
  const innocent = [
    '// process.env is read in start/ alone',
    '/** Not process.env. */',
    'process.exit(1)',
    'const { env } = given',
    'const { argv } = process',
    "fetch('https://example.com/process')",
  ]
  assert.deepEqual(
    innocent.filter((text) => readsEnv.test(withoutComments(text))),
    [],
  )
})

test('the places that may read it are those the law names', () => {
  const may = (file: string) => mayReadEnv.test(file)
  assert.equal(may('apps/server/src/start/config.ts'), true)
  assert.equal(may('apps/agent/src/start.ts'), true)
  assert.equal(may('apps/server/src/blob/s3.ts'), false)
  assert.equal(may('apps/server/src/starter/config.ts'), false)
  assert.equal(may('packages/kit/src/config.ts'), false)
  assert.equal(may('packages/transfer/src/simulation/simulation.test.ts'), true, 'a seed is repeated by it')
  assert.equal(may('packages/transfer/src/simulation/voyage.ts'), false)
})
