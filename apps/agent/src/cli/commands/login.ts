import { resolve } from 'node:path'
import { login as loginCall, logout as logoutCall, readSession } from '@longshore/contract/agent/session'
import { agentStatus } from '@longshore/contract/agent/system'
import { ApiError, createClient } from '@longshore/client/client'
import { packageSpec } from '@longshore/contract/cloud/system'
import { findOrStartAgent, startInBackground, stopAgent } from '#cli/agent/background'
import { type Agent, type AgentWish, findAgent, namedAgent, needAgent } from '#cli/agent/connection'
import { type Choices, homeOf, readChoices, writeChoices } from '#cli/agent/home'
import { askSecret, askText } from '#cli/ask'
import { exitCodes } from '#cli/exit-codes'
import { Misuse } from '#cli/misuse'
import { readSecret } from '#cli/secrets'
import type { Self } from '#cli/self'
import type { Shell } from '#cli/shell'
import { harmless } from '#cli/terminal/text'
import { isOver, listTransfers } from '#cli/transfer'
import { Trouble } from '#cli/trouble'

export interface LoginOptions extends AgentWish {
  readonly cloud?: string
  readonly email?: string
  readonly passwordFile?: string
  readonly apiKeyFile?: string
}

/** Signs the agent in. It keeps the session; the command keeps nothing but the address of the server. */
export async function login(shell: Shell, self: Self, options: LoginOptions): Promise<void> {
  const agent = await agentForLogin(shell, self, options)
  const session = options.apiKeyFile === undefined ? await signIn(shell, agent, options) : await sessionOfKey(agent)
  if (shell.json) return shell.print(JSON.stringify(session))
  const teams = session.teams.map(({ name }) => harmless(name)).join(', ')
  const { cloud_url } = await agent.call(agentStatus)
  shell.say(`${shell.tint('green', '✓')} Signed in to ${cloud_url} as ${harmless(session.user.name)} (${teams}).`)
}

export async function logout(shell: Shell, options: AgentWish): Promise<void> {
  await (await needAgent(shell, options)).call(logoutCall)
  shell.say('Signed out.')
}

async function signIn(shell: Shell, agent: Agent, { email, passwordFile }: LoginOptions) {
  if (!shell.interactive && (email === undefined || passwordFile === undefined)) {
    throw new Misuse('Without a terminal, signing in needs --email and --password-file (- is standard input).')
  }
  const who = email ?? (await askText('Email'))
  const password = passwordFile === undefined ? await askSecret('Password') : await readSecret(passwordFile)
  return agent.call(loginCall, { body: { email: who, password } }).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.error !== 'session_is_nil') throw error
    throw new Trouble('Email or password is wrong.', { exitCode: exitCodes.noSession, cause: error })
  })
}

const sessionOfKey = (agent: Agent) =>
  agent.call(readSession).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.error !== 'session_is_nil') throw error
    throw new Trouble('The server does not take this API key.', { exitCode: exitCodes.noSession, cause: error })
  })

/** An agent that works with the server that is meant. It is started with its address, so another one means starting anew. */
async function agentForLogin(shell: Shell, self: Self, options: LoginOptions): Promise<Agent> {
  if (namedAgent(shell, options) !== undefined) {
    if (options.cloud !== undefined || options.apiKeyFile !== undefined) {
      throw new Misuse('The server and key of an agent that you name are chosen where it is started.')
    }
    return needAgent(shell, options)
  }
  const home = homeOf(shell.env)
  const before = await readChoices(home)
  const running = await findAgent(shell, options)
  const itsServer = running === undefined ? undefined : (await running.call(agentStatus)).cloud_url
  const chosen = await chosenBy(shell, options, before.cloud_url ?? itsServer)
  const changed = chosen.cloud_url !== before.cloud_url || chosen.api_key_file !== before.api_key_file
  if (!changed) return findOrStartAgent(shell, options, self)
  await greet(chosen.cloud_url)
  if (running !== undefined) await makeWay(shell, running, chosen)
  await writeChoices(home, chosen)
  return running === undefined ? findOrStartAgent(shell, options, self) : startInBackground(shell, self)
}

type Chosen = Choices & { readonly cloud_url: string }

/** An address with a slip in it is noticed before it is kept. */
async function greet(cloudUrl: string): Promise<void> {
  const signal = AbortSignal.timeout(10_000)
  await createClient({ baseUrl: cloudUrl })
    .call(packageSpec, {}, { signal })
    .catch((cause: unknown) => {
      const said =
        cause instanceof ApiError || cause instanceof SyntaxError ? 'is no Longshore server' : 'does not answer'
      throw new Trouble(`${cloudUrl} ${said}.`, {
        exitCode: exitCodes.unreachable,
        hint: 'Check the address, and whether a browser on this machine can open it.',
        cause,
      })
    })
}

async function chosenBy(
  shell: Shell,
  { cloud, apiKeyFile }: LoginOptions,
  before: string | undefined,
): Promise<Chosen> {
  if (apiKeyFile !== undefined) await readSecret(apiKeyFile)
  const asked = cloud ?? shell.env['LONGSHORE_CLOUD_URL'] ?? before
  if (asked === undefined && !shell.interactive)
    throw new Misuse('Which server? Add --cloud https://transfer.example.com.')
  const typed = asked ?? (await askText('Address of the Longshore server', 'https://transfer.example.com'))
  const cloud_url = (typed.includes('://') ? typed : `https://${typed}`).replace(/\/+$/, '')
  if (!URL.canParse(cloud_url))
    throw new Misuse(`'${typed}' is no address. Write it like https://transfer.example.com.`)
  // Who signs in by password does not want the key any more.
  return { cloud_url, ...(apiKeyFile === undefined ? {} : { api_key_file: resolve(apiKeyFile) }) }
}

/** Ends an agent of ours, unless it is busy with what belongs to another server. */
async function makeWay(shell: Shell, running: Agent, chosen: Chosen): Promise<void> {
  const { cloud_url } = await running.call(agentStatus)
  if (cloud_url.replace(/\/+$/, '') !== chosen.cloud_url) {
    const open = (await listTransfers(running)).filter((transfer) => !isOver(transfer))
    if (open.length > 0) {
      throw new Trouble(`The agent still has ${open.length} transfer(s) with ${cloud_url}.`, {
        hint: 'Let them end, or remove them: longshore ls',
      })
    }
  }
  await stopAgent(shell, running)
}
