import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeBucket, s3Region } from '#bucket'
import { cephMon, cephOsd, gatewayUrl, radosgw } from '#ceph'
import { clamd } from '#clamd'
import type { Engine } from '#engine'
import { dataFolder, engineFolder, findHome, type Home, openHome } from '#home'
import type { S3Keys } from '#identity'
import { installMissing } from '#install'
import { locked } from '#lock'
import { mail, mailUrl, smtpUrl } from '#mail'
import { portComesFree } from '#ports'
import { clusterFolder, databaseUrl, postgres } from '#postgres'
import { endOrphans, logFile, pidOf, stop } from '#processes'
import { redis } from '#redis'
import { storageProxy, storageUrl } from '#storage-proxy'
import { makeStorageUsers } from '#storage-users'
import { writePrivately } from '#write-privately'

export { fillCustomerBucket, makeBucket, makeCustomerBucket, readCustomerBucket } from '#bucket'

/** Where everything of a stack is and how to get in. Also in the file stack.json of its data folder. */
export type Stack = {
  readonly port_base: number
  readonly data: string
  readonly database_url: string
  readonly redis_url: string
  readonly clamd: { readonly host: string; readonly port: number }
  readonly smtp_url: string
  readonly mail_url: string
  readonly s3: {
    readonly endpoint: string
    readonly public_endpoint: string
    readonly region: string
    readonly bucket: string
    readonly upload: S3Keys
    readonly read: S3Keys
    readonly janitor: S3Keys
    readonly customer: S3Keys
  }
  readonly pids: Readonly<Record<string, number>>
}

export type Options = {
  /** The data folder; `.stack` in the repository when absent. */
  readonly data?: string | undefined
  /** The first port; what the stack was made with, or 17400, when absent. */
  readonly portBase?: number | undefined
  /** The size of the storage disk, a sparse file. Heeded when the stack is made. */
  readonly osdBytes?: number | undefined
  /** Where progress goes; standard error when absent. */
  readonly say?: (line: string) => void
}

export type EngineState = {
  readonly name: string
  readonly state: 'running' | 'not serving' | 'stopped'
  readonly pid: number | undefined
}

const bucket = 'longshore'
const engines: readonly Engine[] = [postgres, redis, clamd, mail, cephMon, cephOsd, radosgw, storageProxy]

/** Starts whatever does not run, waits until all of it serves, and keeps all data. */
export async function up(options: Options = {}): Promise<Stack> {
  const say = options.say ?? ((line: string) => console.error(line))
  const data = dataFolder(options.data)
  return locked(data, async () => {
    await installMissing(say)
    const home = await openHome(data, options)
    await Promise.all(engines.map((engine) => makeFolder(home, engine)))
    await refuseTakenPorts(home)

    const begin = performance.now()
    const tell = (line: string) => say(`${((performance.now() - begin) / 1000).toFixed(2).padStart(6)} s  ${line}`)
    const raise = (engine: Engine) => raiseEngine(home, engine, tell)
    const storage = async () => {
      for (const engine of [cephMon, cephOsd, radosgw]) await raise(engine)
      await makeStorageUsers(home)
      await makeBucket(describe(home, {}), bucket)
      tell('storage: users and bucket are there')
      await raise(storageProxy)
    }
    await allOf([storage(), ...[postgres, redis, clamd, mail].map(raise)])

    const stack = describe(home, await pidsOf(home))
    await writePrivately(stackFile(home.data), `${JSON.stringify(stack, undefined, 2)}\n`)
    return stack
  })
}

/** Stops every process of the stack and no other. Its data stays. */
export async function down(options: Pick<Options, 'data'> = {}): Promise<void> {
  const data = dataFolder(options.data)
  await locked(data, async () => {
    const home = await findHome(data)
    if (home !== undefined) await stopAll(home)
  })
}

/** Stops the stack and deletes all of its data. */
export async function destroy(options: Pick<Options, 'data'> = {}): Promise<void> {
  const data = dataFolder(options.data)
  await locked(data, async () => {
    const home = await findHome(data)
    // A folder without our identity file is not ours to delete.
    if (home === undefined) return
    await stopAll(home)
    await rm(await clusterFolder(home), { recursive: true, force: true })
    await rm(home.data, { recursive: true, force: true })
  })
}

/** Starts over with new data, new secrets, and the same ports unless others are given. */
export async function reset(options: Options = {}): Promise<Stack> {
  const before = await findHome(dataFolder(options.data))
  await destroy(options)
  return up({ ...options, portBase: options.portBase ?? before?.identity.port_base })
}

/** What each engine does at the moment; empty when there is no stack in the folder. */
export async function status(options: Pick<Options, 'data'> = {}): Promise<readonly EngineState[]> {
  const home = await findHome(dataFolder(options.data))
  if (home === undefined) return []
  return Promise.all(
    engines.map(async (engine): Promise<EngineState> => {
      const pid = await pidOf(home, engine.name)
      if (pid === undefined) return { name: engine.name, state: 'stopped', pid }
      return { name: engine.name, state: (await engine.serves(home)) ? 'running' : 'not serving', pid }
    }),
  )
}

/** The description that the last `up` wrote. Says nothing about what runs now. */
export async function readStack(data?: string): Promise<Stack> {
  const file = stackFile(dataFolder(data))
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new Error(`There is no ${file}. Start the stack with 'npm run stack -- up'.`, { cause })
  })
  return JSON.parse(text) as Stack
}

/** Logs hold signed addresses and are nobody else's; but the children of an engine may run as another account. */
async function makeFolder(home: Home, { name, children }: Engine): Promise<void> {
  await mkdir(engineFolder(home, name), { recursive: true, mode: children === undefined ? 0o700 : 0o711 })
}

const stackFile = (data: string) => join(data, 'stack.json')

// A cold radosgw makes its pools first; on a busy machine of two cores that has taken half a minute.
const patienceSeconds = 90

async function raiseEngine(home: Home, engine: Engine, tell: (line: string) => void): Promise<void> {
  const isRunning = (await pidOf(home, engine.name)) !== undefined
  if (!isRunning) {
    if (engine.children !== undefined) await endOrphans(home, engine.name, engine.children)
    await engine.start(home)
  }
  const deadline = Date.now() + patienceSeconds * 1000
  while (!(await engine.serves(home))) {
    const isAlive = (await pidOf(home, engine.name)) !== undefined
    if (!isAlive || Date.now() > deadline) throw new Error(await complaint(home, engine, isAlive))
    await sleep(25)
  }
  const pid = await pidOf(home, engine.name)
  tell(`${engine.name}: ${isRunning ? 'was running' : 'started'}, pid ${pid}`)
}

async function complaint(home: Home, engine: Engine, isAlive: boolean): Promise<string> {
  const file = logFile(home, engine.name)
  const log = await readFile(file, 'utf8').catch(() => '')
  const what = isAlive ? `runs but does not serve after ${patienceSeconds} s` : 'ended right after its start'
  return `${engine.name} ${what}. The end of ${file}:\n${log.trimEnd().split('\n').slice(-8).join('\n')}`
}

async function refuseTakenPorts(home: Home): Promise<void> {
  const taken = engines.map(async (engine) => {
    if ((await pidOf(home, engine.name)) !== undefined) return []
    // What a killed engine left behind may still hold its port.
    if (engine.children !== undefined) await endOrphans(home, engine.name, engine.children)
    const ports = engine.ports(home)
    const free = await Promise.all(ports.map(portComesFree))
    return ports.filter((_, index) => !free[index]).map((port) => `${port} (for ${engine.name})`)
  })
  const all = (await Promise.all(taken)).flat()
  if (all.length === 0) return
  throw new Error(
    `Another program listens on 127.0.0.1 on port ${all.join(', ')}. ` +
      'End it, or make a stack on other ports with --port-base and --data.',
  )
}

async function stopAll(home: Home): Promise<void> {
  const lower = async (engine: Engine) => {
    await stop(home, engine.name, engine.stopSignal)
    if (engine.children !== undefined) await endOrphans(home, engine.name, engine.children)
  }
  const storage = async () => {
    // From the outside in: each of them would wait for the next one, were that gone first.
    for (const engine of [storageProxy, radosgw, cephOsd, cephMon]) await lower(engine)
  }
  await allOf([storage(), ...[postgres, redis, clamd, mail].map(lower)])
}

/** Waits for every part, so that nothing is still starting in the background when we report the failure of one. */
async function allOf(parts: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(parts)
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []))
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) throw new AggregateError(failures, failures.map(({ message }) => message).join('\n'))
}

async function pidsOf(home: Home): Promise<Record<string, number>> {
  const pids = await Promise.all(engines.map(async ({ name }) => [name, await pidOf(home, name)] as const))
  return Object.fromEntries(pids.filter((pair): pair is [string, number] => pair[1] !== undefined))
}

function describe(home: Home, pids: Readonly<Record<string, number>>): Stack {
  const { identity, ports } = home
  return {
    port_base: identity.port_base,
    data: home.data,
    database_url: databaseUrl(home),
    redis_url: `redis://:${identity.redis_password}@127.0.0.1:${ports.redis}`,
    clamd: { host: '127.0.0.1', port: ports.clamd },
    smtp_url: smtpUrl(home),
    mail_url: mailUrl(home),
    s3: {
      endpoint: gatewayUrl(home),
      public_endpoint: storageUrl(home),
      region: s3Region,
      bucket,
      ...identity.s3,
    },
    pids,
  }
}
