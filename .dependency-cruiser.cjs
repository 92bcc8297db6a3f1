/**
 * Who may import whom: the law of docs/architecture.md, read by `tools/import-rules.test.ts`.
 *
 * Rooms are tables (room → rooms it may import); every rule below forbids the rest.
 */

const ours = '^(packages|apps|ops|tests|tools)/'
const testFile = '\\.(test|suite)\\.tsx?$'

/** Shared rooms. Contract is the only one that others build on. */
const packages = {
  contract: [],
  client: ['contract'],
  transfer: ['contract'],
  zip: [],
  waybill: [],
  kit: ['contract'],
}

const server = {
  api: ['domain'],
  worker: ['domain', 'queue'],
  domain: ['store', 'blob', 'outbound', 'queue', 'live', 'platform'],
  store: ['platform'],
  blob: ['platform'],
  outbound: ['platform'],
  queue: ['platform'],
  live: ['platform'],
  platform: [],
}

const agent = {
  api: ['automations', 'gateway', 'transfers', 'settings', 'state', 'cloud', 'host'],
  // The command line knows the agent by its API, as everybody else does.
  cli: [],
  automations: ['transfers', 'settings', 'state', 'cloud', 'host'],
  gateway: ['transfers', 'settings', 'state', 'cloud', 'host'],
  transfers: ['settings', 'state', 'cloud', 'host'],
  settings: ['state', 'cloud', 'host'],
  state: [],
  cloud: [],
  host: [],
}

const web = {
  portal: ['browser', 'ui', 'text'],
  download: ['browser', 'ui', 'text'],
  console: ['browser', 'ui', 'text'],
  browser: [],
  ui: ['text'],
  text: [],
}

const either = (names) => `(${names.join('|')})`

/** One rule a room: inside `root` it imports itself and what the table says. */
const roomRules = (app, root, rooms) =>
  Object.entries(rooms).map(([room, may]) => ({
    name: `${app}-${room}-imports-${may.length === 0 ? 'nothing' : may.join('-')}`,
    severity: 'error',
    from: { path: `^${root}/${room}/` },
    to: { path: `^${root}/`, pathNot: `^${root}/${either([room, ...may])}/` },
  }))

/** A file outside every room would be held by no rule. */
const onlyKnownRooms = (app, root, rooms, alsoAllowed) => ({
  name: `${app}-has-only-known-rooms`,
  severity: 'error',
  from: { path: `^${root}/`, pathNot: [`^${root}/${either(Object.keys(rooms))}/`, ...alsoAllowed] },
  to: {},
})

/** Only the named places know the library. Test kits stand outside, they may know everything. */
const onlyKnownTo = (name, library, places) => ({
  name,
  severity: 'error',
  from: { pathNot: [...places, '^apps/[^/]+/test-kit/', '(^|/)node_modules/'] },
  to: { path: `(^|/)node_modules/${library}/` },
})

module.exports = {
  forbidden: [
    // An import that cannot be resolved is held by no other rule.
    { name: 'every-import-resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },

    ...Object.entries(packages).map(([name, may]) => ({
      name: `package-${name}-imports-${may.length === 0 ? 'nothing-of-ours' : may.join('-')}`,
      severity: 'error',
      from: { path: `^packages/${name}/` },
      to: { path: ours, pathNot: `^packages/${either([name, ...may])}/` },
    })),
    {
      name: 'packages-import-packages-only',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(apps|ops|tests|tools)/' },
    },
    {
      name: 'apps-do-not-import-each-other',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'apps-import-no-tools-or-tests',
      severity: 'error',
      from: { path: '^apps/[^/]+/src/' },
      to: { path: '^(ops|tests|tools)/' },
    },
    {
      name: 'acceptance-imports-contract-and-client',
      severity: 'error',
      from: { path: '^tests/acceptance/' },
      to: { path: ours, pathNot: '^(tests/acceptance|packages/contract|packages/client)/' },
    },

    ...roomRules('server', 'apps/server/src', server),
    onlyKnownRooms('server', 'apps/server/src', server, ['^apps/server/src/start/']),
    ...roomRules('agent', 'apps/agent/src', agent),
    onlyKnownRooms('agent', 'apps/agent/src', agent, ['^apps/agent/src/[^/]+$']),
    ...roomRules('web', 'apps/web/src', web),
    onlyKnownRooms('web', 'apps/web/src', web, ['^apps/web/src/[^/]+$']),
    {
      name: 'web-imports-no-kit',
      comment: 'The kit is for Node processes.',
      severity: 'error',
      from: { path: '^apps/web/src/', pathNot: testFile },
      to: { path: '^packages/kit/' },
    },

    {
      name: 'public-pages-know-no-component-kit',
      comment: 'Portal and download pages are opened once, on phones: the kit would double what they load.',
      severity: 'error',
      from: { path: '^apps/web/src/(portal|download|browser|text|ui/plain)/' },
      to: { path: '(^|/)node_modules/(react-aria-components|react-aria|react-stately)/|^apps/web/src/ui/kit/' },
    },

    {
      name: 'only-tests-import-test-kits',
      severity: 'error',
      from: { pathNot: [testFile, '^apps/[^/]+/test-kit/'] },
      to: { path: '^apps/[^/]+/test-kit/' },
    },
    {
      name: 'only-tests-import-suites',
      severity: 'error',
      from: { pathNot: [testFile, '^apps/[^/]+/test-kit/'] },
      to: { path: testFile },
    },

    onlyKnownTo('only-platform-db-knows-pg', '(@types/)?pg(-pool|-cursor|-query-stream|-copy-streams|-native)?', [
      '^apps/server/src/platform/(db|migrate)\\.ts$',
    ]),
    onlyKnownTo('only-platform-migrate-knows-migrations', 'node-pg-migrate', [
      '^apps/server/src/platform/migrate\\.ts$',
    ]),
    onlyKnownTo('only-blob-knows-the-s3-sdk', '(@aws-sdk|@smithy)/[^/]+', [
      '^apps/server/src/blob/',
      '^ops/stack/src/',
    ]),
    onlyKnownTo('only-queue-engine-knows-pg-boss', 'pg-boss', ['^apps/server/src/queue/engine\\.ts$']),
    onlyKnownTo('only-the-compiler-of-mail-templates-knows-mjml', '(@types/)?(mjml|mjml-core)', [
      '^apps/server/src/outbound/mail-templates/compile\\.ts$',
    ]),
    onlyKnownTo('only-live-knows-redis', '(ioredis|redis|rate-limiter-flexible)', ['^apps/server/src/live/']),
    onlyKnownTo('only-both-ends-of-the-gateway-channel-know-ws', '(@types/)?ws', [
      '^apps/server/src/api/gateway-channel\\.ts$',
      '^apps/agent/src/cloud/gateway-line\\.ts$',
    ]),
    {
      name: 'only-tests-import-the-simulation',
      severity: 'error',
      from: { pathNot: [testFile, '^packages/transfer/src/simulation/'] },
      to: { path: '^packages/transfer/src/simulation/' },
    },
    {
      name: 'no-node-in-browser-code',
      severity: 'error',
      from: { path: '^(packages/(contract|client|transfer|zip)|apps/web)/src/', pathNot: testFile },
      to: { dependencyTypes: ['core'] },
    },
  ],
  options: {
    doNotFollow: { path: '(^|/)node_modules/' },
    // Anchored: an excluded `dist` anywhere would hide every library that is published as one.
    exclude: { path: '^apps/[^/]+/dist/' },
    // Imports of types alone are imports too: they tie two rooms together just as well.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      // `#store/packages` and `@longshore/contract/errors` are resolved by "imports" and "exports" of package.json.
      exportsFields: ['exports'],
      conditionNames: ['node', 'import', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.mts', '.js', '.mjs', '.cjs', '.json'],
      mainFields: ['module', 'main', 'types'],
    },
  },
}
