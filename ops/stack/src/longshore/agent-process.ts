import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type ServerProcess, startProgram } from './server-process.ts'

const program = fileURLToPath(new URL('../../../../apps/agent/src/start.ts', import.meta.url))

export interface AgentProcess extends ServerProcess {
  readonly url: string
}

export interface AgentOptions {
  readonly cloudUrl: string
  readonly apiKey?: string
  /** Any that is free if left out. */
  readonly port?: number
  readonly dataDir: string
  readonly logFile: string
  /** Further options, as on the command line. */
  readonly args?: readonly string[]
  /** A command that runs it, such as one that takes rights away. */
  readonly below?: readonly string[] | undefined
}

// A busy machine takes its time to read the program.
const patienceMs = 60_000

/** Starts an agent and waits until it serves. */
export async function startAgent(options: AgentOptions): Promise<AgentProcess> {
  const { cloudUrl, apiKey, port = 0, dataDir, logFile, args = [], below } = options
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const note = join(dataDir, 'agent.json')
  // An agent that was killed could not take it away.
  rmSync(note, { force: true })
  const command = [program, '--cloud-url', cloudUrl, '--listen', `127.0.0.1:${port}`, '--data-dir', dataDir, ...args]
  const started = startProgram(command, apiKey === undefined ? {} : { LONGSHORE_API_KEY: apiKey }, logFile, below)
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(20)) {
    const url = urlIn(note)
    if (url !== undefined) return { ...started, url }
    if (started.child.exitCode !== null) break
  }
  await started.stop()
  throw new Error(`The agent does not serve. The end of ${logFile}:\n${readFileSync(logFile, 'utf8').slice(-3000)}`)
}

function urlIn(note: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(note, 'utf8')) as { url: string }).url
  } catch {
    return undefined
  }
}
