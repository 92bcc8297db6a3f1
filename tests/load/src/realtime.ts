import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { addFile } from '@longshore/contract/cloud/files'
import { readPackage } from '@longshore/contract/cloud/packages'
import { reportProgress } from '@longshore/contract/cloud/realtime'
import { GiB } from '@longshore/contract/limits'
import { type ApiLoad, apiLoad } from './api-load.ts'
import type { Benchmark, Figure, Site } from './benchmark.ts'
import { cpuSpent, cpuTimes } from './cpu-time.ts'
import { forEach } from './lanes.ts'
import type { Heard, Seat } from './listeners.ts'
import { openLoop } from './open-loop.ts'
import { openPackage, type OpenPackage } from './open-package.ts'
import { percentile } from './statistics.ts'

const full = { listeners: 2_000, uploads: 200, rounds: 3, seconds: 15 }
const quick = { listeners: 200, uploads: 20, rounds: 1, seconds: 4 }
const otherCallsPerSecond = 100
const patienceMs = 60_000

/** What people who follow uploads cost those who do not. */
export const realtime: Benchmark = {
  name: 'realtime',
  about:
    'Uploads that report their progress once a second, and listeners who follow them, spread over two API processes; 100 other calls a second (read a package), timed from when each was due. Rounds without and with listeners in turn; the calmest of each are compared. In the end each upload reports once more, and every listener must be told.',
  async run(site) {
    const sizes = site.quick ? quick : full
    const second = await site.startSecondApi()
    const processes: readonly Process[] = [
      { url: site.url, api: apiLoad(site.url, 64), pid: site.watched['api'] ?? 0 },
      { url: second.url, api: apiLoad(second.url, 64), pid: second.pid },
    ]
    try {
      const uploads = await forEach(Array.from({ length: sizes.uploads }), 8, () => openUpload(site, processes))
      const world = { processes, uploads, watched: { ...site.watched, second: second.pid } }
      await measured(world, 0, Math.min(5, sizes.seconds))
      const rounds: Round[] = []
      for (let nth = 1; nth <= sizes.rounds; nth++) rounds.push(await round(world, nth, sizes))
      return figuresOf(rounds, sizes)
    } finally {
      for (const { api } of processes) api.close()
    }
  },
}

interface Process {
  readonly url: string
  readonly api: ApiLoad
  readonly pid: number
}

interface World {
  readonly processes: readonly Process[]
  readonly uploads: readonly OpenPackage[]
  readonly watched: Site['watched']
}

interface Pass {
  readonly p50: number
  readonly p99: number
  /** CPU seconds of both API processes for each second. */
  readonly cores: number
}

interface Round {
  readonly without: Pass
  readonly with: Pass
  readonly eventsPerSecond: number
  readonly toldLast: number
  /** Milliseconds from the last report to the last listener. */
  readonly lastWord: number
  readonly memoryPerListener: number
}

async function openUpload(site: Site, [first]: readonly Process[]): Promise<OpenPackage> {
  if (first === undefined) throw new Error('There is no process.')
  const pkg = await openPackage(first.api, site.team, 'realtime')
  const file = {
    kind: 'file',
    name: 'reel.mov',
    path: '',
    last_modified: '2026-01-02T03:04:05.000Z',
    size: GiB,
  } as const
  await first.api.call(addFile, { params: { package_id: pkg.id }, body: file }, pkg.token)
  return pkg
}

async function round(world: World, nth: number, sizes: typeof full): Promise<Round> {
  const without = await measured(world, nth * 2, sizes.seconds)
  const memoryBefore = memoryOf(world)
  const seats = Array.from({ length: sizes.listeners }, (_, index) => seatOf(world, index))
  const listeners = startListeners()
  try {
    const before = await heardBy(listeners, seats)
    const memory = memoryOf(world) - memoryBefore
    const withListeners = await measured(world, nth * 2 + 1, sizes.seconds)
    const events = (await heardBy(listeners)).events - before.events
    return {
      without,
      with: withListeners,
      eventsPerSecond: events / sizes.seconds,
      memoryPerListener: memory / sizes.listeners,
      ...(await lastWord(world, listeners, nth)),
    }
  } finally {
    listeners.process.kill()
    // Connections that were cut are noticed at the other end.
    await sleep(1_000)
  }
}

function seatOf({ processes, uploads }: World, index: number): Seat {
  const pkg = uploads[index % uploads.length]
  const at = processes[Math.floor(index / uploads.length) % processes.length]
  if (pkg === undefined || at === undefined) throw new Error('There is nothing to follow.')
  return { url: `${at.url}/v1/packages/${pkg.id}/events`, token: pkg.token['x-package-token'] }
}

interface Listeners {
  readonly process: ChildProcess
  /** Aborted when the process ends, as it does when one of them is refused. */
  readonly ended: AbortSignal
}

function startListeners(): Listeners {
  const ending = new AbortController()
  const process = fork(new URL('listeners.ts', import.meta.url)).once('exit', () => ending.abort())
  return { process, ended: ending.signal }
}

/** Seats further listeners, if any, and answers what all of them have heard so far. */
async function heardBy(listeners: Listeners, seats: readonly Seat[] = []): Promise<Heard> {
  listeners.process.send(seats)
  const [heard] = (await once(listeners.process, 'message', { signal: listeners.ended })) as [Heard]
  return heard
}

const at = <Item>(items: readonly Item[], turn: number): Item => {
  const item = items[turn % items.length]
  if (item === undefined) throw new Error('There is nothing to take turns with.')
  return item
}

const report = ({ processes, uploads }: World, turn: number, uploaded_bytes: number) => {
  const pkg = at(uploads, turn)
  const { api } = at(processes, turn + Math.floor(turn / uploads.length))
  return api.call(reportProgress, { params: { package_id: pkg.id }, body: { uploaded_bytes } }, pkg.token)
}

/** Uploads go on and others call, for so long. Each phase begins where the one before has ended. */
async function measured(world: World, phase: number, seconds: number): Promise<Pass> {
  const { uploads, processes } = world
  const before = cpuTimes(world.watched)
  const reporting = openLoop(uploads.length, uploads.length * seconds, (turn) =>
    report(world, turn, phase * 1_000_000 + Math.floor(turn / uploads.length) * 1_000),
  )
  const others = await openLoop(otherCallsPerSecond, otherCallsPerSecond * seconds, (turn) => {
    const pkg = at(uploads, turn)
    return at(processes, turn).api.drop(readPackage, { params: { package_id: pkg.id } }, pkg.token)
  })
  await reporting
  const { api = 0, second = 0 } = cpuSpent(before, cpuTimes(world.watched))
  return {
    p50: percentile(others.fromDue, 0.5),
    p99: percentile(others.fromDue, 0.99),
    cores: (api + second) / seconds,
  }
}

async function lastWord(
  world: World,
  listeners: Listeners,
  nth: number,
): Promise<Pick<Round, 'toldLast' | 'lastWord'>> {
  const last = nth * 2_000_000 + 1_999_999
  await forEach(world.uploads.keys(), 8, (index) => report(world, index, last))
  const startedAt = performance.now()
  while (true) {
    const { furthest } = await heardBy(listeners)
    const toldLast = furthest.filter((bytes) => bytes >= last).length
    const took = performance.now() - startedAt
    if (toldLast === furthest.length || took > patienceMs) return { toldLast, lastWord: took }
    await sleep(20)
  }
}

/** Bytes that both API processes have in memory. */
const memoryOf = ({ processes }: World): number =>
  processes.reduce((sum, { pid }) => {
    const [, kib = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return sum + Number(kib) * 1024
  }, 0)

function figuresOf(rounds: readonly Round[], sizes: typeof full): readonly Figure[] {
  const calmest = (passes: readonly Pass[]) => passes.reduce((best, one) => (one.p99 < best.p99 ? one : best))
  const without = calmest(rounds.map((round) => round.without))
  const withListeners = calmest(rounds.map((round) => round.with))
  const most = (value: (round: Round) => number) => Math.max(...rounds.map(value))
  return [
    {
      name: `listeners told the last word, of ${sizes.listeners} in each round, fewest`,
      value: Math.min(...rounds.map(({ toldLast }) => toldLast)),
      unit: '',
      goal: { atLeast: sizes.listeners },
    },
    { name: 'last report → last listener, slowest round', value: most((round) => round.lastWord), unit: 'ms' },
    { name: 'events read by listeners', value: most((round) => round.eventsPerSecond), unit: '/s' },
    { name: 'other calls, p50 without listeners', value: without.p50, unit: 'ms' },
    { name: 'other calls, p50 with listeners', value: withListeners.p50, unit: 'ms' },
    { name: 'other calls, p99 without listeners', value: without.p99, unit: 'ms' },
    { name: 'other calls, p99 with listeners', value: withListeners.p99, unit: 'ms' },
    { name: 'p99 with ÷ without', value: withListeners.p99 / without.p99, unit: '', goal: { atMost: 2 } },
    { name: 'cores of both API processes without listeners', value: without.cores, unit: '' },
    { name: 'cores of both API processes with listeners', value: withListeners.cores, unit: '' },
    { name: 'memory of both API processes per listener', value: most((r) => r.memoryPerListener) / 1024, unit: 'KiB' },
  ]
}
