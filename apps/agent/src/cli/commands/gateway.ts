import { basename, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as wire from '@longshore/contract/agent/gateway'
import type { ReplyOf } from '@longshore/contract/endpoint'
import { type Agent, type AgentWish, needAgent } from '#cli/agent/connection'
import { pickOne } from '#cli/pick'
import { secretFrom } from '#cli/secrets'
import type { Shell } from '#cli/shell'
import { type Column, tableLines } from '#cli/terminal/table'
import { harmless } from '#cli/terminal/text'
import { Trouble } from '#cli/trouble'

type Gateway = ReplyOf<typeof wire.registerGateway>

/** Lists the folders of the agent's host that are connected to a Team. */
export async function listGateways(shell: Shell, options: AgentWish): Promise<void> {
  const agent = await needAgent(shell, options)
  const reply = await agent.call(wire.listGateways)
  if (shell.json) return shell.print(JSON.stringify(reply))
  if (reply.connections.length === 0) shell.say('No folder is connected. longshore gateway add does it.')
  else for (const line of tableLines(columns, reply.connections, shell.width())) shell.print(line)
  // Below, and not in the table: it ends in the command that mends it, which is not to be cut.
  for (const { name, last_error } of reply.connections) {
    if (last_error !== '') shell.print(`${harmless(name)}: ${harmless(last_error)}`)
  }
}

const columns: readonly Column<Gateway>[] = [
  { title: 'ID', of: ({ id }) => id.slice(-8) },
  { title: 'STATE', of: ({ state }) => state },
  { title: 'MAY', of: ({ permissions }) => permissions },
  { title: 'NAME', of: ({ name }) => harmless(name) },
  { title: 'FOLDER', of: ({ root_path }) => harmless(root_path), stretches: true },
]

interface Owner {
  readonly userId?: number
  readonly groupId?: number
}

const ownerOf = ({ userId, groupId }: Owner) => ({
  ...(userId === undefined ? {} : { user_id: userId }),
  ...(groupId === undefined ? {} : { group_id: groupId }),
})

export interface AddOptions extends AgentWish, Owner {
  readonly id: string
  readonly secretFile?: string
  readonly permissions: 'r' | 'w' | 'rw'
  readonly name?: string
}

const question = 'Secret of the storage gateway'

/** Connects a folder, and waits a moment for what comes of it. */
export async function addGateway(shell: Shell, folder: string, options: AddOptions): Promise<void> {
  const agent = await needAgent(shell, options)
  const { id, permissions, name } = options
  const secret = (await secretFrom(shell, { file: options.secretFile, ask: true }, question)) ?? ''
  const root_path = resolve(folder)
  const body = {
    id,
    name: name ?? (basename(root_path) || root_path),
    permissions,
    root_path,
    secret,
    ...ownerOf(options),
  }
  await agent.call(wire.registerGateway, { body })
  show(shell, await settled(agent, id))
}

export interface SetOptions extends AgentWish, Owner {
  readonly root?: string
  readonly secret?: boolean
  readonly secretFile?: string
}

export async function setGateway(shell: Shell, wanted: string, options: SetOptions): Promise<void> {
  const agent = await needAgent(shell, options)
  const { id } = await pick(agent, wanted)
  const root = options.root === undefined ? {} : { root_path: resolve(options.root) }
  const secret = await secretFrom(shell, { file: options.secretFile, ask: options.secret }, question)
  const body = { id, ...root, ...(secret === undefined ? {} : { secret }), ...ownerOf(options) }
  await agent.call(wire.updateGateway, { body })
  show(shell, await settled(agent, id))
}

export async function removeGateway(shell: Shell, wanted: string, options: AgentWish): Promise<void> {
  const agent = await needAgent(shell, options)
  const { id, name } = await pick(agent, wanted)
  await agent.call(wire.unregisterGateway, { body: { id } })
  shell.say(`${harmless(name)} is disconnected. What is in the folder stays.`)
}

const patienceMs = 10_000

/** As it is once it is connected or says why not; or as it is after a while. */
async function settled(agent: Agent, id: string): Promise<Gateway> {
  for (const deadline = Date.now() + patienceMs; ; await sleep(100)) {
    const one = await pick(agent, id)
    if (one.state !== 'connecting' || one.last_error !== '' || Date.now() > deadline) return one
  }
}

function show(shell: Shell, { id, name, root_path, state, last_error }: Gateway): void {
  // It names the command that mends it.
  if (state === 'error') throw new Trouble(harmless(last_error))
  if (shell.json) return shell.print(JSON.stringify({ id, state, last_error }))
  shell.print(id)
  if (state === 'connected') shell.say(`${harmless(name)} is connected: ${harmless(root_path)}`)
  else shell.say(`${harmless(name)} is not connected yet. ${harmless(last_error)}`)
}

async function pick(agent: Agent, wanted: string): Promise<Gateway> {
  const { connections } = await agent.call(wire.listGateways)
  return pickOne(connections, wanted, {
    what: 'gateway',
    lister: 'longshore gateway',
    by: ({ id, name }) => [id, name],
  })
}
