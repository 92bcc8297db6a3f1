import { diskStatus, readDiskDefault, setDiskConfigs, setDiskDefault } from '@longshore/contract/agent/settings'
import type { ReplyOf } from '@longshore/contract/endpoint'
import { type AgentWish, needAgent } from '#cli/agent/connection'
import { tell } from '#cli/settings/words'
import type { Shell } from '#cli/shell'

export interface DiskOptions extends AgentWish {
  readonly readers?: number
  readonly writers?: number
  readonly prefer?: keyof typeof diskPriorities
}

const diskPriorities = {
  both: 'mixed_read_writes',
  writes: 'prioritize_writes',
  reads: 'prioritize_reads',
} as const

/** Shows how disks are used, or sets it for one disk or for all that have no setting of their own. */
export async function disks(shell: Shell, disk: string | undefined, options: DiskOptions): Promise<void> {
  const { readers, writers, prefer } = options
  const agent = await needAgent(shell, options)
  const byDefault = await agent.call(readDiskDefault)
  const known = await agent.call(diskStatus)
  if (readers === undefined && writers === undefined && prefer === undefined) {
    if (shell.json) return shell.print(JSON.stringify({ default: byDefault, disks: known }))
    shell.print(`default  ${describeDisk(byDefault)}`)
    for (const one of known) shell.print(`${one.disk_id}  ${describeDisk(one)}`)
    return
  }
  const now = (disk === undefined ? undefined : known.find(({ disk_id }) => disk_id === disk)) ?? byDefault
  const config = {
    priority: prefer === undefined ? now.priority : diskPriorities[prefer],
    max_concurrent_readers: readers ?? now.max_concurrent_readers,
    max_concurrent_writers: writers ?? now.max_concurrent_writers,
  }
  if (disk === undefined) await agent.call(setDiskDefault, { body: config })
  else await agent.call(setDiskConfigs, { body: { [disk]: config } })
  tell(shell, config, `${disk ?? 'default'}  ${describeDisk(config)}`)
}

const wordsForPriority = {
  mixed_read_writes: 'both at once',
  prioritize_writes: 'writes first',
  prioritize_reads: 'reads first',
} as const

export const describeDisk = ({
  priority,
  max_concurrent_readers,
  max_concurrent_writers,
}: ReplyOf<typeof readDiskDefault>): string =>
  `${max_concurrent_readers} readers, ${max_concurrent_writers} writers, ${wordsForPriority[priority]}`
