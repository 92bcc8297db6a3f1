import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'node:http'
import { addFile, listFiles } from '@longshore/contract/cloud/files'
import { finalizePackage } from '@longshore/contract/cloud/packages'
import { databaseUrl } from '@longshore/stack/longshore/database'
import { psql } from '@longshore/stack/postgres'
import { apiLoad } from './api-load.ts'
import type { Benchmark, Figure, Site } from './benchmark.ts'
import { growthDuring } from './memory.ts'
import { type OpenPackage, openPackage } from './open-package.ts'

/** One package of very many files: what its list costs, from rows and frozen. */
export const fileList: Benchmark = {
  name: 'file-list',
  about:
    'The file list of a package with 1,000,000 files over one connection: time to the first byte, the whole list, and how ' +
    'far the memory of the API grows meanwhile. Once from live rows, once frozen. The rows are written by SQL; a first, ' +
    'small list warms the process.',
  async run(site) {
    const count = site.quick ? 50_000 : 1_000_000
    const ask = (statement: string) => psql(databaseUrl(site.stack, site.name.replaceAll('-', '_')), statement)
    const [small, large] = [await sentPackage(site, ask, 20_000), await sentPackage(site, ask, count)]
    for (let warm = 0; warm < 3; warm++) await fetchList(site, small)
    const live = await measured(site, large, count)
    const seconds = await frozen(ask, large)
    const cold = await measured(site, large, count)
    // Files without bytes: nothing of them may be left for what a reconciler is asked later.
    for (const { id } of [small, large]) {
      await ask(`delete from files where package_id = '${id}'; delete from frozen_files where package_id = '${id}'`)
    }
    return [
      ...figures('live', live),
      { name: 'freezing, by the worker', value: count / seconds, unit: 'files/s' },
      ...figures('frozen', cold),
    ]
  },
}

type Ask = (statement: string) => Promise<string>

async function sentPackage(site: Site, ask: Ask, files: number): Promise<OpenPackage> {
  const api = apiLoad(site.url, 1)
  const pkg = await openPackage(api, site.team, `${files} files`)
  const params = { package_id: pkg.id }
  const body = { kind: 'directory', name: 'all', path: '', last_modified: '2026-01-02T03:04:05.000Z' } as const
  await api.call(addFile, { params, body }, pkg.token)
  await ask(`
    insert into files (team_id, package_id, id, kind, path, name, size, last_modified, chunk_size, state, object_key,
                       sha256, crc32, scan, inspected_at)
    select team_id, id, new_id(), 'file', 'all/' || n / 1000, 'frame-' || lpad(n::text, 8, '0') || '.dpx', 12582912 + n,
           timestamptz '2026-01-02' + n * interval '1 second', 104857600, 'finalized',
           'ab/' || team_id || '/' || id || '/' || gen_random_uuid() || '/' || md5(n::text), sha256(n::text::bytea),
           int4send(n), 'clean', now()
      from packages, generate_series(1, ${files}) n where id = '${pkg.id}'`)
  await ask('analyze files')
  await api.call(finalizePackage, { params }, pkg.token)
  api.close()
  return pkg
}

interface Fetched {
  readonly firstByteMs: number
  readonly seconds: number
  readonly bytes: number
}

function fetchList(site: Site, pkg: OpenPackage): Promise<Fetched> {
  const agent = new Agent({ keepAlive: false })
  const path = listFiles.path.replace(':package_id', pkg.id)
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    request(new URL(path, site.url), { agent, headers: { ...pkg.token } }, (answer) => {
      let [firstByteMs, bytes] = [0, 0]
      answer.on('data', (piece: Buffer) => {
        if (bytes === 0) firstByteMs = performance.now() - startedAt
        bytes += piece.length
      })
      answer.once('error', reject)
      answer.once('end', () => {
        const seconds = (performance.now() - startedAt) / 1000
        if (answer.statusCode === 200) resolve({ firstByteMs, seconds, bytes })
        else reject(new Error(`The list was answered ${answer.statusCode}.`))
      })
    })
      .once('error', reject)
      .end()
  })
}

async function measured(site: Site, pkg: OpenPackage, count: number) {
  const pid = site.watched['api']
  if (pid === undefined) throw new Error('The API has no process that could be watched.')
  let fetched: Fetched | undefined
  const grown = await growthDuring(pid, async () => {
    fetched = await fetchList(site, pkg)
  })
  if (fetched === undefined || fetched.bytes < count * 200) throw new Error(`Not the list of ${count} files.`)
  return { ...fetched, megabytes: grown / 1e6, rate: count / fetched.seconds }
}

const figures = (what: string, found: Awaited<ReturnType<typeof measured>>): Figure[] => [
  { name: `${what}: first byte`, value: found.firstByteMs, unit: 'ms', goal: { atMost: 300 } },
  { name: `${what}: memory of the API grows by`, value: found.megabytes, unit: 'MB', goal: { atMost: 30 } },
  { name: `${what}: files listed`, value: found.rate, unit: 'files/s' },
]

/** Lets the worker freeze a list now, and answers how long it took. */
async function frozen(ask: Ask, pkg: OpenPackage): Promise<number> {
  const startedAt = performance.now()
  await ask(`update freezes set due = now() where package_id = '${pkg.id}'`)
  while ((await ask(`select 1 from freezes where package_id = '${pkg.id}'`)).trim() === '1') await sleep(200)
  return (performance.now() - startedAt) / 1000
}
