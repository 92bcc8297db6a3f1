import { randomBytes } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { chunkRequests } from '@longshore/contract/cloud/files'
import { deletePackage } from '@longshore/contract/cloud/packages'
import { GiB, MiB } from '@longshore/contract/limits'
import { installMissing } from '@longshore/stack/install'
import { type AgentSite, openAgentSite, type SentPackage, type Spent, spentBy, undisturbed } from './agent-site.ts'
import { type ApiLoad, apiLoad } from './api-load.ts'
import type { Benchmark, Figure, Site } from './benchmark.ts'
import { addChunkedFile, openPackage } from './open-package.ts'
import { curlUploads, rclone, rcloneChunks, rcloneNeeds, rivalBucket } from './rivals.ts'
import { median } from './statistics.ts'
import { storeLoad } from './store-load.ts'

const files = 4
const chunkSize = 64 * MiB
// As many as the agent has workers, so that the floor is the floor of what it does.
const atOnce = 8

export const agentUpload: Benchmark = {
  name: 'agent-upload',
  about:
    'Four files of 1 GiB from the page cache, SHA-256 and CRC-32 included, by the agent as it is installed, through its API and the cloud’s; by rclone straight to the gateway (chunks of 64 MiB, 8 at once, 4 files at once); and by parallel curl to the same signed addresses, which neither hashes nor asks anybody. In turns; medians of the ratios of each round. The worker rests meanwhile.',
  async run(site) {
    await installMissing(() => {}, rcloneNeeds)
    const size = site.quick ? 64 * MiB : GiB
    const rounds = site.quick ? 1 : 5
    const agent = await openAgentSite(site)
    const api = apiLoad(site.url, 8)
    try {
      const folder = join(agent.folder, 'reels')
      await makeFiles(folder, size)
      await rclone(site, 'mkdir', rivalBucket(site))
      const taken: Record<'agent' | 'rclone' | 'curl', Spent[]> = { agent: [], rclone: [], curl: [] }
      for (let round = 0; round < rounds; round++) {
        taken.agent.push(await byAgent(site, agent, folder))
        taken.rclone.push(await byRclone(site, folder))
        taken.curl.push(await byCurl(site, api, agent.folder, size))
      }
      return figuresOf(taken, (files * size) / 1e9)
    } finally {
      api.close()
      await rclone(site, 'purge', rivalBucket(site))
      await agent.leave()
    }
  },
}

function figuresOf(taken: Record<'agent' | 'rclone' | 'curl', readonly Spent[]>, gigabytes: number): Figure[] {
  const ratio = (of: readonly Spent[], to: readonly Spent[], what: keyof Spent) =>
    median(of.map((one, round) => one[what] / (to[round]?.[what] ?? Number.NaN)))
  const rate = (who: keyof typeof taken): Figure => ({
    name: `${who}, rate`,
    value: (gigabytes * 1000) / median(taken[who].map(({ seconds }) => seconds)),
    unit: 'MB/s',
  })
  const cpu = (who: keyof typeof taken): Figure => ({
    name: `${who}, CPU`,
    value: median(taken[who].map(({ cpu }) => cpu)) / gigabytes,
    unit: 's/GB',
  })
  return [
    { name: 'agent ÷ rclone', value: ratio(taken.rclone, taken.agent, 'seconds'), unit: '', goal: { atLeast: 2 } },
    {
      name: 'agent ÷ curl, the floor',
      value: ratio(taken.curl, taken.agent, 'seconds'),
      unit: '',
      goal: { atLeast: 0.9 },
    },
    {
      name: 'CPU per GB, agent ÷ rclone',
      value: ratio(taken.agent, taken.rclone, 'cpu'),
      unit: '',
      goal: { atMost: 0.4 },
    },
    ...(['agent', 'rclone', 'curl'] as const).flatMap((who) => [rate(who), cpu(who)]),
  ]
}

/** Different bytes in each file, written once; what is in them costs nobody anything. */
export async function makeFiles(folder: string, size: number): Promise<void> {
  await mkdir(folder, { recursive: true })
  const piece = randomBytes(8 * MiB)
  for (let index = 0; index < files; index++) {
    const file = await open(join(folder, `reel-${index}.mov`), 'w')
    for (let at = 0; at < size; at += piece.length) {
      piece.writeDoubleLE(Math.random(), 0)
      await file.write(piece, 0, Math.min(piece.length, size - at))
    }
    await file.close()
  }
}

export async function byAgent(site: Site, agent: AgentSite, folder: string): Promise<Spent> {
  let sent: SentPackage | undefined
  const spent = await undisturbed(site, async () => {
    const spent = await spentBy(agent.pid, async () => {
      sent = await agent.upload(folder, chunkSize)
    })
    // Before the worker goes on, or it would read all of it.
    if (sent !== undefined) await agent.remove(sent)
    return spent
  })
  return spent
}

async function byRclone(site: Site, folder: string): Promise<Spent> {
  const to = `${rivalBucket(site)}/large`
  const spent = await undisturbed(site, () => rclone(site, 'copy', folder, to, ...rcloneChunks))
  await rclone(site, 'purge', to)
  return spent
}

/** Signed requests for as many bytes, from files of a chunk each. */
async function byCurl(site: Site, api: ApiLoad, folder: string, size: number): Promise<Spent> {
  const part = join(folder, 'part')
  const store = storeLoad(site.stack.s3.public_endpoint, 4)
  const pkg = await openPackage(api, site.team, 'floor')
  try {
    const length = Math.min(chunkSize, size)
    const made = await open(part, 'w')
    await made.write(randomBytes(length))
    await made.close()
    const requests: { url: string; headers: Readonly<Record<string, string>>; file: string }[] = []
    for (let index = 0; index < files; index++) {
      const file = await addChunkedFile(api, pkg, `reel-${index}.mov`, size, chunkSize)
      const uploadId = /<UploadId>([^<]+)/.exec((await store.send(file.create)).text)?.[1] ?? ''
      const signed = await api.call(
        chunkRequests,
        {
          params: { package_id: pkg.id, file_id: file.id },
          query: { start: 0, count: Math.ceil(size / file.chunkSize) },
          body: { upload_id: uploadId },
        },
        pkg.token,
      )
      requests.push(...signed.map(({ url, headers }) => ({ url, headers, file: part })))
    }
    return await undisturbed(site, () => curlUploads(folder, requests, atOnce))
  } finally {
    await api.call(deletePackage, { params: { package_id: pkg.id } }, pkg.token)
    store.close()
    await rm(part, { force: true })
  }
}
