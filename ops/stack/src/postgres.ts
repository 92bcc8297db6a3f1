import { globSync } from 'node:fs'
import { access, chown, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Engine } from '#engine'
import { engineFolder, type Home } from '#home'
import { launch } from '#processes'
import { type Account, run } from '#run'

export const postgres: Engine = {
  name: 'postgres',
  children: 'postgres',
  ports: (home) => [home.ports.postgres],
  // The "fast" shutdown. SIGTERM would wait until the last client has gone.
  stopSignal: 'SIGINT',
  start,
  serves,
}

export const databaseUrl = (home: Home): string =>
  `postgres://longshore:${home.identity.postgres_password}@127.0.0.1:${home.ports.postgres}/longshore`

async function start(home: Home): Promise<void> {
  const account = await postgresAccount()
  const cluster = await clusterFolder(home)
  if (!(await exists(cluster))) await makeCluster(home, cluster, account)
  await launch(home, 'postgres', {
    file: program('postgres'),
    args: ['-D', cluster, ...settings(home)],
    cwd: cluster,
    account,
  })
}

const settings = (home: Home): string[] =>
  Object.entries({
    listen_addresses: '127.0.0.1',
    port: home.ports.postgres,
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '512MB',
    fsync: 'on',
    timezone: 'UTC',
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])

/** Makes the cluster beside its final place: an interrupted first start leaves nothing that looks complete. */
async function makeCluster(home: Home, cluster: string, account: Account | undefined): Promise<void> {
  const draft = `${cluster}.new`
  const password = `${cluster}.password`
  const as = { cwd: '/', account }
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { mode: 0o700 })
  await writeFile(password, home.identity.postgres_password, { mode: 0o600 })
  try {
    if (account !== undefined) {
      await Promise.all([draft, password].map((path) => chown(path, account.uid, account.gid)))
    }
    const choices = ['--username=longshore', `--pwfile=${password}`, '--auth=scram-sha-256', '--encoding=UTF8']
    await run({ file: program('initdb'), args: ['-D', draft, '--locale=C.UTF-8', ...choices], ...as })
    await run(
      { file: program('postgres'), args: ['--single', '-D', draft, 'postgres'], ...as },
      'create database longshore\n',
    )
  } finally {
    await rm(password, { force: true })
  }
  await rename(draft, cluster)
}

async function serves(home: Home): Promise<boolean> {
  const args = ['--dbname', databaseUrl(home).replace(/:[^:@]+@/, '@'), '--no-psqlrc', '-Atc', 'select 6 * 7']
  const env = { PGPASSWORD: home.identity.postgres_password, PGCONNECT_TIMEOUT: '2' }
  const answer = await run({ file: program('psql'), args, cwd: '/', env }, '', 5).catch(() => '')
  return answer.trim() === '42'
}

/** Runs one statement and answers its rows as psql prints them bare. The password stays off the command line. */
export function psql(url: string, statement: string, seconds = 120): Promise<string> {
  const { password } = new URL(url)
  const bare = url.replace(`:${password}@`, '@')
  const args = ['--dbname', bare, '--no-psqlrc', '-v', 'ON_ERROR_STOP=1', '-Atc', statement]
  return run(
    { file: program('psql'), args, cwd: '/', env: { PGPASSWORD: password, PGCONNECT_TIMEOUT: '5' } },
    '',
    seconds,
  )
}

/**
 * Where the database cluster lives: in the data folder, unless the account of PostgreSQL cannot get there because a
 * folder above is closed to others, as root's own home is. Then beside Debian's clusters, under the id of the stack.
 */
export async function clusterFolder(home: Home): Promise<string> {
  const folder = engineFolder(home, 'postgres')
  const inside = join(folder, 'cluster')
  const outside = join('/var/lib/postgresql', `longshore-${home.identity.id}`)
  // Where it once was made it stays, whatever has become of the folders above.
  if (await exists(outside)) return outside
  if (await exists(inside)) return inside
  const account = await postgresAccount()
  return account === undefined || (await isOpenToOthers(folder)) ? inside : outside
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

async function isOpenToOthers(folder: string): Promise<boolean> {
  const { mode } = await stat(folder)
  if ((mode & 0o001) === 0) return false
  return folder === '/' || isOpenToOthers(dirname(folder))
}

/** The account the database runs as: our own, except for root, whom PostgreSQL refuses. */
async function postgresAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map((flag) => run({ file: 'id', args: [flag, 'postgres'], cwd: '/' })),
  )
  return { uid: Number(uid), gid: Number(gid) }
}

/** Debian keeps each major version in a folder of its own; we take the newest. */
function program(name: string): string {
  const found = globSync(`/usr/lib/postgresql/*/bin/${name}`)
  const newest = found.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)
  if (newest === undefined) throw new Error(`PostgreSQL's program '${name}' is not in /usr/lib/postgresql/*/bin.`)
  return newest
}
