import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@longshore/client/client'
import { readDownload, resumeDownload, startDownload } from '@longshore/contract/agent/downloads'
import { createUploadLink, readUpload, resumeUpload, startUpload } from '@longshore/contract/agent/uploads'
import { MiB } from '@longshore/contract/limits'
import { type AgentProcess, startAgent } from '@longshore/stack/longshore/agent-process'
import type { Stack } from '@longshore/stack/stack'
import { type FaultProxy, startFaultProxy } from '#fault-proxy'
import { newGround, sharedStack } from '#ground'

/** A cloud of its own, a proxy before its store, and an agent that may be killed and started again. */
export async function newAgentGround(t: TestContext, seed = 1, on?: Stack) {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-agent-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const stack = on ?? (await sharedStack())
  const proxy: FaultProxy = await startFaultProxy({ store: stack.s3.public_endpoint, seed })
  t.after(() => proxy.close())
  const ground = await newGround(t, { ...stack, s3: { ...stack.s3, public_endpoint: proxy.url } })
  let agent: AgentProcess | undefined
  t.after(() => agent?.kill())

  const start = async (below?: readonly string[]) => {
    agent = await startAgent({
      below,
      cloudUrl: ground.url,
      apiKey: ground.team.api_key,
      dataDir: join(folder, 'state'),
      logFile: join(folder, 'agent.log'),
    })
    return agent
  }
  await start()
  const local = () => createClient({ baseUrl: agent?.url ?? '' })

  const upload = (id: string) => local().call(readUpload, { params: { upload_id: id } })
  const download = (id: string) => local().call(readDownload, { params: { download_id: id } })
  return {
    folder,
    proxy,
    ground,
    start,
    kill: async () => agent?.kill(),
    local,
    upload,
    download,
    send: async (paths: readonly string[], chunkSize = 5 * MiB): Promise<string> => {
      const body = { team_id: ground.team.team_id, paths: [...paths], chunk_size: chunkSize }
      return (await local().call(startUpload, { body })).upload_id
    },
    fetch: async (uploadId: string, into: string): Promise<string> => {
      const { url } = await local().call(createUploadLink, { params: { upload_id: uploadId } })
      const body = { url, dst_folder: into, create_package_folder: false }
      return (await local().call(startDownload, { body })).download_id
    },
    resumeUpload: (id: string) => local().call(resumeUpload, { params: { upload_id: id } }),
    resumeDownload: (id: string) => local().call(resumeDownload, { params: { download_id: id } }),
    uploaded: (id: string) => settled(() => upload(id)),
    downloaded: (id: string) => settled(() => download(id)),
  }
}

const patienceMs = 300_000

/** Waits until a transfer moves no more. */
async function settled<Transfer extends { readonly state: string }>(look: () => Promise<Transfer>): Promise<Transfer> {
  for (const until = Date.now() + patienceMs; Date.now() < until; await sleep(50)) {
    const transfer = await look()
    if (transfer.state !== 'transferring') return transfer
  }
  throw new Error('It still has not ended.')
}

/** A file of different bytes all over, written piece by piece. */
export async function writeRandom(path: string, size: number): Promise<void> {
  const file = await open(path, 'w')
  try {
    for (let at = 0; at < size; at += 4 * MiB) await file.write(randomBytes(Math.min(4 * MiB, size - at)))
  } finally {
    await file.close()
  }
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
