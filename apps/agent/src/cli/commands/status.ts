import { ApiError } from '@longshore/client/client'
import { readSession } from '@longshore/contract/agent/session'
import { agentStatus } from '@longshore/contract/agent/system'
import { type Agent, type AgentWish, needAgent } from '#cli/agent/connection'
import { shownPath } from '#cli/agent/home'
import { showBytes } from '#cli/human/bytes'
import { showRate } from '#cli/human/rate'
import { showTime } from '#cli/human/time'
import type { Shell } from '#cli/shell'
import { percentOf, progressLine } from '#cli/terminal/progress-line'
import { type Column, tableLines } from '#cli/terminal/table'
import { harmless } from '#cli/terminal/text'
import {
  describeItem,
  idOf,
  type Item,
  listTransfers,
  pickTransfer,
  progressOf,
  readTransfer,
  type Transfer,
  type TransferWithItems,
} from '#cli/transfer'

/** Without an id: the agent, who is signed in, and what is under way. */
export async function status(shell: Shell, options: AgentWish): Promise<void> {
  const agent = await needAgent(shell, options)
  const [about, session, transfers] = await Promise.all([
    agent.call(agentStatus),
    sessionOf(agent),
    listTransfers(agent),
  ])
  const counts = countsOf(transfers)
  if (shell.json)
    return shell.print(JSON.stringify({ url: agent.url, ...about, session: session ?? null, transfers: counts }))
  const teams = session?.teams.map(({ name }) => harmless(name)).join(', ')
  shell.print(`Agent      ${about.version}, process ${about.pid}, since ${showTime(about.started_at)}`)
  shell.print(`Address    ${agent.url}`)
  shell.print(`Server     ${about.cloud_url}`)
  shell.print(
    `Signed in  ${session === undefined ? 'no (longshore login)' : `${harmless(session.user.name)} (${teams})`}`,
  )
  shell.print(`Data       ${shownPath(about.data_dir)}`)
  shell.print(`Transfers  ${describeCounts(counts)}`)
}

async function sessionOf(agent: Agent) {
  return agent.call(readSession).catch((error: unknown) => {
    if (error instanceof ApiError) return undefined
    throw error
  })
}

interface Counts {
  readonly transferring: number
  readonly paused: number
  readonly idle: number
  readonly error: number
  readonly complete: number
  readonly upload_bps: number
  readonly download_bps: number
}

function countsOf(transfers: readonly Transfer[]): Counts {
  const count = (wanted: Transfer['state']) => transfers.filter(({ state }) => state === wanted).length
  const rate = (wanted: Transfer['kind']) =>
    transfers.reduce(
      (sum, { kind, state, rate_bps }) => (kind === wanted && state === 'transferring' ? sum + rate_bps : sum),
      0,
    )
  return {
    transferring: count('transferring'),
    paused: count('paused'),
    idle: count('idle'),
    error: count('error'),
    complete: count('complete'),
    upload_bps: rate('upload'),
    download_bps: rate('download'),
  }
}

function describeCounts(counts: Counts): string {
  const words = {
    transferring: 'under way',
    paused: 'paused',
    idle: 'to be finalized',
    error: 'failed',
    complete: 'complete',
  }
  const told = (Object.keys(words) as (keyof typeof words)[])
    .filter((state) => counts[state] > 0)
    .map((state) => `${counts[state]} ${words[state]}`)
  const rates = [
    ...(counts.upload_bps > 0 ? [`↑ ${showRate(counts.upload_bps)}`] : []),
    ...(counts.download_bps > 0 ? [`↓ ${showRate(counts.download_bps)}`] : []),
  ]
  return [...(told.length === 0 ? ['none'] : [told.join(', ')]), ...rates].join('  ')
}

const itemsShown = 20

/** With an id: one transfer, with its files. */
export async function statusOf(shell: Shell, id: string, options: AgentWish): Promise<void> {
  const agent = await needAgent(shell, options)
  const picked = pickTransfer(await listTransfers(agent), id)
  const read = (items: Parameters<typeof readTransfer>[3]) => readTransfer(agent, picked.kind, idOf(picked), items)
  const transfer = await read({ items_limit: shell.json ? 1_000 : itemsShown })
  if (shell.json) return shell.print(JSON.stringify(transfer))
  // Among thousands nobody would find what needs them, so it comes first.
  const { items: troubled } = await read({ items_limit: itemsShown, items_states: ['error', 'skipped'] })
  const others = transfer.items.filter(({ id }) => troubled.every((one) => one.id !== id))
  const items = [...troubled, ...others].slice(0, itemsShown)
  shell.print(progressLine(progressOf(transfer), Math.min(shell.width(), 120), shell.paint))
  shell.print('')
  for (const [title, text] of factsOf(transfer)) shell.print(`${title.padEnd(9)}  ${text}`)
  shell.print('')
  for (const line of tableLines(itemColumns, items, shell.width())) shell.print(line)
  const more = transfer.items_total - items.length
  if (more > 0) shell.print(`… and ${more} more`)
}

function factsOf(transfer: TransferWithItems): readonly (readonly [string, string])[] {
  const { error } = transfer
  return [
    ['Id', idOf(transfer)],
    ['Package', transfer.package_id],
    ['Files', `${transfer.files_done} of ${transfer.total_files}, ${showBytes(transfer.size)}`],
    ['Started', showTime(transfer.created_at)],
    ...(transfer.kind === 'download' ? ([['Folder', shownPath(transfer.dst_folder)]] as const) : []),
    ...(transfer.queued ? ([['Queue', `place ${transfer.fifo_rank + 1}`]] as const) : []),
    ...(error === undefined ? [] : ([['Error', harmless(error.message)]] as const)),
  ]
}

const itemColumns: readonly Column<Item>[] = [
  { title: 'STATE', of: ({ state }) => state },
  { title: 'DONE', of: ({ progress, size }) => `${percentOf({ done: progress, size })}%`, align: 'right', dropAt: 1 },
  { title: 'SIZE', of: ({ size }) => showBytes(size), align: 'right', dropAt: 2 },
  { title: 'FILE', of: describeItem, stretches: true },
]
