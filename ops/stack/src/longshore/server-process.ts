import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export type Script = 'api' | 'worker' | 'migrate' | 'operate' | 'doctor'

const scriptFile = (script: Script) =>
  fileURLToPath(new URL(`../../../../apps/server/src/start/${script}.ts`, import.meta.url))

// Nothing of the caller's environment but what a program needs to run at all.
const environment = (given: Readonly<Record<string, string>>) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '/',
  ...given,
})

/** A process of the server that was started here. */
export interface ServerProcess {
  readonly child: ChildProcess
  readonly logFile: string
  /** Resolves when it has ended, however. */
  readonly ended: Promise<unknown>
  /** Asks it to end and waits. */
  stop(): Promise<void>
  /** Kills it on the spot and waits. */
  kill(): Promise<void>
}

export const startScript = (
  script: 'api' | 'worker',
  env: Readonly<Record<string, string>>,
  logFile: string,
): ServerProcess => startProgram([scriptFile(script)], env, logFile)

/** Starts a program of ours, by its file and arguments, and below another program if one is given. */
export function startProgram(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  logFile: string,
  below: readonly string[] = [],
): ServerProcess {
  mkdirSync(dirname(logFile), { recursive: true })
  const log = openSync(logFile, 'a', 0o600)
  const [program = process.execPath, ...args] = [...below, process.execPath, ...command]
  const child = spawn(program, args, { env: environment(env), stdio: ['ignore', log, log] })
  closeSync(log)
  const ended = once(child, 'exit')
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await ended
  }
  return { child, logFile, ended, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') }
}

/** Runs a script of the server to its end and answers what it printed. */
export async function runScript(
  script: Script,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<{ readonly code: number; readonly output: string }> {
  const child = spawn(process.execPath, [scriptFile(script), ...args], {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (piece: Buffer) => (output += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => (output += piece.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code: code ?? -1, output }
}

/** Waits until the API answers that all it stands on is there. */
export async function untilReady(url: string, api: ServerProcess, seconds = 60): Promise<void> {
  const deadline = Date.now() + seconds * 1000
  while (true) {
    const ready = await fetch(`${url}/readyz`).then(
      (reply) => reply.ok,
      () => false,
    )
    if (ready) return
    if (api.child.exitCode !== null || Date.now() > deadline) {
      throw new Error(
        `The API does not serve. The end of ${api.logFile}:\n${readFileSync(api.logFile, 'utf8').slice(-3000)}`,
      )
    }
    await sleep(50)
  }
}
