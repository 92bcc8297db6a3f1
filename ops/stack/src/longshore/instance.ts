import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { makeBucket, type Stack } from '#stack'
import { databaseExists, databaseUrl, makeDatabase } from './database.ts'
import { serverEnvironment } from './environment.ts'
import { runScript, type ServerProcess, startScript, untilReady } from './server-process.ts'

/** A server of its own on a stack: its database, its bucket, its API and its worker. */
export interface Instance {
  readonly url: string
  readonly env: Readonly<Record<string, string>>
  readonly api: ServerProcess
  readonly worker: ServerProcess | undefined
  stop(): Promise<void>
}

export interface InstanceOptions {
  /** Names the database and the bucket. */
  readonly name: string
  readonly port: number
  /** Where its logs go. */
  readonly folder: string
  readonly secrets?: string
  readonly extra?: Readonly<Record<string, string>>
  /** False for tests that start a worker of their own. */
  readonly worker?: boolean
}

export const newSecrets = (): string => `k1:${randomBytes(32).toString('base64url')}`

export async function startInstance(stack: Stack, options: InstanceOptions): Promise<Instance> {
  const database = options.name.replaceAll('-', '_')
  if (!(await databaseExists(stack, database))) await makeDatabase(stack, database)
  await makeBucket(stack, options.name)
  const env = serverEnvironment(stack, {
    databaseUrl: databaseUrl(stack, database),
    bucket: options.name,
    port: options.port,
    secrets: options.secrets ?? newSecrets(),
    ...(options.extra === undefined ? {} : { extra: options.extra }),
  })
  const migrated = await runScript('migrate', env)
  if (migrated.code !== 0) throw new Error(`The database cannot be migrated: ${migrated.output}`)

  const url = `http://127.0.0.1:${options.port}`
  const api = startScript('api', env, join(options.folder, 'api.log'))
  const worker = options.worker === false ? undefined : startScript('worker', env, join(options.folder, 'worker.log'))
  const stop = async () => void (await Promise.all([api.stop(), worker?.stop()]))
  try {
    await untilReady(url, api)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, env, api, worker, stop }
}
