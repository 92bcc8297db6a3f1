import { spawn } from 'node:child_process'
import { open, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { engineFolder, type Home } from '#home'
import { type Command, plainEnvironment } from '#run'

export const pidFile = (home: Home, name: string): string => join(engineFolder(home, name), `${name}.pid`)
export const logFile = (home: Home, name: string): string => join(engineFolder(home, name), `${name}.log`)

/** The pid of an engine of this stack, or undefined when it does not run. */
export async function pidOf(home: Home, name: string): Promise<number | undefined> {
  const text = await readFile(pidFile(home, name), 'utf8').catch(() => '')
  const pid = Number.parseInt(text, 10)
  if (!(pid > 0)) return undefined
  // A killed process loses its command line first and its ports and locks last. Until then nothing can replace it.
  if ((await commandLine(pid)) === '') await hasEnded(pid, 5)
  return (await isOurs(home, pid)) ? pid : undefined
}

/**
 * Starts a program that outlives us, in its own session, with its output in the engine's log.
 *
 * The program must stay in the foreground: its pid is the one that is noted.
 */
export async function launch(home: Home, name: string, command: Command): Promise<void> {
  const log = await open(logFile(home, name), 'a', 0o600)
  try {
    const child = spawn(command.file, command.args, {
      cwd: command.cwd,
      env: { ...plainEnvironment, ...command.env },
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      ...command.account,
    })
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    child.unref()
    await writeFile(pidFile(home, name), `${child.pid}\n`)
  } finally {
    await log.close()
  }
}

/** Asks an engine to end and insists after a while. */
export async function stop(home: Home, name: string, signal: NodeJS.Signals): Promise<void> {
  const pid = await pidOf(home, name)
  if (pid !== undefined) await end(pid, signal)
  await rm(pidFile(home, name), { force: true })
}

/**
 * Ends the children of an engine whose main process died under them.
 *
 * nginx and PostgreSQL rename their children, so the command line says nothing; but a child keeps working in the
 * engine's folder and runs the engine's program, and both together are true of no other process.
 */
export async function endOrphans(home: Home, name: string, program: string): Promise<void> {
  const folder = `${engineFolder(home, name)}/`
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number)
  const orphans = pids.map(async (pid) => {
    const [cwd, exe] = await Promise.all([linkOf(`/proc/${pid}/cwd`), linkOf(`/proc/${pid}/exe`)])
    const inside = `${cwd}/`.startsWith(folder) || cwd.includes(home.identity.id)
    if (inside && basename(exe) === program) await end(pid, 'SIGTERM')
  })
  await Promise.all(orphans)
}

// radosgw takes up to ten when its OSD was killed a moment before; killed itself, it would delay the next start.
const politeSeconds = 20

async function end(pid: number, signal: NodeJS.Signals): Promise<void> {
  send(pid, signal)
  if (await hasEnded(pid, politeSeconds)) return
  send(pid, 'SIGKILL')
  if (!(await hasEnded(pid, politeSeconds))) throw new Error(`Process ${pid} does not end, not even by SIGKILL.`)
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function hasEnded(pid: number, seconds: number): Promise<boolean> {
  const deadline = Date.now() + seconds * 1000
  while (await isThere(pid)) {
    if (Date.now() > deadline) return false
    await sleep(20)
  }
  return true
}

/** Whether the process still holds anything. One that only waits for its parent to collect it does not. */
async function isThere(pid: number): Promise<boolean> {
  const [stat, threads] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''),
    readdir(`/proc/${pid}/task`).catch(() => []),
  ])
  const isCollectable = stat.slice(stat.lastIndexOf(')')).startsWith(') Z') && threads.length < 2
  return stat !== '' && !isCollectable
}

// A pid file may be older than the process that has the number today, so the number alone proves nothing.
async function isOurs(home: Home, pid: number): Promise<boolean> {
  const line = await commandLine(pid)
  return line.includes(`${home.data}/`) || line.includes(home.identity.id)
}

/** Empty for a process that is gone or going. */
const commandLine = (pid: number): Promise<string> => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')

const linkOf = (path: string): Promise<string> => readlink(path).catch(() => '')
