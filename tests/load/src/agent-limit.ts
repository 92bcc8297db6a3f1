import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@longshore/client/client'
import { setUploadLimit } from '@longshore/contract/agent/settings'
import { pauseUpload, readUpload, startUpload } from '@longshore/contract/agent/uploads'
import { GiB, MiB } from '@longshore/contract/limits'
import { type AgentSite, openAgentSite, undisturbed } from './agent-site.ts'
import { makeFiles } from './agent-upload.ts'
import type { Benchmark, Figure, Site } from './benchmark.ts'

const bytesPerSecond = 20e6

export const agentLimit: Benchmark = {
  name: 'agent-limit',
  about:
    'A limit of 20 MB/s: what the agent sends in 30 seconds under it, set before the upload and set in the middle of one. By the progress that the agent shows.',
  async run(site) {
    const seconds = site.quick ? 5 : 30
    const agent = await openAgentSite(site)
    try {
      await makeFiles(join(agent.folder, 'reels'), site.quick ? 256 * MiB : GiB)
      const before = await undisturbed(site, () => measured(site, agent, seconds, 'before'))
      const during = await undisturbed(site, () => measured(site, agent, seconds, 'during'))
      return [figure('set before', before), figure('set during the upload', during)]
    } finally {
      await agent.leave()
    }
  },
}

const figure = (name: string, rate: number): Figure => ({
  name: `${name}: away from the limit`,
  value: Math.abs(rate / bytesPerSecond - 1) * 100,
  unit: '%',
  goal: { atMost: 5 },
})

/** Bytes a second that were sent under the limit. */
async function measured(site: Site, agent: AgentSite, seconds: number, set: 'before' | 'during'): Promise<number> {
  const local = createClient({ baseUrl: agent.url })
  const limit = (enabled: boolean) =>
    local.call(setUploadLimit, { body: { enabled, rate_limit_bps: bytesPerSecond * 8 } })
  await limit(set === 'before')
  const body = { team_id: site.team.team_id, paths: [join(agent.folder, 'reels')] }
  const { upload_id } = await local.call(startUpload, { body })
  const sent = async () => (await local.call(readUpload, { params: { upload_id }, query: { items_limit: 1 } })).progress
  while ((await sent()) === 0) await sleep(50)
  await limit(true)
  // What was on its way when the limit came is none of it.
  await sleep(1_000)
  const [from, begin] = [await sent(), performance.now()]
  await sleep(seconds * 1000)
  const rate = ((await sent()) - from) / ((performance.now() - begin) / 1000)
  await local.call(pauseUpload, { params: { upload_id } })
  await limit(false)
  return rate
}
