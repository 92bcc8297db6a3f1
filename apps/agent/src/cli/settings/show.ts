import {
  diskStatus,
  multiconnectStatus,
  readDiskDefault,
  readDownloadLimit,
  readFifoMode,
  readInterfaceDownloadLimit,
  readInterfaceUploadLimit,
  readUploadLimit,
  readWorkers,
} from '@longshore/contract/agent/settings'
import type { ReplyOf } from '@longshore/contract/endpoint'
import { type Agent, type AgentWish, needAgent } from '#cli/agent/connection'
import { describeDisk } from '#cli/settings/disks'
import { describeLimit } from '#cli/settings/limit'
import { describeQueue } from '#cli/settings/queue'
import { describeWorkers } from '#cli/settings/workers'
import type { Shell } from '#cli/shell'

/** All settings of the agent, in the words that change them. */
export async function showSettings(shell: Shell, options: AgentWish): Promise<void> {
  const agent = await needAgent(shell, options)
  const [workers, queue, disk, disks, network, up, down] = await Promise.all([
    agent.call(readWorkers),
    agent.call(readFifoMode),
    agent.call(readDiskDefault),
    agent.call(diskStatus),
    agent.call(multiconnectStatus),
    agent.call(readUploadLimit),
    agent.call(readDownloadLimit),
  ])
  const ofInterfaces = network.enabled ? await limitsOfInterfaces(agent, network) : []
  if (shell.json) {
    const rate_limits = { upload: up, download: down, interfaces: Object.fromEntries(ofInterfaces) }
    return shell.print(
      JSON.stringify({ workers, queue, disk_default: disk, disks, multiconnect: network, rate_limits }),
    )
  }
  const lines = [
    ['upload-limit', describeLimit(up)],
    ['download-limit', describeLimit(down)],
    ...ofInterfaces.flatMap(([id, limits]) => [
      [`  ${id} up`, describeLimit(limits.upload)],
      [`  ${id} down`, describeLimit(limits.download)],
    ]),
    ['workers', describeWorkers(workers)],
    ['queue', describeQueue(queue)],
    ['disks', describeDisk(disk)],
    ...disks.map((one) => [`  ${one.disk_id}`, describeDisk(one)]),
    [
      'interfaces',
      network.enabled ? 'on: all that are in use carry transfers together' : 'off: the system chooses the way',
    ],
    ...network.interfaces.map((one) => [
      `  ${one.name}`,
      `${one.enabled ? 'used' : 'avoided'}, ${one.addresses.join(', ')}`,
    ]),
  ]
  const width = Math.max(...lines.map(([name = '']) => name.length))
  for (const [name = '', text = ''] of lines) shell.print(`${name.padEnd(width)}  ${text}`)
}

type Network = ReplyOf<typeof multiconnectStatus>

const limitsOfInterfaces = (agent: Agent, { interfaces }: Network) =>
  Promise.all(
    interfaces.map(async ({ id }) => {
      const input = { params: { iface_id: id } }
      const upload = await agent.call(readInterfaceUploadLimit, input)
      return [id, { upload, download: await agent.call(readInterfaceDownloadLimit, input) }] as const
    }),
  )
