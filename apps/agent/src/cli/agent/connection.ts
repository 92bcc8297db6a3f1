import { type Client, createClient } from '@longshore/client/client'
import { agentStatus } from '@longshore/contract/agent/system'
import type { ReplyOf } from '@longshore/contract/endpoint'
import { homeOf, readNote } from '#cli/agent/home'
import { exitCodes } from '#cli/exit-codes'
import { Misuse } from '#cli/misuse'
import { readSecret } from '#cli/secrets'
import type { Shell } from '#cli/shell'
import { Trouble } from '#cli/trouble'

/** Which agent is meant; the one that belongs to this user if neither is said. */
export interface AgentWish {
  readonly agent?: string
  readonly agentTokenFile?: string
}

export interface Agent extends Client {
  readonly url: string
}

export type AgentStatus = ReplyOf<typeof agentStatus>

/**
 * The agent that is meant, if it answers.
 *
 * It is found by the note in the home of this user, never by a well-known port: on a machine with several users
 * whoever came first could sit there and be told passwords.
 */
export async function findAgent(shell: Shell, wish: AgentWish): Promise<Agent | undefined> {
  const place = await placeOf(shell, wish)
  if (place === undefined) return undefined
  const agent = agentAt(place.url, place.tokenFile)
  const answers = await agent.raw(agentStatus, {}, { signal: AbortSignal.timeout(5_000) }).then(
    async (response) => {
      await response.body?.cancel()
      return true
    },
    (error: unknown) => {
      if (error instanceof Misuse) throw error
      return false
    },
  )
  return answers ? agent : undefined
}

export async function needAgent(shell: Shell, wish: AgentWish): Promise<Agent> {
  const agent = await findAgent(shell, wish)
  if (agent !== undefined) return agent
  const named = namedAgent(shell, wish)
  throw new Trouble(named === undefined ? 'No agent is running.' : `No agent answers at ${named}.`, {
    exitCode: exitCodes.unreachable,
    ...(named === undefined ? { hint: 'longshore agent start' } : {}),
  })
}

/** An agent that was named, rather than found. */
export const namedAgent = (shell: Shell, wish: AgentWish): string | undefined =>
  wish.agent ?? shell.env['LONGSHORE_AGENT_URL']

/** Whether an agent has other disks than we see. */
export function isElsewhere(address: string): boolean {
  const hostname = URL.parse(address)?.hostname ?? ''
  return hostname !== 'localhost' && hostname !== '[::1]' && !hostname.startsWith('127.')
}

async function placeOf(shell: Shell, wish: AgentWish) {
  const tokenFile = wish.agentTokenFile ?? shell.env['LONGSHORE_AGENT_TOKEN_FILE']
  const named = namedAgent(shell, wish)
  if (named !== undefined) {
    if (!URL.canParse(named))
      throw new Misuse(`'${named}' is no address of an agent. Write it like http://127.0.0.1:7070.`)
    return { url: named, tokenFile }
  }
  const note = await readNote(homeOf(shell.env))
  // One that was killed leaves its note behind, and anybody may have its port by now. They are not told our token.
  return note === undefined || !isOurs(note.pid)
    ? undefined
    : { url: note.url, tokenFile: tokenFile ?? note.token_file }
}

/** Whether a process runs that this user may end. */
export function isOurs(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function agentAt(url: string, tokenFile: string | undefined): Agent {
  const client = createClient({
    baseUrl: url,
    fetch: async (input, init) => {
      const token = tokenFile === undefined ? undefined : await readSecret(tokenFile)
      const headers = {
        ...(init?.headers as Record<string, string>),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      }
      return fetch(input, { ...init, headers }).catch((cause: unknown) => {
        if (init?.signal?.aborted === true) throw cause
        throw new Trouble(`The agent at ${url} does not answer any more.`, {
          exitCode: exitCodes.unreachable,
          hint: 'longshore agent status',
          cause,
        })
      })
    },
  })
  return { url, ...client }
}
