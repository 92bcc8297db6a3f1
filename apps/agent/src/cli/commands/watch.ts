import { ApiError } from '@longshore/client/client'
import { listAutomations } from '@longshore/contract/agent/automations'
import type { ReplyOf } from '@longshore/contract/endpoint'
import { type AgentWish, needAgent } from '#cli/agent/connection'
import type { Shell } from '#cli/shell'
import { type Column, tableLines } from '#cli/terminal/table'
import { harmless } from '#cli/terminal/text'

/** Lists the automations of the agent: watched folders, growing files, downloads from Portals. */
export async function watch(shell: Shell, options: AgentWish): Promise<void> {
  const agent = await needAgent(shell, options)
  const reply = await agent.call(listAutomations).catch((error: unknown) => {
    if (error instanceof ApiError && error.error === 'not_built_yet') return undefined
    throw error
  })
  if (shell.json) return shell.print(JSON.stringify(reply ?? { automations: [], error: 'not_built_yet' }))
  if (reply === undefined) shell.say('This version watches no folders yet. Automations come with a later one.')
  else if (reply.automations.length === 0) shell.say('No automations.')
  else for (const line of tableLines(columns, reply.automations, shell.width())) shell.print(line)
}

type Automation = ReplyOf<typeof listAutomations>['automations'][number]

const columns: readonly Column<Automation>[] = [
  { title: 'STATE', of: ({ state }) => state },
  { title: 'TYPE', of: ({ type }) => type.replaceAll('_', ' ') },
  { title: 'NAME', of: ({ name }) => harmless(name), stretches: true },
]
