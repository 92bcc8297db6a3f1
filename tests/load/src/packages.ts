import { randomBytes } from 'node:crypto'
import { addFiles, finalizeFiles } from '@longshore/contract/cloud/files'
import { finalizePackage } from '@longshore/contract/cloud/packages'
import { type ApiLoad, apiLoad } from './api-load.ts'
import type { Benchmark, Figure, Site } from './benchmark.ts'
import { type CpuTimes, cpuSpent, cpuTimes } from './cpu-time.ts'
import { forEach, forSeconds, timed } from './lanes.ts'
import { openPackage, type OpenPackage } from './open-package.ts'
import { type Pgbench, preparePgbench } from './pgbench.ts'
import { median } from './statistics.ts'
import { type StoreLoad, storeLoad } from './store-load.ts'

const full = { clients: [8, 16, 32], pairs: 3, scale: 20, pgbenchSeconds: 12, seconds: 8, warmUpSeconds: 5 }
const quick = { clients: [16], pairs: 1, scale: 5, pgbenchSeconds: 2, seconds: 1.5, warmUpSeconds: 1 }

/** How many small packages a second go through, held against what PostgreSQL itself does on this machine. */
export const packages: Benchmark = {
  name: 'packages',
  about:
    'A package of one 16 KiB file: create, add (batch call), PUT, finalize file (batch call), finalize package; one recipient. "Control plane" has only our calls on its clock, the PUTs lie between two timed phases; "whole" has the PUT on the clock too. The goal is for the control plane. pgbench -N has as many clients, 2 threads, and runs in turn with ours; medians of the pairs.',
  async run(site) {
    const sizes = site.quick ? quick : full
    const yardstick = await preparePgbench(site.stack, `${site.name}_pgbench`.replaceAll('-', '_'), sizes.scale)
    const most = Math.max(...sizes.clients)
    const world = {
      site,
      api: apiLoad(site.url, most),
      store: storeLoad(site.stack.s3.public_endpoint, most),
    }
    try {
      await whole(world, most, sizes.warmUpSeconds)
      const figures: Figure[] = []
      for (const clients of sizes.clients) figures.push(...(await compare(world, yardstick, clients, sizes)))
      return figures
    } finally {
      world.api.close()
      world.store.close()
      await yardstick.remove()
    }
  },
}

interface World {
  readonly site: Site
  readonly api: ApiLoad
  readonly store: StoreLoad
}

interface Pass {
  readonly packages: number
  readonly seconds: number
  readonly spent: CpuTimes
}

interface Round {
  /** What pgbench reached just before. */
  readonly tps: number
  readonly cpuPerTransaction: number
  readonly control: Pass
  readonly whole: Pass
}

async function compare(
  world: World,
  yardstick: Pgbench,
  clients: number,
  sizes: typeof full,
): Promise<readonly Figure[]> {
  const rounds: Round[] = []
  for (let pair = 0; pair < sizes.pairs; pair += 1) {
    const before = cpuTimes(world.site.watched)
    const tps = await yardstick.transactionsPerSecond(clients, sizes.pgbenchSeconds)
    const { postgres = Number.NaN } = cpuSpent(before, cpuTimes(world.site.watched))
    rounds.push({
      tps,
      cpuPerTransaction: (postgres * 1000) / (tps * sizes.pgbenchSeconds),
      control: await controlPlane(world, clients, sizes.seconds / 2),
      whole: await whole(world, clients, sizes.seconds),
    })
  }
  return figuresOf(rounds).map((figure) => ({ ...figure, name: `${clients} clients: ${figure.name}` }))
}

function figuresOf(rounds: readonly Round[]): readonly Figure[] {
  const over = (value: (round: Round) => number) => median(rounds.map(value))
  const rate = ({ packages, seconds }: Pass) => packages / seconds
  const cost = (name: string, which: 'control' | 'whole', ...processes: readonly string[]): Figure => ({
    name: `${which === 'control' ? 'control plane' : which}, CPU of ${name} per package`,
    value: over((round) => {
      const { spent, packages } = round[which]
      return (processes.reduce((sum, process) => sum + (spent[process] ?? 0), 0) * 1000) / packages
    }),
    unit: 'ms',
  })
  return [
    { name: 'pgbench -N', value: over(({ tps }) => tps), unit: '/s' },
    { name: 'control plane, packages', value: over(({ control }) => rate(control)), unit: '/s' },
    {
      name: 'control plane ÷ pgbench',
      value: over(({ tps, control }) => rate(control) / tps),
      unit: '',
      goal: { atLeast: 0.1 },
    },
    { name: 'whole, packages', value: over(({ whole }) => rate(whole)), unit: '/s' },
    { name: 'whole ÷ pgbench', value: over(({ tps, whole }) => rate(whole) / tps), unit: '' },
    {
      name: 'control plane, share of one core that the API used',
      value: over(({ control }) => (control.spent['api'] ?? 0) / control.seconds),
      unit: '',
    },
    {
      name: 'pgbench -N, CPU of PostgreSQL per transaction',
      value: over((round) => round.cpuPerTransaction),
      unit: 'ms',
    },
    cost('the API', 'control', 'api'),
    cost('PostgreSQL', 'control', 'postgres'),
    cost('radosgw and osd', 'control', 'radosgw', 'osd'),
    cost('the worker', 'control', 'worker'),
    cost('the load client', 'control', 'client'),
    cost('radosgw and osd', 'whole', 'radosgw', 'osd'),
  ]
}

const fileSize = 16 * 1024
const content = { piece: randomBytes(fileSize), length: fileSize }

interface Filled {
  readonly pkg: OpenPackage
  readonly fileId: string
  readonly put: { readonly url: string; readonly method: string; readonly headers: Readonly<Record<string, string>> }
}

/** All of it for one package after the other in each lane. */
async function whole({ site, api, store }: World, clients: number, seconds: number): Promise<Pass> {
  const before = cpuTimes(site.watched)
  const done = await forSeconds(seconds, clients, async () => {
    const filled = await open(api, site)
    await close(api, filled, await store.put(filled.put, content))
  })
  return { packages: done.turns, seconds: done.seconds, spent: cpuSpent(before, cpuTimes(site.watched)) }
}

/** The same in three phases. Clock and CPU time count in the first and the last. */
async function controlPlane({ site, api, store }: World, clients: number, seconds: number): Promise<Pass> {
  const filled: Filled[] = []
  const begin = cpuTimes(site.watched)
  const opening = await forSeconds(seconds, clients, async () => void filled.push(await open(api, site)))
  const opened = cpuSpent(begin, cpuTimes(site.watched))

  const stored = await forEach(filled, clients, async (one) => ({ one, etag: await store.put(one.put, content) }))

  const again = cpuTimes(site.watched)
  const closing = await timed(() => forEach(stored, clients, ({ one, etag }) => close(api, one, etag)))
  const closed = cpuSpent(again, cpuTimes(site.watched))
  const spent = Object.fromEntries(Object.entries(opened).map(([name, cpu]) => [name, cpu + (closed[name] ?? 0)]))
  return { packages: filled.length, seconds: opening.seconds + closing, spent }
}

async function open(api: ApiLoad, { team }: Site): Promise<Filled> {
  const pkg = await openPackage(api, team, 'small')
  const file = {
    kind: 'file',
    name: 'note.txt',
    path: '',
    last_modified: '2026-01-02T03:04:05.000Z',
    size: fileSize,
  } as const
  const { files } = await api.call(addFiles, { params: { package_id: pkg.id }, body: { files: [file] } }, pkg.token)
  const added = files[0]
  if (added === undefined || added.put_blueprint === null) throw new Error('The file came without its one request.')
  return { pkg, fileId: added.file.id, put: added.put_blueprint }
}

async function close(api: ApiLoad, { pkg, fileId }: Filled, etag: string): Promise<void> {
  const params = { package_id: pkg.id }
  const body = { files: [{ file_id: fileId, size: fileSize, etag }] }
  const { results } = await api.call(finalizeFiles, { params, body }, pkg.token)
  if (results[0]?.status !== 204) throw new Error(`A file was not finalized: ${JSON.stringify(results)}`)
  await api.call(finalizePackage, { params }, pkg.token)
}
