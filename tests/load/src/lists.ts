import { listTeamPackages, listTeamPackagesLegacy, packageSorts } from '@longshore/contract/cloud/packages'
import { databaseUrl, dropDatabase } from '@longshore/stack/longshore/database'
import { type FirstTeam, makeFirstTeam } from '@longshore/stack/longshore/first-team'
import { startInstance } from '@longshore/stack/longshore/instance'
import { runScript } from '@longshore/stack/longshore/server-process'
import { psql } from '@longshore/stack/postgres'
import { type ApiLoad, apiLoad } from './api-load.ts'
import type { Benchmark, Figure, Site } from './benchmark.ts'
import { growthDuring } from './memory.ts'
import { timed } from './lanes.ts'
import { fillTeam, oneOf } from './list-data.ts'
import { removeBucket } from './site.ts'
import { percentile } from './statistics.ts'
import { shown } from './table.ts'

const small = 10_000
const full = { packages: 10_000_000, calls: 200, warmUp: 10, seconds: 30 }
const quick = { packages: 200_000, calls: 40, warmUp: 5, seconds: 4 }

/** What lists cost in a Team of very many packages, held against the same lists in a Team of ten thousand. */
export const lists: Benchmark = {
  name: 'lists',
  about:
    'One Team with very many packages and one with 10,000 of the same kind, each with its own API and database. Every list is asked for in both by turns, one call at a time, total included; ratios are of the larger to the smaller, of p50 and p95. Then the list without pages, and by how much the resident memory of the API grows meanwhile.',
  async run(site) {
    const sizes = {
      ...(site.quick ? quick : full),
      ...(site.packages === undefined ? {} : { packages: site.packages }),
    }
    const other = await startSmallOne(site)
    try {
      const large = await furnish(site, site.name, { url: site.url, env: site.env, team: site.team }, sizes.packages)
      const little = await furnish(site, other.name, other, small)
      const figures = await compared(little, large, sizes)
      return [...figures, ...(await wholeList(large, site))]
    } finally {
      await other.leave()
    }
  },
}

interface Running {
  readonly url: string
  readonly env: Readonly<Record<string, string>>
  readonly team: FirstTeam
}

async function startSmallOne(site: Site): Promise<Running & { readonly name: string; leave(): Promise<void> }> {
  const name = `${site.name}-small`
  const extra = { LONGSHORE_CALLS_PER_MINUTE: '0', LONGSHORE_LOG_LEVEL: 'warn', LONGSHORE_STORAGE_SELF_TEST: 'off' }
  const instance = await startInstance(site.stack, {
    name,
    port: site.stack.port_base + 13,
    folder: site.folder,
    worker: false,
    extra,
  })
  return {
    name,
    url: instance.url,
    env: instance.env,
    team: await makeFirstTeam(instance.url, instance.env),
    async leave() {
      await instance.stop()
      await dropDatabase(site.stack, name.replaceAll('-', '_'))
      await removeBucket(site.stack, name)
    },
  }
}

/** A Team that was filled, with what its lists are asked by. */
interface Furnished {
  readonly api: ApiLoad
  readonly params: { readonly team_id: string }
  readonly key: { readonly 'x-api-key': string }
  readonly tags: readonly string[]
  readonly spaces: readonly string[]
  readonly packages: number
}

async function furnish(site: Site, name: string, on: Running, packages: number): Promise<Furnished> {
  const database = databaseUrl(site.stack, name.replaceAll('-', '_'))
  const filled = await timed(() => fillTeam(database, on.team.team_id, packages))
  const counted = await timed(async () => {
    const { code, output } = await runScript('operate', { ...on.env, NODE_OPTIONS: '' }, ['recount', on.team.team_id])
    if (code !== 0) throw new Error(`The packages cannot be counted: ${output}`)
  })
  const size = (await psql(database, 'select pg_size_pretty(pg_database_size(current_database()))')).trim()
  console.log(`${packages} packages: filled in ${shown(filled)} s, counted in ${shown(counted)} s, ${size}`)
  const ids = async (table: string) => (await psql(database, `select id from ${table} order by id`)).trim().split('\n')
  return {
    api: apiLoad(on.url, 1),
    params: { team_id: on.team.team_id },
    key: { 'x-api-key': on.team.api_key },
    tags: await ids('tags'),
    spaces: await ids('teamspaces'),
    packages,
  }
}

type Query = Readonly<Record<string, string | number>>

interface Case {
  readonly name: string
  query(team: Furnished, total: number): Query
  /** How many times the time of the small Team it may take. */
  readonly goal?: number
}

const yearAgo = (days: number) => new Date(Date.now() - (365 - days) * 86_400_000).toISOString()
const monthOfCreation = { created_at_start: yearAgo(0), created_at_end: yearAgo(30) }
const monthOfExpiry = { expiry_start: yearAgo(0), expiry_end: yearAgo(30) }
const sender = 'sender-9@example.test'
const perPage = 50

const deepest = (total: number, page: number) => ({ page: Math.min(page, Math.floor(total / perPage)) })
const tag = ({ tags }: Furnished, index = 9) => ({ tags: tags[index] ?? '' })
const space = ({ spaces }: Furnished) => ({ teamspaces: spaces[3] ?? '' })

const cases: readonly Case[] = [
  { name: 'page 1', query: () => ({}), goal: 1.5 },
  { name: 'page 1,000, or the deepest', query: (_, total) => deepest(total, 1_000), goal: 3 },
  { name: 'page 100,000, or the deepest', query: (_, total) => deepest(total, 100_000) },
  { name: 'the last page', query: (_, total) => ({ page: Math.ceil(total / perPage) }) },
  ...packageSorts.flatMap((word) =>
    [word, `-${word}`].map((sort) => ({ name: `sort ${sort}`, query: () => ({ sort }), goal: 2 })),
  ),
  { name: 'page 1,000 by name', query: (_, total) => ({ sort: 'name', ...deepest(total, 1_000) }) },
  { name: 'name by a word that one has', query: () => ({ name: 'ypsilanti' }), goal: 4 },
  { name: 'name by a number that one has', query: ({ packages }) => ({ name: `reel ${reel(packages)}` }) },
  { name: 'name by a word that one of eight has', query: () => ({ name: 'dailies' }) },
  { name: 'tag, heaviest', query: (team) => tag(team, 0) },
  { name: 'tag, of middle weight', query: (team) => tag(team) },
  { name: 'sender, heaviest', query: () => ({ sender: 'sender-0@example.test' }) },
  { name: 'sender, of middle weight', query: () => ({ sender }) },
  { name: 'month of creation', query: () => monthOfCreation },
  { name: 'month of expiry', query: () => monthOfExpiry },
  { name: 'Teamspace', query: space },
  { name: 'extra storage', query: () => ({ extra_storage: 'true' }) },
  { name: 'no extra storage', query: () => ({ extra_storage: 'false' }) },
  { name: 'status new', query: () => ({ status: 'new' }) },
  { name: 'status finalized', query: () => ({ status: 'finalized' }) },
  { name: 'status expired', query: () => ({ status: 'expired' }) },
  { name: 'all four states', query: () => ({ status: 'new,finalized,expired,archived' }) },
  { name: 'tag and status', query: (team) => ({ ...tag(team), status: 'finalized' }) },
  { name: 'tag and month', query: (team) => ({ ...tag(team), ...monthOfCreation }) },
  { name: 'sender and month', query: () => ({ sender, ...monthOfCreation }) },
  { name: 'Teamspace and month', query: (team) => ({ ...space(team), ...monthOfCreation }) },
  { name: 'tag and Teamspace', query: (team) => ({ ...tag(team), ...space(team) }) },
  { name: 'name and month', query: () => ({ name: 'dailies', ...monthOfCreation }) },
  { name: 'name and tag', query: (team) => ({ name: 'dailies', ...tag(team) }) },
]

const reel = (packages: number) => String(oneOf(packages)).padStart(8, '0')

const ask = (team: Furnished, query: Query) =>
  team.api.call(listTeamPackages, { params: team.params, query: encoded(query) }, team.key)

const encoded = (query: Query) =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, encodeURIComponent(value)]))

async function compared(
  little: Furnished,
  large: Furnished,
  sizes: { readonly calls: number; readonly warmUp: number; readonly seconds: number },
): Promise<readonly Figure[]> {
  const totals = [(await ask(little, {})).metadata.total, (await ask(large, {})).metadata.total] as const
  const figures: Figure[] = []
  for (const { name, query, goal } of cases) {
    const queries = [query(little, totals[0]), query(large, totals[1])] as const
    const [here, there] = await byTurns(
      sizes,
      () => ask(little, queries[0]),
      () => ask(large, queries[1]),
    )
    for (const [word, share] of [
      ['p50', 0.5],
      ['p95', 0.95],
    ] as const) {
      const [a, b] = [percentile(here.times, share) * 1000, percentile(there.times, share) * 1000]
      const refused = there.refused === 0 ? '' : `, ${there.refused} of ${there.times.length} refused`
      const figure = {
        name: `${name}: ${word} ${shown(a)} → ${shown(b)} ms${refused}`,
        value: b / a,
        unit: '×',
        ...(goal === undefined ? {} : { goal: { atMost: goal } }),
      }
      // It takes its time; who waits sees how it goes.
      console.log(`${figure.name}: ${shown(figure.value)} ×`)
      figures.push(figure)
    }
  }
  return figures
}

interface Course {
  readonly times: number[]
  refused: number
}

/** One call here, one there, so that whatever else the machine does meets both alike. */
async function byTurns(
  { calls, warmUp, seconds }: { readonly calls: number; readonly warmUp: number; readonly seconds: number },
  ...works: readonly [() => Promise<unknown>, () => Promise<unknown>]
): Promise<readonly [Course, Course]> {
  const courses: readonly [Course, Course] = [
    { times: [], refused: 0 },
    { times: [], refused: 0 },
  ]
  const until = performance.now() + seconds * 1000
  for (let call = -warmUp; call < calls && (call < 5 || performance.now() < until); call++) {
    for (const [index, work] of works.entries()) {
      const course = courses[index]
      // The time until the refusal counts too: it is what the caller waited for.
      const took = await timed(() => work().catch(() => call >= 0 && course !== undefined && course.refused++))
      if (call >= 0) course?.times.push(took)
    }
  }
  return courses
}

/** Reads the list without pages to its end. What the API needs for it must not depend on how long it is. */
async function wholeList(team: Furnished, site: Site): Promise<readonly Figure[]> {
  const api = site.watched['api']
  if (api === undefined) throw new Error('The API has no process id.')
  // At full size without the expired, which are nine of ten: a million is enough to see that nothing piles up.
  const states = site.quick ? { finalized: 0 } : { expired: 0, archived: 1, new: 1 }
  const status = site.quick ? 'expired' : 'finalized,archived,new'
  const { total } = (await ask(team, { status })).metadata
  // Pages in quick succession first: V8 takes its room for short-lived objects once, whoever makes them.
  for (let call = 0; call < 600; call++) await ask(team, {})
  let [bytes, seconds] = [0, 0]
  const grown = await growthDuring(api, async () => {
    seconds = await timed(async () => {
      const reply = await team.api.drop(
        listTeamPackagesLegacy,
        { params: team.params, query: states as object },
        team.key,
      )
      bytes = reply.bytes
    })
  })
  return [
    {
      name: `list without pages, ${shown(total)} packages, ${shown(bytes / 1e6)} MB: packages`,
      value: total / seconds,
      unit: '/s',
    },
    {
      name: '… resident memory of the API grows by',
      value: grown / 1e6,
      unit: 'MB',
      goal: { atMost: 30 },
    },
  ]
}
