import { globSync } from 'node:fs'
import { dropDatabase, makeDatabase } from '@longshore/stack/longshore/database'
import { run } from '@longshore/stack/run'
import type { Stack } from '@longshore/stack/stack'

/** PostgreSQL's own benchmark on the same server: the yardstick that packages per second are held against. */
export interface Pgbench {
  /** Transactions a second of `pgbench -N` with so many clients. */
  transactionsPerSecond(clients: number, seconds: number): Promise<number>
  remove(): Promise<void>
}

export async function preparePgbench(stack: Stack, name: string, scale: number): Promise<Pgbench> {
  const url = await makeDatabase(stack, name)
  const { hostname, port, username, password } = new URL(url)
  const pgbench = (args: readonly string[], seconds: number) =>
    run(
      {
        file: program(),
        args: ['--host', hostname, '--port', port, '--username', username, ...args, name],
        cwd: '/',
        env: { PGPASSWORD: password },
      },
      '',
      seconds,
    )
  await pgbench(['--initialize', '--quiet', '--scale', String(scale)], 300)
  return {
    async transactionsPerSecond(clients, seconds) {
      const load = ['--skip-some-updates', '--no-vacuum', '--client', String(clients), '--jobs', '2']
      const said = await pgbench([...load, '--time', String(seconds)], seconds + 60)
      const tps = /tps = ([\d.]+)/.exec(said)?.[1]
      if (tps === undefined) throw new Error(`pgbench told no rate: ${said}`)
      return Number(tps)
    },
    remove: () => dropDatabase(stack, name),
  }
}

function program(): string {
  const found = globSync('/usr/lib/postgresql/*/bin/pgbench')
  const newest = found.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)
  if (newest === undefined) throw new Error('pgbench is not in /usr/lib/postgresql/*/bin; it comes with postgresql.')
  return newest
}
