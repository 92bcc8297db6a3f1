import { readSession } from '@longshore/contract/agent/session'
import { startUpload } from '@longshore/contract/agent/uploads'
import type { Agent } from '#cli/agent/connection'
import { askWhich } from '#cli/ask'
import { parseDays } from '#cli/human/time'
import { Misuse } from '#cli/misuse'
import { secretFrom } from '#cli/secrets'
import { type SentOptions, sentBody } from '#cli/send/sent'
import type { Shell } from '#cli/shell'
import { harmless } from '#cli/terminal/text'

export interface TeamOptions {
  readonly to?: readonly string[]
  readonly link?: boolean
  readonly team?: string
  readonly teamspace?: string
  readonly password?: boolean
  readonly passwordFile?: string
  /** Days, or `never`. */
  readonly expires?: string
  readonly maxDownloads?: number
  readonly tag?: string
}

/** Starts an upload in the name of a Team. */
export async function sendAsTeam(
  shell: Shell,
  agent: Agent,
  paths: readonly string[],
  options: TeamOptions & SentOptions,
) {
  const { to = [], teamspace, expires, maxDownloads, tag } = options
  const keep = keepFor(expires)
  const team_id = await teamOf(shell, agent, options.team)
  const password = await secretFrom(
    shell,
    { file: options.passwordFile, ask: options.password },
    'Password that recipients will need',
  )
  return agent.call(startUpload, {
    body: {
      team_id,
      ...sentBody(paths, options),
      recipients: [...new Set(to)],
      ...keep,
      ...(password === undefined ? {} : { password }),
      ...(maxDownloads === undefined ? {} : { download_limit: maxDownloads }),
      ...(tag === undefined ? {} : { tag: { name: tag } }),
      ...(teamspace === undefined ? {} : { teamspace_id: teamspace }),
    },
  })
}

function keepFor(expires: string | undefined) {
  if (expires === undefined) return {}
  return expires === 'never' ? { unlimited_storage: true } : { delete_after: parseDays(expires) }
}

/** The Team that is meant, by id or by name; the only one, if there is only one. */
export async function teamOf(shell: Shell, agent: Agent, wanted: string | undefined): Promise<string> {
  const { teams } = await agent.call(readSession)
  const names = teams.map(({ name }) => `'${harmless(name)}'`).join(', ')
  if (wanted !== undefined) {
    const found = teams.find(({ id, name }) => id === wanted || name.toLowerCase() === wanted.toLowerCase())
    if (found === undefined) throw new Misuse(`You are in no Team '${wanted}'. Yours: ${names}.`)
    return found.id
  }
  const [first, second] = teams
  if (first === undefined) throw new Misuse('You are in no Team yet. Ask for an invitation.')
  if (second === undefined) return first.id
  if (!shell.interactive) throw new Misuse(`You are in several Teams. Say which with --team: ${names}.`)
  return askWhich(
    'Send as which Team?',
    teams.map(({ id, name }) => ({ value: id, label: harmless(name) })),
  )
}
