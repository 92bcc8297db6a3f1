import { addFile } from '@longshore/contract/cloud/files'
import {
  archivePackage,
  archiveSent,
  deletePackage,
  finalizePackage,
  readPackage,
  unarchivePackage,
  unarchiveSent,
  updatePackage,
} from '@longshore/contract/cloud/packages'
import { psql } from '@longshore/stack/postgres'
import { type ApiLoad, apiLoad } from './api-load.ts'
import type { Benchmark, Figure, Site } from './benchmark.ts'
import { forSeconds } from './lanes.ts'
import { longestLockWait } from './lock-waits.ts'
import { openPackage, type OpenPackage } from './open-package.ts'
import { percentile } from './statistics.ts'

const full = { packages: 1_000_000, quietSeconds: 20 }
const quick = { packages: 20_000, quietSeconds: 3 }

const always = { expiry_start: '2000-01-01T00:00:00.000Z', expiry_end: '2100-01-01T00:00:00.000Z' }

const lanes = 4
const ended = 40

/** How long others wait while a Team archives everything it has, and how fast that goes. */
export const archive: Benchmark = {
  name: 'archive',
  about:
    'One call archives all expired packages of a Team, then one takes them out again. Meanwhile 4 clients of the same Team create, fill, finalize, update and read packages, and archive and unarchive single ones of those that the call is about. How long they take with and without a bulk call, and the longest that any statement waited for a lock: that is what a request waits for the bulk call and not for a core.',
  async run(site) {
    const sizes = site.quick ? quick : full
    const api = apiLoad(site.url, lanes + 1)
    try {
      await insertExpired(site, sizes.packages)
      const targets: OpenPackage[] = []
      for (let index = 0; index < ended; index++) {
        const pkg = await openPackage(api, site.team, 'ended')
        await api.call(deletePackage, { params: { package_id: pkg.id } }, pkg.token)
        targets.push(pkg)
      }
      const byKey = { 'x-api-key': site.team.api_key }
      const load = () => othersWork(site, api, targets)
      const quiet = load()
      await forSeconds(sizes.quietSeconds, lanes, quiet.turn)
      const figures: Figure[] = [...waits('without a bulk call', quiet.times)]
      for (const [name, endpoint] of [
        ['archive', archiveSent],
        ['unarchive', unarchiveSent],
      ] as const) {
        const busy = load()
        const over = new AbortController()
        const work = async () => {
          while (!over.signal.aborted) await busy.turn()
        }
        let [moved, seconds] = [0, 0]
        const waited = await longestLockWait(site.env['LONGSHORE_DATABASE_URL'] ?? '', async () => {
          const others = Promise.all(Array.from({ length: lanes }, work))
          const began = performance.now()
          try {
            moved = (await api.call(endpoint, { params: { team_id: site.team.team_id }, body: always }, byKey))
              .total_updated
            seconds = (performance.now() - began) / 1000
          } finally {
            over.abort()
            await others
          }
        })
        figures.push(
          { name: `${name}: packages moved`, value: moved, unit: '', goal: { atLeast: sizes.packages } },
          { name: `${name}: packages`, value: moved / seconds, unit: '/s' },
          { name: `beside ${name}: longest wait for a lock`, value: waited, unit: 'ms', goal: { atMost: 100 } },
          ...waits(`beside ${name}`, busy.times),
        )
      }
      return figures
    } finally {
      api.close()
    }
  },
}

function waits(when: string, times: readonly number[]): readonly Figure[] {
  return [
    { name: `${when}: requests of others`, value: times.length, unit: '' },
    { name: `${when}: p50`, value: percentile(times, 0.5), unit: 'ms' },
    { name: `${when}: p99`, value: percentile(times, 0.99), unit: 'ms' },
    { name: `${when}: slowest`, value: percentile(times, 1), unit: 'ms' },
  ]
}

/** What other members of the Team do meanwhile, each request timed. */
function othersWork(site: Site, api: ApiLoad, targets: readonly OpenPackage[]) {
  const times: number[] = []
  let turns = 0
  const timed = async <Result>(request: Promise<Result>): Promise<Result> => {
    const began = performance.now()
    const result = await request
    times.push(performance.now() - began)
    return result
  }
  const turn = async () => {
    const target = targets[turns++ % targets.length]
    const pkg = await timed(openPackage(api, site.team, 'beside'))
    const params = { package_id: pkg.id }
    const folder = { kind: 'directory', name: 'a', path: '', last_modified: '2026-01-02T03:04:05.000Z' } as const
    await timed(api.call(addFile, { params, body: folder }, pkg.token))
    await timed(api.call(finalizePackage, { params }, pkg.token))
    await timed(api.call(updatePackage, { params, body: { name: 'renamed' } }, pkg.token))
    await timed(api.call(readPackage, { params }, pkg.token))
    if (target === undefined) return
    const one = turns % 2 === 0 ? archivePackage : unarchivePackage
    await timed(api.call(one, { params: { package_id: target.id } }, target.token))
  }
  return { times, turn }
}

const rowsAtOnce = 100_000

async function insertExpired({ env, team }: Site, count: number): Promise<void> {
  const url = env['LONGSHORE_DATABASE_URL'] ?? ''
  for (let left = count; left > 0; left -= rowsAtOnce) {
    await psql(
      url,
      `insert into packages (team_id, id, name, description, state, sender, recipients, expiry, storage_location, size,
                             total_files, finalized_at, expired_at)
       select '${team.team_id}', new_id(), 'made to be archived', '', 'expired', 'sender@example.test', '{}', at, 'x', 1, 1, at, at
         from (select now() - n * interval '10 seconds' as at from generate_series(1, ${Math.min(left, rowsAtOnce)}) n) times`,
    )
  }
  await psql(url, 'vacuum analyze packages', 3_600)
}
