import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '#members'
import { runFolder } from '#run-folder'
import { repository, setting, target } from '#target'

/** Another API process, started as an operator would, for what the target's own settings never show. */
export interface SecondServer {
  readonly url: string
  /** What it has printed so far. */
  output(): string
  stop(): Promise<void>
}

const script = (name: string) => join(repository, `apps/server/src/start/${name}.ts`)

const environment = (settings: Readonly<Record<string, string>>) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '/',
  ...target.env,
  // Counts of its own: those in Redis are shared with the target.
  LONGSHORE_REDIS_URL: '',
  LONGSHORE_STORAGE_SELF_TEST: 'off',
  ...settings,
})

export async function startSecondServer(settings: Readonly<Record<string, string>>): Promise<SecondServer> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = environment({ LONGSHORE_LISTEN: `127.0.0.1:${port}`, LONGSHORE_PUBLIC_URL: url, ...settings })
  const child = spawn(process.execPath, [script('api')], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += piece.toString()))
  const server = {
    url,
    output: () => output,
    async stop() {
      await stop(child)
      // Its log is searched for secrets like the target's. What is for the terminal alone is no part of it.
      const log = output.split('\n').filter((line) => line.startsWith('{'))
      mkdirSync(runFolder, { recursive: true })
      writeFileSync(join(runFolder, `second-${port}.log`), log.join('\n'), { mode: 0o600 })
    },
  }
  const deadline = Date.now() + 60_000
  while (!(await serves(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await server.stop()
      throw new Error(`The second server does not serve: ${output.slice(-2_000)}`)
    }
    await sleep(100)
  }
  return server
}

/** A server without a worker that nobody has set up yet, on a database that nobody has used. */
export async function startNewServer(name: string): Promise<SecondServer> {
  const database = `${name}_${randomBytes(4).toString('hex')}`
  const databaseUrl = new URL(setting('LONGSHORE_DATABASE_URL'))
  databaseUrl.pathname = `/${database}`
  await sql(`create database ${database}`)
  await migrate(databaseUrl.href)
  const server = await startSecondServer({ LONGSHORE_DATABASE_URL: databaseUrl.href })
  return {
    ...server,
    async stop() {
      await server.stop()
      await sql(`drop database ${database} with (force)`)
    },
  }
}

const serves = (url: string) =>
  fetch(`${url}/healthz`).then(
    (reply) => reply.ok,
    () => false,
  )

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** Brings a new database up to date. */
async function migrate(databaseUrl: string): Promise<void> {
  const env = environment({ LONGSHORE_DATABASE_URL: databaseUrl })
  const child = spawn(process.execPath, [script('migrate')], { env, stdio: 'ignore' })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`The migration ended with ${code}.`)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error())))
    })
  })
}
