import { setTimeout as sleep } from 'node:timers/promises'
import { addFiles, chunkRequests } from '@longshore/contract/cloud/files'
import { defaultChunkSize } from '@longshore/contract/limits'
import { type ApiLoad, apiLoad } from './api-load.ts'
import type { Benchmark, Site } from './benchmark.ts'
import { cpuSpent, cpuTimes } from './cpu-time.ts'
import { loadClient } from './http-load.ts'
import { forEach } from './lanes.ts'
import { type Answered, openLoop } from './open-loop.ts'
import { openPackage, type OpenPackage } from './open-package.ts'
import { percentile } from './statistics.ts'

const callsPerSecond = 500
const filesInPackage = 5
// A file is asked about so often: the first call notes its upload, the others only read.
const callsPerFile = 5

/** How long a chunk call takes while they come at a steady rate, whether or not the ones before were answered. */
export const chunkLatency: Benchmark = {
  name: 'chunk-latency',
  about:
    '500 chunk calls a second (count=1 to 10) on a fixed schedule, each of another file, package and token than the one before. Times run from the moment a call was due, so a stall counts for every call behind it.',
  async run(site) {
    const seconds = site.quick ? 5 : 20
    const api = apiLoad(site.url, 200)
    try {
      const calls = callsPerSecond * seconds
      const ask = await caller(api, site, calls)
      await openLoop(callsPerSecond, callsPerSecond, ask)
      const idle = await loopLag(site.url, () => sleep(2000))
      const before = cpuTimes(site.watched)
      let answered: Answered = { fromDue: [], late: [] }
      const lag = await loopLag(site.url, async () => {
        answered = await openLoop(callsPerSecond, calls, ask)
      })
      const { api: cpu = Number.NaN } = cpuSpent(before, cpuTimes(site.watched))
      return [
        { name: 'p50, from when the call was due', value: percentile(answered.fromDue, 0.5), unit: 'ms' },
        { name: 'p99, from when the call was due', value: percentile(answered.fromDue, 0.99), unit: 'ms' },
        { name: 'slowest', value: Math.max(...answered.fromDue), unit: 'ms' },
        { name: 'p99 of how late the load itself was', value: percentile(answered.late, 0.99), unit: 'ms' },
        // The API looks every 10 ms, and its figure holds these 10 ms: what an idle loop shows is taken off.
        { name: 'event loop of the API, p99 delay', value: lag - idle, unit: 'ms', goal: { atMost: 20 } },
        { name: 'CPU of the API per call', value: (cpu * 1000) / calls, unit: 'ms' },
      ]
    } finally {
      api.close()
    }
  },
}

async function caller(api: ApiLoad, site: Site, calls: number): Promise<(turn: number) => Promise<unknown>> {
  const packages = Array.from({ length: Math.ceil(calls / callsPerFile / filesInPackage) }, (_, index) => index)
  const filled = await forEach(packages, 8, () => openFilled(api, site))
  // By file and then by package, so that neighbours in time have nothing in common.
  const files = Array.from({ length: filesInPackage }, (_, index) =>
    filled.map(({ pkg, fileIds }) => ({ pkg, fileId: fileIds[index] ?? '' })),
  ).flat()
  return (turn) => {
    const file = files[turn % files.length]
    if (file === undefined) throw new Error('There are no files.')
    const params = { package_id: file.pkg.id, file_id: file.fileId }
    const query = { start: turn % 90, count: (turn % 10) + 1 }
    const body = { upload_id: `2~${file.fileId}` }
    return api.drop(chunkRequests, { params, query, body }, file.pkg.token)
  }
}

async function openFilled(api: ApiLoad, { team }: Site): Promise<{ pkg: OpenPackage; fileIds: readonly string[] }> {
  const pkg = await openPackage(api, team, 'chunk latency')
  const files = Array.from({ length: filesInPackage }, (_, index) => ({
    kind: 'file' as const,
    name: `reel-${index}.mov`,
    path: 'day 1',
    last_modified: '2026-01-02T03:04:05.000Z',
    size: 100 * defaultChunkSize,
  }))
  const added = await api.call(addFiles, { params: { package_id: pkg.id }, body: { files } }, pkg.token)
  return { pkg, fileIds: added.files.map(({ file }) => file.id) }
}

/** The API's own p99 of its event loop in milliseconds, over this work alone: every reading starts it anew. */
async function loopLag(url: string, work: () => Promise<unknown>): Promise<number> {
  const http = loadClient(url, 1)
  const read = async () => {
    const { text } = await http.send({ method: 'GET', path: '/metrics', headers: {} })
    return Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(text)?.[1] ?? Number.NaN) * 1000
  }
  try {
    await read()
    await work()
    return await read()
  } finally {
    http.close()
  }
}
