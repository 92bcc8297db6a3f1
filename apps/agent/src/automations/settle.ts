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
  else if (sending.transfer_state === 'error') await giveBack(means, sending)
  else if (sending.transfer_state === 'idle') await close(means, sending, order)
  else await finish(means, sending, order)
}

// What was sent is not, or no longer, what lies there. It is looked at anew and sent when it has been quiet again.
const ofTheSource: ReadonlySet<string> = new Set(['source_changed', 'source_gone', 'source_unreadable'])

async function giveBack(means: Means, { id, transfer_error }: MovedSending): Promise<void> {
  const error = JSON.parse(transfer_error ?? '{}') as Partial<ShownError>
  if (ofTheSource.has(error.error ?? '')) await sendAnew(means, id)
}

async function sendAnew({ db, transfers, log }: Means, id: string): Promise<void> {
  log.info({ transfer: id }, 'what an automation sent has changed; it is sent anew')
  // First: whoever dies in between leaves an upload that nobody finishes, and not a folder that nobody sends.
  forgetSending(db, id)
  await transfers.remove('up', id)
}

/** All of it is up, and nobody was told yet: the last moment in which something that came late is noticed. */
async function close(means: Means, { id, print }: MovedSending, order: Order): Promise<void> {
  if (order.kind === 'fetch' || order.plan.leaveOpen !== true || !means.autoFinalize) return
  const now = await printOf(order.body.paths[0] ?? '', readPatterns(order.plan.leaveOut ?? []))
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
