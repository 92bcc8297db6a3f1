import { type AgentWish, needAgent } from '#cli/agent/connection'
import { showBytes } from '#cli/human/bytes'
import { showRate } from '#cli/human/rate'
import { showDuration } from '#cli/human/time'
import type { Shell } from '#cli/shell'
import { arrowOf, percentOf } from '#cli/terminal/progress-line'
import { type Column, tableLines } from '#cli/terminal/table'
import { harmless } from '#cli/terminal/text'
import { idOf, isOver, listTransfers, progressOf, shortId, type Transfer } from '#cli/transfer'

export interface ListOptions extends AgentWish {
  readonly all?: boolean
}

const recently = 24 * 3_600_000

/** Lists transfers: those that are not over, failed, or ended within a day; all of them with `--all`. */
export async function list(shell: Shell, options: ListOptions): Promise<void> {
  const agent = await needAgent(shell, options)
  const all = await listTransfers(agent)
  const shown = options.all === true ? all : all.filter(isOfInterest)
  if (shell.json) return shell.print(JSON.stringify({ transfers: shown, total: all.length }))
  if (shown.length === 0) shell.say(all.length === 0 ? emptyHint : 'Nothing is under way.')
  else for (const line of tableLines(columns, shown, shell.width())) shell.print(line)
  if (shown.length < all.length) shell.say(`${all.length - shown.length} older: longshore ls --all`)
}

const emptyHint = `No transfers yet. Send something:
  longshore send FILE --link
  longshore send FOLDER --to somebody@example.com`

const isOfInterest = (transfer: Transfer): boolean =>
  transfer.state !== 'complete' || Date.now() - Date.parse(transfer.updated_at) < recently

const columns: readonly Column<Transfer>[] = [
  { title: 'ID', of: (transfer) => shortId(idOf(transfer)) },
  { title: '', of: ({ kind }) => arrowOf(kind === 'upload' ? 'up' : 'down') },
  { title: 'STATE', of: ({ state, queued }) => (queued && !isOver({ state }) ? 'waiting' : state) },
  { title: 'DONE', of: (transfer) => `${percentOf(progressOf(transfer))}%`, align: 'right' },
  { title: 'SIZE', of: ({ size }) => showBytes(size), align: 'right', dropAt: 1 },
  {
    title: 'RATE',
    of: ({ state, rate_bps }) => (state === 'transferring' ? showRate(rate_bps) : ''),
    align: 'right',
    dropAt: 2,
  },
  {
    title: 'LEFT',
    of: ({ eta_seconds }) => (eta_seconds === null ? '' : showDuration(eta_seconds)),
    align: 'right',
    dropAt: 3,
  },
  { title: 'NAME', of: ({ name }) => harmless(name), stretches: true },
]
