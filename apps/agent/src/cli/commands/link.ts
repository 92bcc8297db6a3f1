import { createUploadLink } from '@longshore/contract/agent/uploads'
import { type AgentWish, needAgent } from '#cli/agent/connection'
import { parseDays, showTime } from '#cli/human/time'
import { Misuse } from '#cli/misuse'
import { secretFrom } from '#cli/secrets'
import type { Shell } from '#cli/shell'
import { listTransfers, pickTransfer } from '#cli/transfer'

export interface LinkOptions extends AgentWish {
  readonly to?: string
  readonly password?: boolean
  readonly passwordFile?: string
  readonly expires?: string
  readonly maxDownloads?: number
}

const dayMs = 24 * 3_600_000

/** Makes a download link for what was sent. */
export async function link(shell: Shell, id: string, options: LinkOptions): Promise<void> {
  const { to, expires, maxDownloads } = options
  const expiry = expires === undefined ? undefined : new Date(Date.now() + parseDays(expires) * dayMs).toISOString()
  const agent = await needAgent(shell, options)
  const transfer = pickTransfer(await listTransfers(agent), id)
  if (transfer.kind !== 'upload') throw new Misuse('Links are made for what was sent, not for downloads.')
  const password = await secretFrom(
    shell,
    { file: options.passwordFile, ask: options.password },
    'Password of the link',
  )
  const made = await agent.call(createUploadLink, {
    params: { upload_id: transfer.upload_id },
    body: {
      ...(to === undefined ? {} : { email: to }),
      ...(password === undefined ? {} : { password }),
      ...(expiry === undefined ? {} : { expiry }),
      ...(maxDownloads === undefined ? {} : { access_limit: maxDownloads }),
    },
  })
  if (shell.json) return shell.print(JSON.stringify(made))
  shell.print(made.url)
  // The year 1 stands for "never".
  if (!made.expiry.startsWith('0001-')) shell.say(`Open until ${showTime(made.expiry)}.`)
}
