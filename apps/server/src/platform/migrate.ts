import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'
import type { Log } from '@longshore/kit/log'

const migrations = fileURLToPath(new URL('../../db/migrations', import.meta.url))

/** Brings the schema up to date. Several processes may call it at once: one works, the others wait. */
export async function migrate(databaseUrl: string, log: Log): Promise<readonly string[]> {
  const done = await runner({
    databaseUrl,
    dir: migrations,
    direction: 'up',
    migrationsTable: 'migrations',
    checkOrder: true,
    advisoryLockMode: 'wait',
    singleTransaction: true,
    log: (message) => log.debug(message),
  })
  return done.map((migration) => migration.name)
}
