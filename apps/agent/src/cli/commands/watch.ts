import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import * as wire from '@longshore/contract/agent/automations'
import type { ReplyOf } from '@longshore/contract/endpoint'
import { type Agent, type AgentWish, needAgent } from '#cli/agent/connection'
import { Misuse } from '#cli/misuse'
import { pickOne } from '#cli/pick'
import { secretFrom } from '#cli/secrets'
import { teamOf } from '#cli/send/as-team'
import { subdomainOf } from '#cli/send/to-portal'
import type { Shell } from '#cli/shell'
import { type Column, tableLines } from '#cli/terminal/table'
import { harmless } from '#cli/terminal/text'

type Automation = ReplyOf<typeof wire.listAutomations>['automations'][number]

/** Lists the automations of the agent: watched folders, growing files, downloads from Portals. */
export async function watch(shell: Shell, options: AgentWish): Promise<void> {
  const agent = await needAgent(shell, options)
  const reply = await agent.call(wire.listAutomations)
  if (shell.json) return shell.print(JSON.stringify(reply))
  if (reply.automations.length === 0) shell.say('No automations. longshore watch add makes one.')
  else for (const line of tableLines(columns, reply.automations, shell.width())) shell.print(line)
}

const columns: readonly Column<Automation>[] = [
  { title: 'ID', of: ({ automation_id }) => automation_id.slice(-8) },
  { title: 'STATE', of: ({ state }) => state },
  { title: 'TYPE', of: ({ type }) => type.replaceAll('_', ' ') },
  { title: 'NAME', of: ({ name }) => harmless(name), stretches: true },
  { title: 'FOLDER', of: (one) => harmless('path' in one ? one.path : one.dst_folder) },
  { title: 'TROUBLE', of: ({ last_error }) => harmless(last_error) },
]

export interface AddOptions extends AgentWish {
  readonly to?: readonly string[]
  readonly team?: string
  readonly portal?: string
  readonly from?: string
  readonly accessCode?: boolean
  readonly accessCodeFile?: string
  readonly growing?: boolean
  readonly after?: number
  readonly name?: string
  readonly message?: string
  readonly only?: readonly string[]
  readonly leaveOut?: readonly string[]
  readonly suffix?: string
  readonly loose?: boolean
  readonly delete?: boolean
}

/** Begins to watch a folder. */
export async function addWatch(shell: Shell, folder: string, options: AddOptions): Promise<void> {
  const agent = await needAgent(shell, options)
  const path = resolve(folder)
  const shared = { name: options.name ?? basename(path), enabled: true, path, ...given({ message: options.message }) }
  const body = { ...shared, ...(options.growing === true ? growing(options) : watched(options)) }
  const made =
    options.portal === undefined
      ? await asTeam(shell, agent, body, options)
      : await toPortal(shell, agent, body, { ...options, portal: options.portal })
  if (shell.json) return shell.print(JSON.stringify(made))
  shell.print(made.automation_id)
}

const growing = ({ after = 30, only }: AddOptions) => ({ timeout: after, ...given({ whitelist: only }) })

const watched = ({ after = 5, leaveOut, suffix, loose, delete: clear }: AddOptions) => ({
  timeout: after,
  ...given({
    blacklist: leaveOut,
    package_name_suffix: suffix,
    send_loose_files: loose,
    delete_files_after_upload: clear,
  }),
})

interface Body {
  readonly name: string
  readonly enabled: boolean
  readonly path: string
  readonly timeout: number
}

async function asTeam(shell: Shell, agent: Agent, shared: Body, { team, to, growing }: AddOptions) {
  const body = { ...shared, team_id: await teamOf(shell, agent, team), recipient_emails: [...(to ?? [])] }
  return growing === true ? agent.call(wire.createTeamStream, { body }) : agent.call(wire.createTeamUpload, { body })
}

async function toPortal(shell: Shell, agent: Agent, shared: Body, options: AddOptions & { readonly portal: string }) {
  if (options.from === undefined) throw new Misuse('Say who sends it: --from ADDRESS.')
  const source = { file: options.accessCodeFile, ask: options.accessCode }
  const code = await secretFrom(shell, source, 'Access code of the Portal')
  const body = {
    ...shared,
    portal_subdomain: subdomainOf(options.portal),
    sender_email: options.from,
    ...given({ portal_password: code }),
  }
  return options.growing === true
    ? agent.call(wire.createPortalStream, { body })
    : agent.call(wire.createPortalUpload, { body })
}

export interface FetchOptions extends AgentWish {
  readonly portal?: string
  readonly team?: string
  readonly since?: string
  readonly name?: string
}

/** Begins to fetch what comes into a Portal, or into all of them. */
export async function addFetch(shell: Shell, folder: string, options: FetchOptions): Promise<void> {
  const agent = await needAgent(shell, options)
  const dst_folder = resolve(folder)
  const shared = { name: options.name ?? basename(dst_folder), dst_folder, ...given({ effective_time: options.since }) }
  const made =
    options.portal === undefined
      ? await agent.call(wire.createAllPortalsDownload, {
          body: { ...shared, team_id: await teamOf(shell, agent, options.team), create_portal_subfolder: true },
        })
      : await agent.call(wire.createPortalDownload, {
          body: { ...shared, portal_subdomain: subdomainOf(options.portal) },
        })
  if (shell.json) return shell.print(JSON.stringify(made))
  shell.print(made.automation_id)
}

const updates = {
  portal_download: wire.updatePortalDownload,
  all_portals_download: wire.updateAllPortalsDownload,
  team_upload: wire.updateTeamUpload,
  portal_upload: wire.updatePortalUpload,
  team_stream: wire.updateTeamStream,
  portal_stream: wire.updatePortalStream,
}

export async function switchWatch(shell: Shell, id: string, enabled: boolean, options: AgentWish): Promise<void> {
  const agent = await needAgent(shell, options)
  const { automation_id, type, name } = await pick(agent, id)
  await agent.call(updates[type], { params: { automation_id }, body: { enabled } })
  shell.say(`${harmless(name)} is ${enabled ? 'on' : 'off'}.`)
}

export async function removeWatch(shell: Shell, id: string, options: AgentWish): Promise<void> {
  const agent = await needAgent(shell, options)
  const { automation_id, type, name } = await pick(agent, id)
  await agent.call(wire.deleteAutomation, { params: { type, automation_id } })
  shell.say(`${harmless(name)} is removed. What it has begun is finished.`)
}

export async function exportWatch(
  shell: Shell,
  id: string,
  options: AgentWish & { readonly withSecrets?: boolean },
): Promise<void> {
  const agent = await needAgent(shell, options)
  const { automation_id, type } = await pick(agent, id)
  if (type === 'all_portals_download') throw new Misuse('What fetches from all Portals of a Team cannot be exported.')
  const query = { include_secrets: options.withSecrets === true }
  const { data } = await agent.call(wire.exportAutomation, { params: { type, automation_id }, query })
  shell.print(data)
}

export async function importWatch(shell: Shell, file: string, options: AgentWish): Promise<void> {
  const agent = await needAgent(shell, options)
  const text = await (file === '-' ? textOf(process.stdin) : readFile(file, 'utf8')).catch((cause: unknown) => {
    throw new Misuse(`${file} cannot be read: ${(cause as Error).message}`, { cause })
  })
  await agent.call(wire.importAutomation, { body: { data: text.trim() } })
  shell.say('Imported. longshore watch shows it.')
}

async function pick(agent: Agent, wanted: string): Promise<Automation> {
  const { automations } = await agent.call(wire.listAutomations)
  return pickOne(automations, wanted, {
    what: 'automation',
    lister: 'longshore watch',
    by: ({ automation_id, name }) => [automation_id, name],
  })
}

type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

const given = <T extends object>(fields: T): Given<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>
