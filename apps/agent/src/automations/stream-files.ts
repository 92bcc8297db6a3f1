import { readPatterns } from '#transfers/patterns'
import { type SendingRow, sendingsOf, underWay } from '#state/sendings'
import { type Entry, entriesIn, printOf } from './entries.ts'
import { entryTroubles } from './entry-troubles.ts'
import type { Automation } from './kinds.ts'
import type { Means, Round } from './round.ts'
import { beginNoted, beginSending } from './sending.ts'
import { type Memory, recognise, remember } from './sent-before.ts'
import { uploadOrder } from './upload-orders.ts'

// Files that grow wait most of the time; a folder of a thousand old ones is taken step by step.
const mostAtOnce = 32

const nothing = () => false

/** Begins an upload for each new file in a folder. The upload follows the file until it has been quiet for the timeout. */
export function streamFiles(means: Means, automation: Automation<'team_stream' | 'portal_stream'>): Round {
  const { db, minuteMs } = means
  const { fields } = automation
  const secondMs = minuteMs / 60
  const whitelist = fields.whitelist ?? []
  const isListed = readPatterns(whitelist)

  const isWanted = ({ name, kind }: Entry) => kind === 'file' && (whitelist.length === 0 || isListed(name, kind))

  const isSent = async (entry: Entry, sent: Memory<SendingRow>) => {
    const known = recognise(sent, entry)
    if (known === undefined) return false
    if (known.known === 'surely') return true
    const found = await printOf(entry.path, nothing)
    return found === undefined || known.sendings.some(({ print }) => print === found.print)
  }

  return async (signal) => {
    await beginNoted(means, automation.id)
    const sent = remember(sendingsOf(db, automation.id))
    const { attempt, tell } = entryTroubles()
    for (const entry of await entriesIn(fields.path)) {
      signal.throwIfAborted()
      if (!isWanted(entry) || (await isSent(entry, sent))) continue
      if (underWay(db, automation.id).count >= mostAtOnce) break
      const { name, path, mark } = entry
      const plan = { growing: { quietMs: fields.timeout * secondMs } }
      const order = uploadOrder(automation, path, name, { plan })
      await attempt(() => beginSending(means, { automation: automation.id, name, mark, print: '' }, order))
    }
    tell()
    return secondMs
  }
}
