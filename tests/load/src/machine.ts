import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { psql } from '@longshore/stack/postgres'
import { run } from '@longshore/stack/run'
import type { Stack } from '@longshore/stack/stack'

/** What the figures were taken on. Absolute ones mean nothing without it. */
export async function describeMachine(stack: Stack): Promise<Readonly<Record<string, string | number>>> {
  const [postgres, ceph] = await Promise.all([
    psql(stack.database_url, 'show server_version'),
    run({ file: 'ceph', args: ['--version'], cwd: '/' }),
  ])
  return {
    cores: cpus().length,
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memory_gib: Math.round(totalmem() / 2 ** 30),
    load_average: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    kernel: `${type()} ${release()}`,
    node: process.version,
    postgresql: postgres.trim(),
    ceph: /version (\S+)/.exec(ceph)?.[1] ?? ceph.trim(),
  }
}
