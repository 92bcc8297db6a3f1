import { readWorkers, setWorkers } from '@longshore/contract/agent/settings'
import type { ReplyOf } from '@longshore/contract/endpoint'
import { type AgentWish, needAgent } from '#cli/agent/connection'
import { tell } from '#cli/settings/words'
import type { Shell } from '#cli/shell'

export interface WorkerOptions extends AgentWish {
  readonly upload?: number
  readonly download?: number
}

/** Shows or sets how many requests may be under way at once. */
export async function workers(shell: Shell, { upload, download, ...wish }: WorkerOptions): Promise<void> {
  const agent = await needAgent(shell, wish)
  const now = await agent.call(readWorkers)
  const body = { upload: upload ?? now.upload, download: download ?? now.download }
  const after = upload === undefined && download === undefined ? now : await agent.call(setWorkers, { body })
  tell(shell, after, describeWorkers(after))
}

export const describeWorkers = ({ upload, download }: ReplyOf<typeof readWorkers>): string =>
  `${upload} for uploads, ${download} for downloads`
