import { deleteDownloads, pauseDownloads, resumeDownloads } from '@longshore/contract/agent/downloads'
import { deleteUploads, finalizeUpload, pauseUploads, resumeUploads } from '@longshore/contract/agent/uploads'
import { type Agent, type AgentWish, needAgent } from '#cli/agent/connection'
import { askWhether } from '#cli/ask'
import { Misuse } from '#cli/misuse'
import type { Shell } from '#cli/shell'
import { harmless } from '#cli/terminal/text'
import { doTo, idOf, listTransfers, pickTransfer, setRank, type Transfer } from '#cli/transfer'
import { Interrupted, Trouble } from '#cli/trouble'

export interface ControlOptions extends AgentWish {
  readonly all?: boolean
}

const bulk = {
  pause: { uploads: pauseUploads, downloads: pauseDownloads, done: 'Paused' },
  resume: { uploads: resumeUploads, downloads: resumeDownloads, done: 'Resumed' },
} as const

/** Pauses or resumes the named transfers, or all of them. */
export async function pauseOrResume(
  shell: Shell,
  what: keyof typeof bulk,
  ids: readonly string[],
  options: ControlOptions,
): Promise<void> {
  const { uploads, downloads, done } = bulk[what]
  const agent = await needAgent(shell, options)
  if (isForAll(ids, options)) {
    const affected = (await agent.call(uploads)).affected + (await agent.call(downloads)).affected
    return tell(shell, done, affected)
  }
  await toEach(shell, agent, ids, done, (transfer) => doTo(agent, what, transfer.kind, idOf(transfer)))
}

export interface RemoveOptions extends ControlOptions {
  readonly complete?: boolean
  readonly yes?: boolean
}

/** Removes transfers. What is complete stays where it was sent; what is not is given up, so it is asked about. */
export async function remove(shell: Shell, ids: readonly string[], options: RemoveOptions): Promise<void> {
  const agent = await needAgent(shell, options)
  if (options.complete === true) {
    if (ids.length > 0 || options.all === true)
      throw new Misuse('--complete removes what is complete; name nothing else with it.')
    const query = { states: ['complete' as const] }
    const { affected } = await agent.call(deleteUploads, { query })
    return tell(shell, 'Removed', affected + (await agent.call(deleteDownloads, { query })).affected)
  }
  const forAll = isForAll(ids, options)
  const transfers = await listTransfers(agent)
  const meant = forAll ? transfers : ids.map((id) => pickTransfer(transfers, id))
  await confirmLoss(shell, meant, options.yes === true)
  await toEach(shell, agent, meant.map(idOf), 'Removed', (transfer) =>
    doTo(agent, 'delete', transfer.kind, idOf(transfer)),
  )
}

async function confirmLoss(shell: Shell, meant: readonly Transfer[], yes: boolean): Promise<void> {
  const unfinished = meant.filter(({ state }) => state !== 'complete')
  if (unfinished.length === 0 || yes) return
  const what =
    unfinished.length === 1 ? `'${harmless(unfinished[0]?.name ?? '')}' is` : `${unfinished.length} transfers are`
  if (!shell.interactive) throw new Misuse(`${what} not complete and would be given up. Add --yes if that is meant.`)
  if (!(await askWhether(`${what} not complete. Give up what was transferred?`)))
    throw new Interrupted('Nothing was removed.')
}

/** Moves a transfer in the queue. `place` is `front` or counts from 1. */
export async function rank(shell: Shell, id: string, place: string, options: AgentWish): Promise<void> {
  const number = place === 'front' ? 1 : Number(place)
  if (!Number.isInteger(number) || number < 1)
    throw new Misuse(`'${place}' is no place. Say front, or a number from 1.`)
  const agent = await needAgent(shell, options)
  const transfer = pickTransfer(await listTransfers(agent), id)
  await setRank(agent, transfer, number - 1)
  tellOne(shell, `Moved to place ${number}`, transfer)
}

/** Closes an upload of an agent that does not do it by itself. */
export async function finalize(shell: Shell, id: string, options: AgentWish): Promise<void> {
  const agent = await needAgent(shell, options)
  const transfer = pickTransfer(await listTransfers(agent), id)
  if (transfer.kind !== 'upload') throw new Misuse('Only uploads are finalized.')
  await agent.call(finalizeUpload, { params: { upload_id: transfer.upload_id } })
  tellOne(shell, 'Finalized', transfer)
}

function isForAll(ids: readonly string[], { all }: ControlOptions): boolean {
  if (all === true && ids.length > 0) throw new Misuse('Name transfers or say --all, not both.')
  if (all !== true && ids.length === 0) throw new Misuse('Name a transfer (longshore ls shows them), or say --all.')
  return all === true
}

/** Does it to each, also when one of them refuses; that one is told, and makes the command fail. */
async function toEach(
  shell: Shell,
  agent: Agent,
  ids: readonly string[],
  done: string,
  act: (transfer: Transfer) => Promise<void>,
): Promise<void> {
  const transfers = await listTransfers(agent)
  let refused: unknown
  for (const id of ids) {
    try {
      const transfer = pickTransfer(transfers, id)
      await act(transfer)
      tellOne(shell, done, transfer)
    } catch (error) {
      if (ids.length === 1) throw error
      shell.complain(`${id}: ${(error as Error).message}`)
      refused = error
    }
  }
  if (refused !== undefined) throw new Trouble('Not all of them.', { cause: refused })
}

function tellOne(shell: Shell, done: string, transfer: Transfer): void {
  if (shell.json) shell.print(JSON.stringify({ event: done.toLowerCase(), kind: transfer.kind, id: idOf(transfer) }))
  else shell.say(`${done}: ${harmless(transfer.name)}`)
}

function tell(shell: Shell, done: string, affected: number): void {
  if (shell.json) shell.print(JSON.stringify({ event: done.toLowerCase(), affected }))
  else shell.say(`${done}: ${affected === 1 ? '1 transfer' : `${affected} transfers`}`)
}
