import { hash, randomBytes } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { createLog } from '@longshore/kit/log'
import { migrate } from '#platform/migrate'
import { prepareQueue } from '#queue/engine'
import { testStack } from './stack.ts'

const server = join(import.meta.dirname, '..')

export function databaseAddress(name: string): string {
  const url = new URL(testStack().database_url)
  url.pathname = `/${name}`
  return url.href
}

/** Runs statements outside of every test database. */
async function asOperator<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: testStack().database_url, application_name: 'longshore-test-kit' })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Named by what it is made of: a change of a migration or of the queue makes another template. */
function templateName(): string {
  const made = ['db/migrations/*.sql', 'src/queue/*.ts', 'src/platform/migrate.ts']
  const files = made.flatMap((pattern) => globSync(pattern, { cwd: server })).toSorted()
  const library = readFileSync(new URL('../package.json', import.meta.resolve('pg-boss')), 'utf8')
  const content = [...files.map((file) => `${file}\n${readFileSync(join(server, file), 'utf8')}`), library]
  return `template_${hash('sha256', content.join('\n')).slice(0, 16)}`
}

// Any number, as long as every test process takes the same.
const templateLock = 7_210_331

const isThere = async (client: pg.Client, name: string) =>
  (await client.query('select 1 from pg_database where datname = $1', [name])).rowCount === 1

async function makeTemplate(): Promise<string> {
  const name = templateName()
  await asOperator(async (client) => {
    if (await isThere(client, name)) return
    await client.query('select pg_advisory_lock($1)', [templateLock])
    if (await isThere(client, name)) return
    // Under another name until it is whole: a run that is stopped here leaves nothing that looks finished.
    const draft = `${name}_draft`
    await client.query(`drop database if exists ${draft} with (force)`)
    await client.query(`create database ${draft}`)
    await migrate(databaseAddress(draft), createLog('test', 'silent'))
    await prepareQueue(databaseAddress(draft))
    await client.query(`alter database ${draft} rename to ${name}`)
  })
  return name
}

let template: Promise<string> | undefined

export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** A database of its own: migrated, empty, on the real engine. */
export async function makeTestDatabase(): Promise<TestDatabase> {
  const source = await (template ??= makeTemplate())
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`
  await asOperator((client) => client.query(`create database ${name} template ${source}`))
  return dropping(name)
}

/** A database with nothing in it, for what is to be migrated by the test itself. */
export async function makeEmptyDatabase(): Promise<TestDatabase> {
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`
  await asOperator((client) => client.query(`create database ${name}`))
  return dropping(name)
}

const dropping = (name: string): TestDatabase => ({
  url: databaseAddress(name),
  drop: () => asOperator(async (client) => void (await client.query(`drop database if exists ${name} with (force)`))),
})
