import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startAgent } from '#longshore/agent-process'
import { type FirstTeam, makeFirstTeam } from '#longshore/first-team'
import { newSecrets, startInstance } from '#longshore/instance'
import { down, up } from '#stack'
import { writePrivately } from '#write-privately'

const help = `npm run demo [-- --port-base N] [--data DIR]

Everything on this machine, ready to be tried: the engines, the API and the worker, a Team with an Owner and an API key,
an agent that works with it.
Prints one line of JSON on standard output when all of it serves. Ctrl-C or SIGTERM ends it; data and keys are kept.

  --data DIR        the data folder (.demo in the repository)
  --port-base N     the first port (17600); is kept with the data
`

const { values } = parseArgs({
  options: { data: { type: 'string' }, 'port-base': { type: 'string' }, help: { type: 'boolean', short: 'h' } },
})
if (values.help === true) {
  console.error(help)
  process.exit(0)
}

const data = resolve(values.data ?? fileURLToPath(new URL('../../../.demo', import.meta.url)))
const portBase = values['port-base'] === undefined ? undefined : Number(values['port-base'])
const apiPort = 7
const agentPort = 8

interface Keys {
  readonly secrets: string
  readonly team?: FirstTeam
}

const say = (line: string) => console.error(line)
const keysFile = join(data, 'demo.json')

let stopping: Promise<void> | undefined
let stopServer = async () => {}
let stopAgent = async () => {}
const stop = () =>
  (stopping ??= (async () => {
    say('Ending everything …')
    await stopAgent()
    await stopServer()
    await down({ data })
    say('Ended. The data stays; start again with the same command.')
  })())
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => void stop().then(() => process.exit(0)))
}
// `npm run` does not always pass a signal on: when it is gone, so are we.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) void stop().then(() => process.exit(0))
}, 500).unref()

try {
  say('Starting the engines (the first time installs what is missing) …')
  const known = await findPortBase()
  const stack = await up({ data, portBase: known === undefined ? (portBase ?? 17_600) : portBase, say })
  const keys = await readKeys()
  say('Starting the server …')
  const instance = await startInstance(stack, {
    name: 'longshore',
    port: stack.port_base + apiPort,
    folder: join(data, 'logs'),
    secrets: keys.secrets,
    // A demo is tried by scripts that are in more of a hurry than a person.
    extra: { LONGSHORE_CALLS_PER_MINUTE: '60000', LONGSHORE_ALLOWED_ORIGINS: 'http://localhost,http://127.0.0.1' },
  })
  stopServer = instance.stop
  const team = keys.team ?? (await makeFirstTeam(instance.url, instance.env))
  if (keys.team === undefined) await writePrivately(keysFile, JSON.stringify({ ...keys, team }))
  say('Starting the agent …')
  const agent = await startAgent({
    cloudUrl: instance.url,
    apiKey: team.api_key,
    port: stack.port_base + agentPort,
    dataDir: join(data, 'agent'),
    logFile: join(data, 'logs', 'agent.log'),
  })
  stopAgent = agent.stop
  const line = {
    cloud_url: instance.url,
    download_url: instance.env['LONGSHORE_DOWNLOAD_URL'],
    web_url: null,
    agent_url: agent.url,
    mail_url: stack.mail_url,
    storage_url: stack.s3.public_endpoint,
    team_id: team.team_id,
    owner: { email: team.owner.email, password: team.owner.password },
    api_key: team.api_key,
  }
  say(`Ready. The API reference is at ${instance.url}/reference, logs are in ${join(data, 'logs')}. Ctrl-C ends it.`)
  console.log(JSON.stringify(line))
  await Promise.race([instance.api.ended, instance.worker?.ended, agent.ended])
  if (stopping === undefined) throw new Error(`A part of it ended by itself; see ${join(data, 'logs')}.`)
} catch (error) {
  say(`The demo could not go on: ${(error as Error).message}`)
  await stop()
  process.exitCode = 1
}

async function findPortBase(): Promise<number | undefined> {
  const text = await readFile(join(data, 'identity.json'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as { port_base: number }).port_base
}

async function readKeys(): Promise<Keys> {
  const text = await readFile(keysFile, 'utf8').catch(() => undefined)
  if (text !== undefined) return JSON.parse(text) as Keys
  const keys = { secrets: newSecrets() }
  await writePrivately(keysFile, JSON.stringify(keys))
  return keys
}
