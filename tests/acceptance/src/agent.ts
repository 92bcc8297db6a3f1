import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readDownload } from '@longshore/contract/agent/downloads'
import { readUpload, startUpload } from '@longshore/contract/agent/uploads'
import type { ReplyOf } from '@longshore/contract/endpoint'
import { type How, use } from '#calls'
import { runFolder } from '#run-folder'
import { repository, target } from '#target'
import { someName } from '#walk'

/** An agent process on this machine, started as its owner would. */
export interface Agent {
  readonly url: string
  readonly dataDir: string
  readonly at: How
  /** Asks it to end, or kills it on the spot, and waits. Answers its exit code; null where a signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  /** Starts it anew on the same data folder, with other options where they are given. */
  again(other?: AgentOptions): Promise<Agent>
}

export interface AgentOptions {
  /** The target's API key if left out; null for none. */
  readonly apiKey?: string | null
  readonly cloudUrl?: string
  readonly args?: readonly string[]
  /** A program to be started by. */
  readonly under?: readonly string[]
}

const program = join(repository, 'apps/agent/src/start.ts')
const running = new Set<ChildProcess>()
const folders: string[] = []

after(async () => {
  await Promise.all([...running].map((child) => end(child, 'SIGTERM')))
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A folder for one test file, taken away at its end. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-agent-'))
  folders.push(folder)
  return folder
}

export const startAgent = (options: AgentOptions = {}): Promise<Agent> => launch(join(makeFolder(), 'data'), options)

const argsOf = (dataDir: string, { cloudUrl = target.cloud_url, args = [] }: AgentOptions) => [
  '--cloud-url',
  cloudUrl,
  '--listen',
  '127.0.0.1:0',
  '--data-dir',
  dataDir,
  ...args,
]

const environment = ({ apiKey = target.api_key }: AgentOptions) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '/',
  // Many agents are started here, all of the same source.
  NODE_COMPILE_CACHE: join(runFolder, 'compile-cache'),
  ...(apiKey === null ? {} : { LONGSHORE_API_KEY: apiKey }),
})

/** What an agent that does not start says, and how it ends. */
export async function failToStart(args: readonly string[]): Promise<{ code: number | null; said: string }> {
  const all = argsOf(join(makeFolder(), 'data'), { args })
  const child = spawn(process.execPath, [program, ...all], {
    env: environment({}),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (piece: Buffer) => (said += piece.toString()))
  running.add(child)
  const [code] = (await once(child, 'close')) as [number | null]
  running.delete(child)
  return { code, said }
}

async function launch(dataDir: string, options: AgentOptions): Promise<Agent> {
  const note = join(dataDir, 'agent.json')
  rmSync(note, { force: true })
  mkdirSync(runFolder, { recursive: true })
  // Searched for secrets at the end of the run, like the logs of the server.
  const log = openSync(join(runFolder, `agent-${process.pid}.log`), 'a', 0o600)
  const [first, ...rest] = [...(options.under ?? []), process.execPath, program, ...argsOf(dataDir, options)]
  const child = spawn(first ?? '', rest, {
    env: environment(options),
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  running.add(child)
  const url = await addressIn(note, child)
  return {
    url,
    dataDir,
    at: { at: url },
    stop: (signal = 'SIGTERM') => end(child, signal),
    again: (other = {}) => launch(dataDir, { ...options, ...other }),
  }
}

async function addressIn(note: string, child: ChildProcess): Promise<string> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(25)) {
    if (child.exitCode !== null) break
    try {
      return (JSON.parse(readFileSync(note, 'utf8')) as { url: string }).url
    } catch {
      // Not there yet.
    }
  }
  throw new Error(`The agent does not serve; see ${runFolder}.`)
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  running.delete(child)
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal)
    await once(child, 'exit')
  }
  return child.exitCode
}

/** Files on this machine by path, below a folder of their own. Answers the folder. */
export function makeFiles(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = join(makeFolder(), someName('Rushes').replaceAll(' ', '-'))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

type Upload = ReplyOf<typeof readUpload>
type Download = ReplyOf<typeof readDownload>

/** What is read again and again until it is as it should be. Fails as soon as it ended in another way. */
async function until<Transfer extends Upload | Download>(
  read: () => Promise<Transfer>,
  isSo: (transfer: Transfer) => boolean,
): Promise<Transfer> {
  let last = await read()
  for (const deadline = Date.now() + 180_000; Date.now() < deadline; last = await read()) {
    if (isSo(last)) return last
    if (last.state === 'complete' || last.state === 'error') break
    await sleep(50)
  }
  throw new Error(`The transfer did not become what it should: ${JSON.stringify(last)}`)
}

export const untilUpload = (agent: Agent, upload_id: string, isSo: (upload: Upload) => boolean): Promise<Upload> =>
  until(() => use(readUpload, { params: { upload_id } }, agent.at), isSo)

export const untilDownload = (
  agent: Agent,
  download_id: string,
  isSo: (download: Download) => boolean,
): Promise<Download> => until(() => use(readDownload, { params: { download_id } }, agent.at), isSo)

export const isIn =
  (state: string) =>
  (transfer: { readonly state: string }): boolean =>
    transfer.state === state

/** Sends something as the Team and waits until it is complete. */
export async function sendAsTeam(agent: Agent, folder: string, more: object = {}): Promise<ReplyOf<typeof readUpload>> {
  const body = { team_id: target.team_id, paths: [folder], ...more }
  const { upload_id } = await use(startUpload, { body }, agent.at)
  return untilUpload(agent, upload_id, isIn('complete'))
}
