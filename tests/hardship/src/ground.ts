import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '@longshore/client/client'
import { dropDatabase } from '@longshore/stack/longshore/database'
import { type FirstTeam, makeFirstTeam } from '@longshore/stack/longshore/first-team'
import { startInstance } from '@longshore/stack/longshore/instance'
import { type ServerProcess, startScript, untilReady } from '@longshore/stack/longshore/server-process'
import { psql } from '@longshore/stack/postgres'
import { readStack, type Stack } from '@longshore/stack/stack'

/** A server of its own, whose processes may be killed: its database, its bucket, its Team. */
export interface Ground {
  readonly stack: Stack
  readonly url: string
  readonly bucket: string
  readonly team: FirstTeam
  /** Calls with the Team's API key. */
  readonly client: Client
  /** Every log that a process of this ground wrote, in one text. */
  readonly logs: () => string
  /** Starts the API and waits until it serves; `extra` settings are for this process alone. */
  readonly startApi: (extra?: Settings) => Promise<ServerProcess>
  readonly startWorker: (extra?: Settings) => ServerProcess
  /** Asks the database, and answers rows as psql prints them bare. */
  readonly ask: (query: string) => Promise<string[]>
}

type Settings = Readonly<Record<string, string>>

export async function sharedStack(): Promise<Stack> {
  const path = process.env['LONGSHORE_STACK']
  if (path === undefined || path === '') {
    throw new Error('Set LONGSHORE_STACK to the stack.json of a running stack (npm test -- hardship does all of it)')
  }
  return readStack(dirname(path))
}

const settings: Settings = {
  LONGSHORE_CALLS_PER_MINUTE: '0',
  // Tried at every start otherwise, and these tests start often.
  LONGSHORE_STORAGE_SELF_TEST: 'off',
}

/** A fresh ground with its API running and no worker. Everything it started ends with the test. */
export async function newGround(t: TestContext, on?: Stack): Promise<Ground & { readonly api: ServerProcess }> {
  const stack = on ?? (await sharedStack())
  const name = `hard-${process.pid}-${randomBytes(3).toString('hex')}`
  const folder = join(process.env['LONGSHORE_TEST_FOLDER'] ?? tmpdir(), name)
  const processes: ServerProcess[] = []
  t.after(async () => {
    await Promise.all(processes.map((one) => one.kill()))
    await dropDatabase(stack, name.replaceAll('-', '_'))
  })
  const port = await freePort()
  const instance = await startInstance(stack, { name, port, folder, worker: false, extra: settings })
  processes.push(instance.api)
  const start = (script: 'api' | 'worker', extra: Settings) => {
    const one = startScript(script, { ...instance.env, ...extra }, join(folder, `${script}-${processes.length}.log`))
    processes.push(one)
    return one
  }
  const team = await makeFirstTeam(instance.url, instance.env)
  return {
    stack,
    url: instance.url,
    bucket: name,
    team,
    api: instance.api,
    client: createClient({ baseUrl: instance.url, credential: { apiKey: team.api_key } }),
    logs: () => [...new Set(processes.map((one) => one.logFile))].map((file) => readFileSync(file, 'utf8')).join('\n'),
    async startApi(extra = {}) {
      const api = start('api', extra)
      await untilReady(instance.url, api)
      return api
    },
    startWorker: (extra = {}) => start('worker', extra),
    async ask(query) {
      const text = await psql(instance.env['LONGSHORE_DATABASE_URL'] ?? '', query)
      return text.split('\n').filter((line) => line !== '')
    },
  }
}

/** How a process ended: by itself with a code, or by a signal. */
export async function endOf(one: ServerProcess): Promise<number | NodeJS.Signals | null> {
  await one.ended
  return one.child.exitCode ?? one.child.signalCode
}

/** Waits until something is so, and answers after how many seconds it was. */
export async function until(what: string, isSo: () => Promise<boolean>, seconds: number): Promise<number> {
  const startedAt = performance.now()
  while (!(await isSo())) {
    if (performance.now() - startedAt > seconds * 1000) throw new Error(`After ${seconds} s still not so: ${what}`)
    await sleep(100)
  }
  return (performance.now() - startedAt) / 1000
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
