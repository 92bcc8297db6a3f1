import { setTimeout as sleep } from 'node:timers/promises'
import { GiB, MiB } from '@longshore/contract/limits'
import { finalizePackage } from '@longshore/contract/cloud/packages'
import { type ApiLoad, apiLoad } from './api-load.ts'
import type { Benchmark, Figure, Site } from './benchmark.ts'
import { cpuSpent, type CpuTimes, cpuTimes } from './cpu-time.ts'
import { forEach, timed } from './lanes.ts'
import { openPackage } from './open-package.ts'
import { type StoreLoad, storeLoad } from './store-load.ts'
import { chunksAtOnce, uploadFile } from './upload-file.ts'

const filesAtOnce = 2

/** What our own processes spend while the bytes go straight to the store. */
export const controlCost: Benchmark = {
  name: 'control-cost',
  about:
    'A real upload in chunks of 100 MiB by presigned requests, from the first call to the last. CPU of our processes per GB (10⁹ bytes) moved. The API has served calls like these before; its idle time is included. Per file = add, chunk call, finalize, measured over many small files in one go.',
  async run(site) {
    const api = apiLoad(site.url, 16)
    const store = storeLoad(site.stack.s3.public_endpoint, filesAtOnce * chunksAtOnce)
    try {
      const small = Array.from({ length: site.quick ? 15 : 200 }, () => 64 * 1024)
      await uploadPackage(api, store, site, small)
      const beforeSmall = cpuTimes(site.watched)
      await uploadPackage(api, store, site, small)
      const { api: forSmall = Number.NaN } = cpuSpent(beforeSmall, cpuTimes(site.watched))

      const idle = await idlePerSecond(site)
      const sizes = site.quick ? [300 * MiB] : [GiB, GiB, GiB, GiB]
      const before = cpuTimes(site.watched)
      const seconds = await timed(() => uploadPackage(api, store, site, sizes))
      const spent = cpuSpent(before, cpuTimes(site.watched))
      const gigabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e9
      return [
        ...figuresOf(spent, idle * seconds, gigabytes, seconds),
        { name: 'CPU of the API per file while it is busy', value: (forSmall * 1000) / small.length, unit: 'ms' },
      ]
    } finally {
      api.close()
      store.close()
    }
  },
}

/** What the API takes when nobody calls it, in CPU seconds a second. */
async function idlePerSecond({ watched, quick }: Site): Promise<number> {
  const seconds = quick ? 1 : 5
  const before = cpuTimes(watched)
  await sleep(seconds * 1000)
  return (cpuSpent(before, cpuTimes(watched))['api'] ?? Number.NaN) / seconds
}

function figuresOf(spent: CpuTimes, idle: number, gigabytes: number, seconds: number): Figure[] {
  const perGigabyte = (...names: readonly string[]) =>
    (names.reduce((sum, name) => sum + (spent[name] ?? 0), 0) * 1000) / gigabytes
  return [
    { name: 'CPU of the API', value: perGigabyte('api'), unit: 'ms/GB', goal: { atMost: 5 } },
    {
      name: 'of it for the calls (without what it takes idle)',
      value: ((spent['api'] ?? Number.NaN) - idle) * (1000 / gigabytes),
      unit: 'ms/GB',
    },
    { name: 'CPU of the worker', value: perGigabyte('worker'), unit: 'ms/GB' },
    { name: 'CPU of PostgreSQL', value: perGigabyte('postgres'), unit: 'ms/GB' },
    { name: 'CPU of the store (radosgw, osd, nginx)', value: perGigabyte('radosgw', 'osd', 'nginx'), unit: 'ms/GB' },
    { name: 'CPU of the sender', value: perGigabyte('client'), unit: 'ms/GB' },
    { name: 'moved', value: gigabytes, unit: 'GB' },
    { name: 'rate, on the clock', value: (gigabytes * 1000) / seconds, unit: 'MB/s' },
  ]
}

async function uploadPackage(api: ApiLoad, store: StoreLoad, { team }: Site, sizes: readonly number[]): Promise<void> {
  const pkg = await openPackage(api, team, 'control cost')
  await forEach(sizes, filesAtOnce, (size, index) => uploadFile(api, store, pkg, `reel-${index}.mov`, size))
  await api.call(finalizePackage, { params: { package_id: pkg.id } }, pkg.token)
}
