import { createUploadLink, mostPaths } from '@longshore/contract/agent/uploads'
import { agentStatus } from '@longshore/contract/agent/system'
import { findOrStartAgent } from '#cli/agent/background'
import { type Agent, type AgentWish, isElsewhere, namedAgent, needAgent } from '#cli/agent/connection'
import { Misuse } from '#cli/misuse'
import { type PortalOptions, sendToPortal } from '#cli/send/to-portal'
import { type TeamOptions, sendAsTeam } from '#cli/send/as-team'
import { pathsElsewhere, pathsHere, type SentOptions } from '#cli/send/sent'
import type { Self } from '#cli/self'
import type { Shell } from '#cli/shell'
import { summary } from '#cli/summary'
import { shortId, type Transfer } from '#cli/transfer'
import { waitFor } from '#cli/wait'

export interface SendOptions extends AgentWish, SentOptions, TeamOptions, PortalOptions {
  readonly detach?: boolean
  readonly pauseOnExit?: boolean
}

/** Sends files and folders as one package. */
export async function send(shell: Shell, self: Self, paths: readonly string[], options: SendOptions): Promise<void> {
  checkWay(options)
  const named = namedAgent(shell, options)
  const elsewhere = named !== undefined && isElsewhere(named)
  if (paths.length > mostPaths)
    throw new Misuse(`These are ${paths.length} paths, and ${mostPaths} at most. Send the folder that they are in.`)
  const absolute = elsewhere ? pathsElsewhere(paths) : await pathsHere(paths)
  const agent = await findOrStartAgent(shell, options, self)
  const { portal } = options
  const started =
    portal === undefined
      ? await sendAsTeam(shell, agent, absolute, options)
      : await sendToPortal(shell, agent, absolute, { ...options, portal })
  if (shell.json) shell.print(JSON.stringify({ event: 'started', ...started }))
  if (options.detach === true) return leave(shell, started.upload_id, options)
  await finish(shell, agent, started.upload_id, options)
}

function checkWay({ to = [], link, portal, field, accessCode, accessCodeFile, from }: SendOptions): void {
  const ways = [to.length > 0, link === true, portal !== undefined].filter(Boolean).length
  if (ways === 0) throw new Misuse('Say how: --to ADDRESS mails it, --link makes a link, --portal NAME hands it in.')
  if (portal !== undefined && ways > 1)
    throw new Misuse('What goes to a Portal goes nowhere else: leave out --to and --link.')
  const wrong = [...to, ...(from === undefined ? [] : [from])].find((address) => !/^[^\s@]+@[^\s@]+$/.test(address))
  if (wrong !== undefined) throw new Misuse(`'${wrong}' is no email address.`)
  const forPortals = field !== undefined || accessCode === true || accessCodeFile !== undefined || from !== undefined
  if (portal === undefined && forPortals) throw new Misuse('--field, --from and --access-code are for --portal.')
}

function leave(shell: Shell, id: string, { link }: SendOptions): void {
  const short = shortId(id)
  shell.say(`The agent sends it in the background. See how it goes: longshore status ${short}`)
  if (link === true) shell.say(`When it is complete, make its link: longshore link ${short}`)
  if (!shell.json) shell.print(short)
}

async function finish(shell: Shell, agent: Agent, id: string, options: SendOptions): Promise<void> {
  const { auto_finalize } = await agent.call(agentStatus)
  const began = performance.now()
  const sent = await waitFor(shell, {
    findAgent: () => needAgent(shell, options),
    kind: 'upload',
    id,
    pauseOnExit: options.pauseOnExit === true,
    isEnough: ({ state }) => state === 'complete' || (state === 'idle' && !auto_finalize),
  })
  if (sent.state === 'idle') return leaveOpen(shell, sent, id)
  shell.say(`${shell.tint('green', '✓')} Sent ${summary(sent, (performance.now() - began) / 1_000)}.`)
  const link =
    options.link === true
      ? await (await needAgent(shell, options)).call(createUploadLink, { params: { upload_id: id } })
      : undefined
  if (shell.json) shell.print(JSON.stringify({ event: 'complete', ...sent, ...(link === undefined ? {} : { link }) }))
  else if (link !== undefined) shell.print(link.url)
}

function leaveOpen(shell: Shell, sent: Transfer, id: string): void {
  shell.say(`All files are there. This agent leaves the last word to you: longshore finalize ${shortId(id)}`)
  if (shell.json) shell.print(JSON.stringify({ event: 'idle', ...sent }))
}
