import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@longshore/client/client'
import { readDownload, startDownload } from '@longshore/contract/agent/downloads'
import { setWorkers } from '@longshore/contract/agent/settings'
import { createUploadLink, deleteUpload, readUpload, startUpload } from '@longshore/contract/agent/uploads'
import { deletePackage, readTeamPackage } from '@longshore/contract/cloud/packages'
import { startAgent } from '@longshore/stack/longshore/agent-process'
import type { Site } from './benchmark.ts'
import { cpuTimes } from './cpu-time.ts'

/** An agent of our own, as it is installed, and a folder for its files. */
export interface AgentSite {
  readonly pid: number
  readonly url: string
  readonly folder: string
  /** Sends a folder as one package. Answers once it is complete. */
  upload(path: string, chunkSize?: number): Promise<SentPackage>
  /** Fetches a package. Answers once every file has its name. */
  download(url: string, into: string): Promise<void>
  link(sent: SentPackage): Promise<string>
  /** Takes the package away, here and in the store. */
  remove(sent: SentPackage): Promise<void>
  readonly leave: () => Promise<void>
}

export interface SentPackage {
  readonly uploadId: string
  readonly packageId: string
}

const lookEveryMs = 200

/** An agent as it is installed, or with as many workers as a rival has. */
export async function openAgentSite(site: Site, workers?: number): Promise<AgentSite> {
  const folder = join(site.folder, 'agent')
  await mkdir(folder, { recursive: true })
  const agent = await startAgent({
    cloudUrl: site.url,
    apiKey: site.team.api_key,
    dataDir: join(folder, 'state'),
    logFile: join(site.folder, 'agent.log'),
    args: ['--log-level', 'warn'],
  })
  const local = createClient({ baseUrl: agent.url })
  const cloud = createClient({ baseUrl: site.url, credential: { apiKey: site.team.api_key } })

  if (workers !== undefined) await local.call(setWorkers, { body: { upload: workers, download: workers } })

  const until = async (look: () => Promise<{ state: string; error?: unknown }>) => {
    for (;;) {
      const { state, error } = await look()
      if (state === 'complete') return
      if (state === 'error') throw new Error(`The transfer failed: ${JSON.stringify(error)}`)
      await sleep(lookEveryMs)
    }
  }

  return {
    pid: agent.child.pid ?? 0,
    url: agent.url,
    folder,
    upload: async (path, chunkSize) => {
      const body = {
        team_id: site.team.team_id,
        paths: [path],
        ...(chunkSize === undefined ? {} : { chunk_size: chunkSize }),
      }
      const { upload_id: uploadId, package_id: packageId } = await local.call(startUpload, { body })
      const params = { upload_id: uploadId }
      await until(() => local.call(readUpload, { params, query: { items_limit: 1 } }))
      return { uploadId, packageId }
    },
    download: async (url, into) => {
      const body = { url, dst_folder: into, create_package_folder: false }
      const { download_id } = await local.call(startDownload, { body })
      await until(() => local.call(readDownload, { params: { download_id }, query: { items_limit: 1 } }))
    },
    link: async ({ uploadId }) => (await local.call(createUploadLink, { params: { upload_id: uploadId } })).url,
    remove: async ({ uploadId, packageId }) => {
      await local.call(deleteUpload, { params: { upload_id: uploadId } })
      const params = { package_id: packageId }
      const { access_token: packageToken = '' } = await cloud.call(readTeamPackage, {
        params: { ...params, team_id: site.team.team_id },
      })
      await cloud.call(deletePackage, { params }, { credential: { packageToken } })
    },
    leave: async () => {
      await agent.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** CPU seconds that a process takes for some work, and how long that is. */
export async function spentBy(pid: number, work: () => Promise<unknown>): Promise<Spent> {
  const before = cpuTimes({ it: pid })['it'] ?? Number.NaN
  const begin = performance.now()
  await work()
  const seconds = (performance.now() - begin) / 1000
  return { seconds, cpu: (cpuTimes({ it: pid })['it'] ?? Number.NaN) - before }
}

export interface Spent {
  readonly seconds: number
  readonly cpu: number
}

/**
 * Nobody but who is measured: the worker would read what was sent for its own checks, and the store still cleans up
 * behind the one before.
 */
export async function undisturbed<Result>(site: Site, work: () => Promise<Result>): Promise<Result> {
  const { worker } = site.watched
  const signal = (name: NodeJS.Signals) => (worker === undefined ? undefined : process.kill(worker, name))
  signal('SIGSTOP')
  try {
    await quiet(site)
    return await work()
  } finally {
    signal('SIGCONT')
  }
}

const quietShare = 0.1
const longestWaitMs = 60_000

async function quiet({ watched }: Site): Promise<void> {
  const spent = () => {
    const { radosgw = 0, osd = 0 } = cpuTimes(watched)
    return radosgw + osd
  }
  for (const until = Date.now() + longestWaitMs; Date.now() < until; ) {
    const before = spent()
    await sleep(500)
    if (spent() - before < 0.5 * quietShare) return
  }
}
