import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The schema as it is now, for readers and for the comparison in CI. */
export const schemaFile = fileURLToPath(new URL('schema.sql', import.meta.url))

// Partitions of single days come and go with the calendar, and the queue's tables are its library's affair. Of the 64
// equal partitions of packages the first and the last are shown.
const leftOut = [
  '--exclude-schema=queue',
  ...['events_????????', 'deliveries_????????', 'packages_p0[1-9]', 'packages_p[1-5]?', 'packages_p6[0-2]'].map(
    (name) => `--exclude-table=${name}`,
  ),
]

/** The schema of a migrated database as text, the same for every server and every day. */
export async function schemaText(databaseUrl: string): Promise<string> {
  const url = new URL(databaseUrl)
  const password = decodeURIComponent(url.password)
  url.password = ''
  const args = ['--schema-only', '--no-owner', '--no-privileges', '--no-comments', ...leftOut, `--dbname=${url.href}`]
  const { stdout } = await promisify(execFile)(pgDump(), args, {
    env: { PGPASSWORD: password, LANG: 'C.UTF-8' },
    maxBuffer: 64 * 2 ** 20,
  })
  return normal(stdout)
}

/** Without what belongs to the version of a program and not to the schema: comments, settings, blank lines. */
function normal(dump: string): string {
  const lines = dump
    .split('\n')
    .filter((line) => !/^(--|SET |SELECT pg_catalog\.set_config|\\(un)?restrict )/.test(line))
    .join('\n')
  return `${lines.replaceAll(/\n{3,}/g, '\n\n').trim()}\n`
}

function pgDump(): string {
  const found = globSync('/usr/lib/postgresql/*/bin/pg_dump')
  const newest = found.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)
  if (newest === undefined) throw new Error("PostgreSQL's pg_dump is not in /usr/lib/postgresql/*/bin.")
  return newest
}

// node apps/server/db/dump-schema.ts [database url]; without one, the database of the server's configuration.
if (import.meta.main) {
  const url = process.argv[2] ?? (await import('#start/config')).loadConfig().LONGSHORE_DATABASE_URL
  await writeFile(schemaFile, await schemaText(url))
}
