import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { type Client, createClient } from '@longshore/client/client'
import { dropDatabase } from '@longshore/stack/longshore/database'
import { type FirstTeam, makeFirstTeam } from '@longshore/stack/longshore/first-team'
import { startInstance } from '@longshore/stack/longshore/instance'
import { readStack, type Stack } from '@longshore/stack/stack'
import { begin, beginInTerminal, type Environment, type Ran, type Running } from '#command'
import { builtLongshore } from '#installed'

/** A user at a machine: a home of their own, and `longshore` installed. */
export interface User {
  readonly folder: string
  readonly env: Environment
  readonly longshore: (...args: readonly string[]) => Promise<Ran>
  readonly begin: (args: readonly string[], extra?: Environment) => Running
  readonly inTerminal: (args: readonly string[], columns?: number, extra?: Environment) => Running
  /** Ends the agent, and takes everything away. */
  readonly leave: () => Promise<void>
}

export async function newUser(getLongshore = builtLongshore): Promise<User> {
  const folder = await mkdtemp(join(process.env['LONGSHORE_TEST_FOLDER'] ?? tmpdir(), 'user-'))
  const command = await getLongshore(join(folder, 'program'))
  const env = {
    PATH: [dirname(command), dirname(process.execPath), process.env['PATH']].join(':'),
    HOME: folder,
    LANG: 'C.UTF-8',
    LONGSHORE_DATA_DIR: join(folder, 'data'),
  }
  const longshore = (...args: readonly string[]) => {
    const running = begin(command, args, env, folder)
    running.child.stdin?.end()
    return running.ended
  }
  return {
    folder,
    env,
    longshore,
    begin: (args, extra = {}) => begin(command, args, { ...env, ...extra }, folder),
    inTerminal: (args, columns, extra = {}) => beginInTerminal(command, args, { ...env, ...extra }, folder, columns),
    async leave() {
      await longshore('agent', 'stop')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A server of its own with a Team, which knows nothing of the command line. */
export interface Site {
  readonly stack: Stack
  readonly url: string
  readonly team: FirstTeam
  /** Calls as the Owner of the Team. */
  readonly client: Client
  readonly stop: () => Promise<void>
}

export async function newSite(): Promise<Site> {
  const stack = await theStack()
  const name = `cli-${process.pid}-${randomBytes(3).toString('hex')}`
  const instance = await startInstance(stack, {
    name,
    port: await freePort(),
    folder: join(process.env['LONGSHORE_TEST_FOLDER'] ?? tmpdir(), name),
    // What the self-test finds is asked by the tests of the server.
    extra: { LONGSHORE_CALLS_PER_MINUTE: '0', LONGSHORE_STORAGE_SELF_TEST: 'off' },
  })
  const team = await makeFirstTeam(instance.url, instance.env)
  return {
    stack,
    url: instance.url,
    team,
    client: createClient({ baseUrl: instance.url, credential: { userToken: team.user_token } }),
    async stop() {
      await instance.stop()
      await dropDatabase(stack, name.replaceAll('-', '_'))
    },
  }
}

async function theStack(): Promise<Stack> {
  const path = process.env['LONGSHORE_STACK']
  if (path === undefined) throw new Error('LONGSHORE_STACK names no stack. Run these tests by: npm test -- cli')
  return readStack(dirname(path))
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No port is free.')
  return address.port
}
