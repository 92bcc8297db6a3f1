import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openAgentSite } from './agent-site.ts'
import { makeSmallFiles } from './agent-small-files.ts'
import type { Benchmark, Site } from './benchmark.ts'
import { highestResident } from './memory.ts'

export const agentMemory: Benchmark = {
  name: 'agent-memory',
  about:
    'The most that an agent ever had in memory (its high-water mark, program included) after it sent 100,000 files in one upload, and another after 1,000.',
  async run(site) {
    const [few, many] = site.quick ? [100, 2_000] : [1_000, 100_000]
    const withFew = await highestOf(site, few)
    const withMany = await highestOf(site, many)
    const MB = (bytes: number) => bytes / 1024 / 1024
    return [
      { name: `${many} files ÷ ${few}`, value: withMany / withFew, unit: '', goal: { atMost: 1.25 } },
      { name: `with ${many} files`, value: MB(withMany), unit: 'MiB', goal: { atMost: 200 } },
      { name: `with ${few} files`, value: MB(withFew), unit: 'MiB' },
    ]
  },
}

async function highestOf(site: Site, count: number): Promise<number> {
  const agent = await openAgentSite(site)
  const folder = join(agent.folder, 'files')
  try {
    await makeSmallFiles(folder, count, 100)
    const sent = await agent.upload(folder)
    await agent.remove(sent)
    return highestResident(agent.pid)
  } finally {
    await rm(folder, { recursive: true, force: true })
    await agent.leave()
  }
}
