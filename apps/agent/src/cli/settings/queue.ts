import { readFifoMode, setFifoMode } from '@longshore/contract/agent/settings'
import type { ReplyOf } from '@longshore/contract/endpoint'
import { type AgentWish, needAgent } from '#cli/agent/connection'
import { isOn, tell } from '#cli/settings/words'
import type { Shell } from '#cli/shell'

export interface QueueOptions extends AgentWish {
  readonly uploads?: number
  readonly downloads?: number
}

/** Shows or sets whether transfers wait for each other. */
export async function queue(
  shell: Shell,
  onOff: string | undefined,
  { uploads, downloads, ...wish }: QueueOptions,
): Promise<void> {
  const enabled = onOff === undefined ? undefined : isOn(onOff)
  const agent = await needAgent(shell, wish)
  const now = await agent.call(readFifoMode)
  const body = {
    enabled: enabled ?? now.enabled,
    active_upload_count: uploads ?? now.active_upload_count,
    active_download_count: downloads ?? now.active_download_count,
  }
  const asks = enabled === undefined && uploads === undefined && downloads === undefined
  const after = asks ? now : await agent.call(setFifoMode, { body })
  tell(shell, after, describeQueue(after))
}

export function describeQueue({
  enabled,
  active_upload_count: up,
  active_download_count: down,
}: ReplyOf<typeof readFifoMode>): string {
  if (!enabled) return 'off: all go at once, by priority'
  return `on: ${up === 1 ? '1 upload' : `${up} uploads`} and ${down === 1 ? '1 download' : `${down} downloads`} at a time`
}
