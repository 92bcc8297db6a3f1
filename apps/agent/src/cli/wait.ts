import { type FindAgent, follow } from '#cli/follow'
import { showBytes } from '#cli/human/bytes'
import { showRate } from '#cli/human/rate'
import { showDuration } from '#cli/human/time'
import { columnsOf, type Shell } from '#cli/shell'
import { percentOf } from '#cli/terminal/progress-line'
import { harmless } from '#cli/terminal/text'
import {
  describeItem,
  doTo,
  idOf,
  progressOf,
  readTransfer,
  shortId,
  type Transfer,
  type TransferKind,
} from '#cli/transfer'
import { Interrupted, Trouble } from '#cli/trouble'

export interface Waiting {
  readonly findAgent: FindAgent
  readonly kind: TransferKind
  readonly id: string
  /** What Ctrl-C does to the transfer; otherwise it goes on without us. */
  readonly pauseOnExit: boolean
  readonly isEnough: (transfer: Transfer) => boolean
}

/** Shows how a transfer goes until it is over, and answers how it ended. An error of the transfer is thrown. */
export async function waitFor(shell: Shell, waiting: Waiting): Promise<Transfer> {
  const { kind, id } = waiting
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  // Once: who presses Ctrl-C again does not want to wait for anything.
  for (const signal of signals) process.once(signal, interrupt)
  const display = await displayFor(shell)
  try {
    for await (const transfer of follow(waiting.findAgent, kind, id, stop.signal)) {
      display.show(transfer)
      if (transfer.state !== 'error' && !waiting.isEnough(transfer)) continue
      display.end()
      await tellLeftOut(shell, waiting)
      if (transfer.state === 'error') throw failure(transfer)
      return transfer
    }
    throw new Error('A transfer is followed until it is over.')
  } catch (error) {
    if (!stop.signal.aborted) throw error
    display.end()
    throw await interrupted(waiting)
  } finally {
    display.end()
    for (const signal of signals) process.off(signal, interrupt)
  }
}

async function interrupted({ kind, id, pauseOnExit, findAgent }: Waiting): Promise<Interrupted> {
  if (pauseOnExit) {
    await doTo(await findAgent(), 'pause', kind, id)
    return new Interrupted(`Paused. To go on: longshore resume ${shortId(id)}`)
  }
  return new Interrupted(
    `The agent goes on with it in the background.\n  longshore status ${shortId(id)}   shows it\n  longshore pause ${shortId(id)}    stops it`,
  )
}

const namedAtMost = 5

/** What was left out is nothing that somebody should have to look for. */
async function tellLeftOut(shell: Shell, { kind, id, findAgent }: Waiting): Promise<void> {
  const wanted = { items_limit: shell.json ? 1_000 : namedAtMost, items_states: ['skipped' as const] }
  const { items, items_total } = await readTransfer(await findAgent(), kind, id, wanted)
  if (items_total === 0) return
  if (shell.json) return shell.print(JSON.stringify({ event: 'skipped', total: items_total, items }))
  shell.say(`${shell.tint('yellow', '!')} Left out: ${items_total === 1 ? '1 entry' : `${items_total} entries`}`)
  for (const item of items) shell.say(`  ${describeItem(item)}`)
  const more = items_total - items.length
  if (more > 0) shell.say(`  … and ${more} more: longshore status ${shortId(id)}`)
}

function failure(transfer: Transfer): Trouble {
  const { error, name } = transfer
  const id = shortId(idOf(transfer))
  const said = error === undefined ? 'The agent does not say why.' : harmless(error.message)
  return new Trouble(`${harmless(name)} failed: ${said}`, {
    hint: error?.recoverable === true ? `longshore resume ${id}   # when that is mended` : `longshore status ${id}`,
  })
}

interface Display {
  readonly show: (transfer: Transfer) => void
  readonly end: () => void
}

async function displayFor(shell: Shell): Promise<Display> {
  if (shell.json) {
    return { show: (transfer) => shell.print(JSON.stringify({ event: 'progress', ...transfer })), end: () => {} }
  }
  if (!shell.live) return plainLines(shell)
  const { liveLine } = await import('#cli/terminal/live-line')
  const line = liveLine(() => columnsOf(process.stderr), shell.tint)
  return { show: (transfer) => line.show(progressOf(transfer)), end: line.end }
}

const longestSilence = 10_000

/** For logs: a line when the state changes, and now and then in between. */
function plainLines(shell: Shell): Display {
  let last = { state: '', at: 0, percent: -1 }
  const show = (transfer: Transfer) => {
    const percent = percentOf(progressOf(transfer))
    const { state } = transfer
    const now = Date.now()
    if (state === last.state && (percent === last.percent || now - last.at < longestSilence)) return
    last = { state, at: now, percent }
    shell.say(plainLine(transfer, percent))
  }
  return { show, end: () => {} }
}

function plainLine(transfer: Transfer, percent: number): string {
  const { name, state, progress, size, rate_bps, eta_seconds } = transfer
  const left = eta_seconds === null ? '' : `, ${showDuration(eta_seconds)} left`
  const pace = state === 'transferring' && rate_bps > 0 ? `, ${showRate(rate_bps)}${left}` : ''
  return `${harmless(name)}: ${state}, ${percent}% (${showBytes(progress)} of ${showBytes(size)})${pace}`
}
