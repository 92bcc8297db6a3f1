import { chunkRequests } from '@longshore/contract/cloud/files'
import { defaultChunkSize, maxChunkRequests } from '@longshore/contract/limits'
import { type ApiLoad, apiLoad } from './api-load.ts'
import type { Benchmark, Figure, Site } from './benchmark.ts'
import { cpuSpent, cpuTimes } from './cpu-time.ts'
import { forSeconds } from './lanes.ts'
import { addChunkedFile, openPackage } from './open-package.ts'

const chunks = 9_000
const goal = { atLeast: 30_000 }

/** How many signed chunk requests one API process makes, a thousand in a call. */
export const blueprints: Benchmark = {
  name: 'blueprints',
  about:
    'Chunk calls with count=1000 over HTTP against one API process. Per core = divided by the CPU seconds of that process.',
  async run(site) {
    const api = apiLoad(site.url, 4)
    try {
      const ask = await chunkCaller(api, site)
      await forSeconds(site.quick ? 0.5 : 3, 4, ask)
      const figures: Figure[] = []
      for (const clients of [1, 4]) {
        const before = cpuTimes(site.watched)
        const { turns, seconds } = await forSeconds(site.quick ? 1.5 : 10, clients, ask)
        const { api: cpu = Number.NaN } = cpuSpent(before, cpuTimes(site.watched))
        const made = turns * maxChunkRequests
        const by = `${clients} client${clients === 1 ? '' : 's'}`
        figures.push(
          { name: `${by}: blueprints per core-second of the API`, value: made / cpu, unit: '/s', goal },
          { name: `${by}: blueprints per second on the clock`, value: made / seconds, unit: '/s' },
        )
      }
      return figures
    } finally {
      api.close()
    }
  },
}

async function chunkCaller(api: ApiLoad, { team }: Site): Promise<(turn: number) => Promise<void>> {
  const pkg = await openPackage(api, team, 'blueprints')
  const file = await addChunkedFile(api, pkg, 'large.mov', chunks * defaultChunkSize)
  const params = { package_id: pkg.id, file_id: file.id }
  // Nothing is sent to the store here, so the upload needs no more than a name of the usual length.
  const body = { upload_id: '2~0123456789abcdefghijklmnopqrstu' }
  const input = (start: number) => ({ params, query: { start, count: maxChunkRequests }, body })

  const first = await api.call(chunkRequests, input(0), pkg.token)
  if (first.length !== maxChunkRequests) throw new Error(`${first.length} blueprints came.`)
  return async (turn) => {
    await api.drop(chunkRequests, input((turn * maxChunkRequests) % chunks), pkg.token)
  }
}
