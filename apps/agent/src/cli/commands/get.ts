import { resolve } from 'node:path'
import { ApiError, type CallInput } from '@longshore/client/client'
import { startDownload } from '@longshore/contract/agent/downloads'
import { agentStatus } from '@longshore/contract/agent/system'
import { findOrStartAgent } from '#cli/agent/background'
import { type Agent, type AgentWish, isElsewhere, namedAgent, needAgent } from '#cli/agent/connection'
import { askSecret } from '#cli/ask'
import { Misuse } from '#cli/misuse'
import { pathsElsewhere } from '#cli/send/sent'
import { secretFrom } from '#cli/secrets'
import type { Self } from '#cli/self'
import type { Shell } from '#cli/shell'
import { summary } from '#cli/summary'
import { shortId } from '#cli/transfer'
import { Trouble } from '#cli/trouble'
import { waitFor } from '#cli/wait'

export interface GetOptions extends AgentWish {
  readonly password?: boolean
  readonly passwordFile?: string
  /** False for files straight into the folder. */
  readonly packageFolder?: boolean
  readonly onConflict?: 'rename' | 'skip' | 'overwrite'
  readonly priority?: number
  readonly detach?: boolean
  readonly pauseOnExit?: boolean
}

type StartBody = NonNullable<CallInput<typeof startDownload>['body']>

/** Fetches the package of a link into a folder. */
export async function get(shell: Shell, self: Self, url: string, folder: string, options: GetOptions): Promise<void> {
  if (!/^https?:\/\/./.test(url) || !URL.canParse(url)) {
    throw new Misuse(`'${url}' is no link. Copy the whole address, with its secret, and put it in quotes.`)
  }
  const password = await secretFrom(
    shell,
    { file: options.passwordFile, ask: options.password },
    'Password of the link',
  )
  const dst_folder = folderFor(shell, folder, options)
  const agent = await findOrStartAgent(shell, options, self, new URL(url).origin)
  const { download_id } = await start(shell, agent, {
    url,
    dst_folder,
    ...(password === undefined ? {} : { password }),
    ...(options.packageFolder === false ? { create_package_folder: false } : {}),
    ...(options.onConflict === undefined ? {} : { on_conflict: options.onConflict }),
    ...(options.priority === undefined ? {} : { priority: options.priority }),
  })
  if (shell.json) shell.print(JSON.stringify({ event: 'started', download_id }))
  if (options.detach === true) {
    shell.say(`The agent fetches it in the background. See how it goes: longshore status ${shortId(download_id)}`)
    if (!shell.json) shell.print(shortId(download_id))
    return
  }
  await finish(shell, download_id, options)
}

/** As the agent wants it, which makes it where there is none. */
function folderFor(shell: Shell, folder: string, wish: AgentWish): string {
  const named = namedAgent(shell, wish)
  if (named !== undefined && isElsewhere(named)) return pathsElsewhere([folder])[0] ?? folder
  return resolve(folder)
}

/** A link may turn out to have a password; whoever is there is asked, up to three times. */
async function start(
  shell: Shell,
  agent: Agent,
  body: StartBody,
  tries = 3,
): Promise<{ readonly download_id: string }> {
  try {
    return await agent.call(startDownload, { body })
  } catch (error) {
    const { error: name } = error instanceof ApiError ? error : { error: '' }
    if (name === 'link_not_found') throw await notFound(agent, body.url, error)
    const wantsPassword = name === 'link_password_required' || name === 'link_password_wrong'
    if (!wantsPassword || !shell.interactive || tries === 0) throw error
    if (name === 'link_password_wrong') shell.say('That is not the password.')
    return start(shell, agent, { ...body, password: await askSecret('Password of the link') }, tries - 1)
  }
}

/** A link of another server is as unknown as a wrong one; whoever has one wants to be told the difference. */
async function notFound(agent: Agent, url: string, cause: unknown): Promise<unknown> {
  const { cloud_url } = await agent.call(agentStatus)
  if (new URL(cloud_url).host === new URL(url).host) return cause
  return new Trouble(`The agent works with ${cloud_url}, which does not know this link.`, {
    hint: `longshore login --cloud ${new URL(url).origin}   # if it is from there`,
    cause,
  })
}

async function finish(shell: Shell, id: string, options: GetOptions): Promise<void> {
  const began = performance.now()
  const got = await waitFor(shell, {
    findAgent: () => needAgent(shell, options),
    kind: 'download',
    id,
    pauseOnExit: options.pauseOnExit === true,
    isEnough: ({ state }) => state === 'complete',
  })
  if (got.kind !== 'download') return
  shell.say(
    `${shell.tint('green', '✓')} Got ${summary(got, (performance.now() - began) / 1_000)}, checked against its waybill.`,
  )
  if (shell.json) shell.print(JSON.stringify({ event: 'complete', ...got }))
  else shell.print(got.dst_folder)
}
