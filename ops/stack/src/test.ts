import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installMissing, unpackers } from '#install'
import { dropDatabase } from '#longshore/database'
import { makeFirstTeam } from '#longshore/first-team'
import { type Instance, newSecrets, startInstance } from '#longshore/instance'
import { buildWebApp } from '#longshore/web-app'
import { makeCustomerBucket, type Stack, up } from '#stack'

const help = `npm test [-- GROUP…] [--data DIR] [--port-base N]

Runs tests on the real engines, which it starts if need be and leaves running (npm run stack -- down ends them).

Groups: rooms (packages, server and tools), stack, acceptance, hardship, cli, browser. All of them when none is named.
Single files: npm test -- rooms --only 'apps/server/src/blob/*.test.ts'
`

const groups = {
  rooms: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'tools/*.test.ts'],
  acceptance: ['tests/acceptance/src/**/*.test.ts'],
  hardship: ['tests/hardship/src/**/*.test.ts'],
  cli: ['tests/cli/src/**/*.test.ts'],
  browser: ['tests/browser/src/**/*.test.ts'],
  stack: ['ops/stack/src/**/*.test.ts'],
} as const
type Group = keyof typeof groups

// In these much of the time nobody has anything to do: what was killed must be missed before it is taken up again, and
// folders, pages and stores are waited for.
const atOnce: Readonly<Partial<Record<Group, number>>> = { acceptance: 3, hardship: 3, browser: 3 }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    'port-base': { type: 'string' },
    only: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})
const wanted = (positionals.length > 0 ? positionals : Object.keys(groups)) as Group[]
const unknown = wanted.filter((group) => !(group in groups))
if (values.help === true || unknown.length > 0) {
  console.error(unknown.length > 0 ? `There is no group '${unknown[0]}'.\n\n${help}` : help)
  process.exit(values.help === true ? 0 : 2)
}

const root = fileURLToPath(new URL('../../..', import.meta.url))
const stack = await up({
  data: values.data,
  portBase: values['port-base'] === undefined ? undefined : Number(values['port-base']),
})
await installMissing((line) => console.log(line), unpackers)
if (wanted.some((group) => group === 'acceptance' || group === 'browser'))
  await buildWebApp((line) => console.log(line))
const folder = await mkdtemp(join(tmpdir(), 'longshore-test-'))
let failed = false
const counts = { pass: 0, fail: 0, skipped: 0 }
const failures: string[] = []
try {
  for (const group of wanted) {
    const startedAt = Date.now()
    const passed = await (group === 'acceptance' ? againstServer(stack) : runTests(group, {}))
    failed ||= !passed
    console.log(`${group}: ${passed ? 'passed' : 'FAILED'} in ${Math.round((Date.now() - startedAt) / 1000)} s\n`)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
// Said again at the end: of a long log that is what one sees.
for (const failure of failures) console.log(`${failure}\n`)
console.log(`tests: ${counts.pass} passed, ${counts.fail} failed, ${counts.skipped} skipped`)
// A run without a test proves nothing.
process.exitCode = failed || counts.pass === 0 ? 1 : 0

async function runTests(group: Group, env: Readonly<Record<string, string>>): Promise<boolean> {
  const patterns = values.only === undefined ? groups[group] : [values.only]
  console.log(`\n── ${group} ──`)
  const record = join(folder, `${group}.tap`)
  const reporters = ['spec', 'stdout', 'tap', record].flatMap((word, index) => [
    index % 2 === 0 ? '--test-reporter' : '--test-reporter-destination',
    word,
  ])
  const child = spawn(
    process.execPath,
    ['--test', `--test-concurrency=${atOnce[group] ?? 2}`, ...reporters, ...patterns],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, LONGSHORE_STACK: join(stack.data, 'stack.json'), LONGSHORE_TEST_FOLDER: folder, ...env },
    },
  )
  const [code] = (await once(child, 'exit')) as [number | null]
  const tap = await readFile(record, 'utf8')
  for (const [failure] of tap.matchAll(/^ *not ok [\s\S]*?^ *\.\.\.$/gm))
    failures.push(`${group}: ${failure.trim().slice(0, 2_000)}`)
  const closing = tap.slice(-2000)
  for (const word of ['pass', 'fail', 'skipped'] as const) {
    counts[word] += Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(closing)?.[1] ?? 0)
  }
  return code === 0
}

/** What the run has shown, held against COVERAGE.md in CI; elsewhere the page is written anew. */
async function coverageHolds(): Promise<boolean> {
  const check = process.env['CI'] === 'true' ? ['--check'] : []
  const child = spawn(process.execPath, ['tests/acceptance/src/coverage.ts', ...check], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, LONGSHORE_TEST_FOLDER: folder },
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code === 0
}

/** The acceptance suite knows a server by its address alone; this one is made for it and taken away again. */
async function againstServer(on: Stack): Promise<boolean> {
  const name = `acceptance-${process.pid}`
  let instance: Instance | undefined
  try {
    instance = await startInstance(on, {
      name,
      port: on.port_base + 10,
      folder: join(folder, 'acceptance'),
      secrets: newSecrets(),
      extra: { LONGSHORE_CALLS_PER_MINUTE: '0', LONGSHORE_ALLOWED_ORIGINS: 'http://app.example.test' },
    })
    // Somebody else's storage: in one bucket our store may put copies, in the other it may not.
    const [open, closed] = [`${name}-open`, `${name}-closed`]
    await makeCustomerBucket(on, open, { open: true })
    await makeCustomerBucket(on, closed, { open: false })
    const target = {
      cloud_url: instance.url,
      mail_url: on.mail_url,
      storage_url: on.s3.public_endpoint,
      elsewhere: { endpoint: on.s3.endpoint, region: on.s3.region, keys: on.s3.customer, open, closed },
      env: instance.env,
      ...(await makeFirstTeam(instance.url, instance.env)),
    }
    const passed = await runTests('acceptance', { LONGSHORE_TARGET: JSON.stringify(target) })
    // Only a server that has ended has written all of its log, which is searched for secrets.
    await instance.stop()
    return values.only === undefined ? (await coverageHolds()) && passed : passed
  } finally {
    await instance?.stop()
    await dropDatabase(on, name.replaceAll('-', '_'))
  }
}
