import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { installMissing } from '@longshore/stack/install'
import { openAgentSite, type Spent } from './agent-site.ts'
import { byAgent } from './agent-upload.ts'
import { undisturbed } from './agent-site.ts'
import type { Benchmark } from './benchmark.ts'
import { forEach } from './lanes.ts'
import { rclone, rcloneNeeds, rivalBucket } from './rivals.ts'
import { median } from './statistics.ts'

const size = 64 * 1024
const inOneFolder = 500
const atOnce = 32

export const agentSmallFiles: Benchmark = {
  name: 'agent-small-files',
  about:
    '10,000 files of 64 KiB in 20 folders, by the agent with every call and every row of the database that they cost, and by rclone straight to the gateway (both 32 files at once). In turns; median of the ratios of each round. The worker rests meanwhile.',
  async run(site) {
    await installMissing(() => {}, rcloneNeeds)
    const count = site.quick ? 500 : 10_000
    const rounds = site.quick ? 1 : 5
    const agent = await openAgentSite(site, atOnce)
    try {
      const folder = join(agent.folder, 'frames')
      await makeSmallFiles(folder, count, size)
      await rclone(site, 'mkdir', rivalBucket(site))
      const ours: Spent[] = []
      const theirs: Spent[] = []
      for (let round = 0; round < rounds; round++) {
        ours.push(await byAgent(site, agent, folder))
        const to = `${rivalBucket(site)}/small`
        theirs.push(await undisturbed(site, () => rclone(site, 'copy', folder, to, '--transfers', String(atOnce))))
        await rclone(site, 'purge', to)
      }
      const ratio = median(ours.map(({ seconds }, round) => (theirs[round]?.seconds ?? Number.NaN) / seconds))
      const perSecond = (spent: readonly Spent[]) => count / median(spent.map(({ seconds }) => seconds))
      const perFile = (spent: readonly Spent[]) => (median(spent.map(({ cpu }) => cpu)) / count) * 1000
      return [
        { name: 'agent ÷ rclone', value: ratio, unit: '', goal: { atLeast: 1 } },
        { name: 'agent, rate', value: perSecond(ours), unit: 'files/s' },
        { name: 'rclone, rate', value: perSecond(theirs), unit: 'files/s' },
        { name: 'agent, CPU per file', value: perFile(ours), unit: 'ms' },
        { name: 'rclone, CPU per file', value: perFile(theirs), unit: 'ms' },
      ]
    } finally {
      await rclone(site, 'purge', rivalBucket(site))
      await agent.leave()
    }
  },
}

export async function makeSmallFiles(folder: string, count: number, bytes: number): Promise<void> {
  const content = randomBytes(bytes)
  for (let first = 0; first < count; first += inOneFolder) {
    const inner = join(folder, `reel-${first / inOneFolder}`)
    await mkdir(inner, { recursive: true })
    const indexes = Array.from({ length: Math.min(inOneFolder, count - first) }, (_, index) => index)
    await forEach(indexes, 8, (index) => writeFile(join(inner, `frame-${index}.dpx`), content))
  }
}
