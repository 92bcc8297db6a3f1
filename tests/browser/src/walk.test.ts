import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type FirstTeam, makeFirstTeam } from '@longshore/stack/longshore/first-team'
import { type OwnInstance, startOwnInstance } from '#own-instance'

const docs = new URL('../../../docs/api/', import.meta.url)

let instance: OwnInstance
let team: FirstTeam
let folder: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-walk-'))
  instance = await startOwnInstance('browser-walk', 11)
  team = await makeFirstTeam(instance.url, instance.env)
})

after(async () => {
  await instance?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** The commands of a page, in order. */
async function commands(page = 'walk.md'): Promise<string> {
  const blocks = [...(await readFile(new URL(page, docs), 'utf8')).matchAll(/^```bash\n(.*?)^```$/gms)].map(
    ([, block]) => block,
  )
  assert.ok(blocks.length > 5, `only ${blocks.length} blocks`)
  return blocks.join('\n')
}

/** Runs a script as somebody would who pastes it: an empty folder, few tools, and it stops at the first failure. */
async function runBash(name: string, script: string, env: Readonly<Record<string, string>>) {
  const cwd = join(folder, name)
  await mkdir(cwd, { recursive: true })
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env: { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (piece: Buffer) => (output += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => (output += piece.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

function assertArrived({ code, output }: { code: number | null; output: string }): void {
  assert.equal(code, 0, output)
  assert.match(output, /part 3 of 3/)
  const digests = [...output.matchAll(/^([0-9a-f]{64}) {2}(?:film|back)\.mov$/gm)].map(([, digest]) => digest)
  assert.equal(digests.length, 2, output)
  assert.equal(digests[0], digests[1])
  assert.match(output, /the same bytes/)
  assert.match(output, /the link now answers 410/)
}

test('the walk of the documentation works as written', { timeout: 120_000 }, async () => {
  assertArrived(
    await runBash('by-environment', await commands(), {
      CLOUD_URL: instance.url,
      API_KEY: team.api_key,
      TEAM_ID: team.team_id,
    }),
  )
})

test('the walk takes its addresses from the line that the demo prints', { timeout: 120_000 }, async () => {
  const line = {
    cloud_url: instance.url,
    download_url: `${instance.url}/d`,
    web_url: null,
    agent_url: null,
    mail_url: instance.stack.mail_url,
    storage_url: instance.stack.s3.public_endpoint,
    team_id: team.team_id,
    owner: { email: team.owner.email, password: team.owner.password },
    api_key: team.api_key,
  }
  await writeFile(join(folder, 'longshore-demo.json'), `${JSON.stringify(line)}\n`)
  assertArrived(await runBash('by-demo', await commands(), {}))
})

test('the walk through a Portal works as written', { timeout: 120_000 }, async () => {
  const { code, output } = await runBash('portal', await commands('portal-walk.md'), {
    CLOUD_URL: instance.url,
    MAIL_URL: instance.stack.mail_url,
    API_KEY: team.api_key,
    TEAM_ID: team.team_id,
  })
  assert.equal(code, 0, output)
  assert.match(output, /^Scene[^0-9]*12b$/m)
  for (const name of ['metadata.json', 'metadata.csv', 'metadata.xml', 'A001.txt']) {
    assert.match(output, new RegExp(`^fetched ${name}: [1-9]\\d* bytes$`, 'm'))
  }
  assert.match(output, /^the same bytes$/m)
  assert.match(output, /^scene,Scene,short_text,12b\r?$/m)
  assert.match(output, /^weather,Weather,dropdown,dry\r?$/m)
})
