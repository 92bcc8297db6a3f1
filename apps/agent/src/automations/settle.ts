import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { forgetSending, markOver, type MovedSending, savePrint, sendingsAtRest } from '#state/sendings'
import type { ShownError } from '#transfers/errors'
import { readPatterns } from '#transfers/patterns'
import { clearSources } from './clear-sources.ts'
import { printOf } from './entries.ts'
import type { Means } from './round.ts'
import { type Order, orderOf } from './sending.ts'

/**
 * Sees to what automations have begun, whether they are still there or not: closes a package whose folder is still what
 * was sent, takes back one whose folder is not, and clears away what was sent.
 */
export async function settleSendings(means: Means): Promise<void> {
  for (const sending of sendingsAtRest(means.db)) {
    try {
      await settle(means, sending)
    } catch (error) {
      // The cloud or the disk is away, or somebody was faster: the next time shows. The others do not wait for it.
      means.log.warn({ automation: sending.automation, transfer: sending.id, err: error }, 'not settled yet')
    }
  }
}

async function settle(means: Means, sending: MovedSending): Promise<void> {
  const order = orderOf(sending)
  // Whoever deletes a transfer does not want it.
  if (sending.transfer_state === null) markOver(means.db, sending.id)
  else if (sending.transfer_state === 'error') await giveBack(means, sending, order)
  else if (sending.transfer_state === 'idle') await close(means, sending, order)
  else await finish(means, sending, order)
}

/**
 * What was sent is not, or no longer, what lies there: it is looked at anew and sent when it has been quiet again. What
 * cannot be read, or only went away with its share, is gone on with when it is the same again.
 */
async function giveBack(means: Means, { id, print, ...sending }: MovedSending, order: Order): Promise<void> {
  const { error } = JSON.parse(sending.transfer_error ?? '{}') as Partial<ShownError>
  if (order.kind === 'fetch') return
  if (error === 'source_changed') return sendAnew(means, id)
  if (error !== 'source_gone' && error !== 'source_unreadable') return
  const [path = ''] = order.body.paths
  const sinceMs = means.now().getTime() - Date.parse(sending.transfer_updated_at ?? '')
  if (sinceMs < means.minuteMs || (await isAway(dirname(path)))) return
  // Where it cannot be looked at, going on tells why.
  const now = await printOf(path, readPatterns(order.plan.leaveOut ?? [])).catch(() => ({ print }))
  if (now?.print === print) means.transfers.resume('up', id)
  else await sendAnew(means, id)
}

/** A share that is not mounted leaves an empty folder, or none. */
const isAway = async (folder: string): Promise<boolean> => (await readdir(folder).catch(() => [])).length === 0

async function sendAnew({ db, transfers, log }: Means, id: string): Promise<void> {
  log.info({ transfer: id }, 'what an automation sent has changed; it is sent anew')
  // First: whoever dies in between leaves an upload that nobody finishes, and not a folder that nobody sends.
  forgetSending(db, id)
  await transfers.remove('up', id)
}

/** All of it is up, and nobody was told yet: the last moment in which something that came late is noticed. */
async function close(means: Means, { id, print }: MovedSending, order: Order): Promise<void> {
  if (order.kind === 'fetch' || order.plan.leaveOpen !== true || !means.autoFinalize) return
  const [path = ''] = order.body.paths
  if (await isAway(dirname(path))) return
  const now = await printOf(path, readPatterns(order.plan.leaveOut ?? []))
  if (now?.print === print) await means.transfers.finalize(id)
  else await sendAnew(means, id)
}

async function finish({ db, log }: Means, { id, print }: MovedSending, order: Order): Promise<void> {
  if (order.kind !== 'fetch') {
    const path = order.body.paths[0] ?? ''
    if (order.clear === true) await clearSources(db, id, log)
    if (print === '') savePrint(db, id, (await printOf(path, () => false))?.print ?? '')
  }
  markOver(db, id)
}
