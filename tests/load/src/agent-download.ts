import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { GiB, MiB } from '@longshore/contract/limits'
import { installMissing } from '@longshore/stack/install'
import { openAgentSite, type Spent, spentBy, undisturbed } from './agent-site.ts'
import { makeFiles } from './agent-upload.ts'
import type { Benchmark } from './benchmark.ts'
import { rclone, rcloneChunks, rcloneNeeds, rivalBucket } from './rivals.ts'
import { median } from './statistics.ts'

const files = 4

export const agentDownload: Benchmark = {
  name: 'agent-download',
  about:
    'Four files of 1 GiB from the store to the disk: by the agent, which checks every byte against the waybill and syncs before it gives a file its name, and by rclone straight from the gateway (8 streams a file, 4 files at once), which does neither. In turns; median of the ratios of each round. The worker rests meanwhile.',
  async run(site) {
    await installMissing(() => {}, rcloneNeeds)
    const size = site.quick ? 64 * MiB : GiB
    const rounds = site.quick ? 1 : 5
    const gigabytes = (files * size) / 1e9
    const agent = await openAgentSite(site)
    const from = `${rivalBucket(site)}/large`
    try {
      const source = join(agent.folder, 'reels')
      await makeFiles(source, size)
      await rclone(site, 'mkdir', rivalBucket(site))
      await rclone(site, 'copy', source, from, ...rcloneChunks)
      const sent = await agent.upload(source)
      const link = await agent.link(sent)
      const ours: Spent[] = []
      const theirs: Spent[] = []
      const into = join(agent.folder, 'in')
      const emptied = async () => {
        await rm(into, { recursive: true, force: true })
        await mkdir(into)
      }
      for (let round = 0; round < rounds; round++) {
        await emptied()
        ours.push(await undisturbed(site, () => spentBy(agent.pid, () => agent.download(link, into))))
        await emptied()
        const streams = ['--multi-thread-streams', '8', '--transfers', '4']
        theirs.push(await undisturbed(site, () => rclone(site, 'copy', from, into, ...streams)))
      }
      await agent.remove(sent)
      const ratio = (what: keyof Spent) =>
        median(ours.map((one, round) => one[what] / (theirs[round]?.[what] ?? Number.NaN)))
      const rate = (spent: readonly Spent[]) => (gigabytes * 1000) / median(spent.map(({ seconds }) => seconds))
      return [
        { name: 'agent ÷ rclone', value: 1 / ratio('seconds'), unit: '', goal: { atLeast: 1.2 } },
        { name: 'CPU per GB, agent ÷ rclone', value: ratio('cpu'), unit: '' },
        { name: 'agent, rate', value: rate(ours), unit: 'MB/s' },
        { name: 'rclone, rate', value: rate(theirs), unit: 'MB/s' },
        { name: 'agent, CPU', value: median(ours.map(({ cpu }) => cpu)) / gigabytes, unit: 's/GB' },
        { name: 'rclone, CPU', value: median(theirs.map(({ cpu }) => cpu)) / gigabytes, unit: 's/GB' },
      ]
    } finally {
      await rclone(site, 'purge', rivalBucket(site))
      await agent.leave()
    }
  },
}
