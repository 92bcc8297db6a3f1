import { agentStatus } from '@longshore/contract/agent/system'
import { route } from './route.ts'

export const systemRoutes = [
  route(agentStatus, ({ about }) => ({
    version: about.version,
    pid: process.pid,
    started_at: about.startedAt.toISOString(),
    cloud_url: about.cloudUrl,
    data_dir: about.dataDir,
    chunk_size: about.chunkSize,
    auto_finalize: about.autoFinalize,
    auto_resume: about.autoResume,
  })),
]
