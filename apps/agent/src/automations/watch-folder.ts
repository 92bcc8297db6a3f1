import { saveMark, type SendingRow, sendingsOf, underWay } from '#state/sendings'
import { readPatterns } from '#transfers/patterns'
import { type Entry, entriesIn, printOf } from './entries.ts'
import { entryTroubles } from './entry-troubles.ts'
import type { Automation } from './kinds.ts'
import { type Watching, watchOn } from './quiet.ts'
import type { Means, Round } from './round.ts'
import { beginNoted, beginSending } from './sending.ts'
import { type Memory, recognise, remember } from './sent-before.ts'
import { uploadOrder } from './upload-orders.ts'

type WatchFolder = Automation<'team_upload' | 'portal_upload'>

// Each tells the cloud how far it is; more of them at once move no more bytes.
const mostAtOnce = 8
// Twelve looks in a minute: finding out late costs a twelfth of the shortest timeout.
const looksPerMinute = 12
const soonPerMinute = 120
// A folder that takes long to look at is looked at less often.
const restPerWork = 4

/** Sends each subfolder once nothing in it has changed for the timeout. Looking at it is the truth; no event is needed. */
export function watchFolder(means: Means, automation: WatchFolder): Round {
  const { db, clock, minuteMs } = means
  const { fields } = automation
  const isLeftOut = readPatterns(fields.blacklist ?? [])
  let watching: Watching = new Map()

  const isWanted = ({ name, kind }: Entry) =>
    (kind === 'directory' || fields.send_loose_files === true) && !isLeftOut(name, kind)

  /** The print of an entry that was not sent yet. */
  const unsent = async (entry: Entry, sent: Memory<SendingRow>): Promise<Unsent | undefined> => {
    const known = recognise(sent, entry)
    if (known?.known === 'surely') return undefined
    const found = await printOf(entry.path, isLeftOut)
    // Whoever makes a folder fills it later.
    if (found === undefined || found.files === 0) return undefined
    const same = known?.sendings.find(({ print }) => print === found.print)
    if (same !== undefined) saveMark(db, same.id, entry.mark)
    return same === undefined ? { ...entry, print: found.print } : undefined
  }

  const send = async ({ path, name, mark, print }: Unsent) => {
    // It may have waited for its turn.
    if ((await printOf(path, isLeftOut))?.print !== print) return
    const plan = { leaveOpen: true, leaveOut: fields.blacklist ?? [] }
    const packageName = `${name}${fields.package_name_suffix ?? ''}`
    const order = uploadOrder(automation, path, packageName, {
      plan,
      clear: fields.delete_files_after_upload === true,
    })
    await beginSending(means, { automation: automation.id, name, mark, print }, order)
  }

  return async (signal) => {
    const beganAt = clock.now()
    await beginNoted(means, automation.id)
    const sent = remember(sendingsOf(db, automation.id))
    const seen: Unsent[] = []
    const { attempt, tell } = entryTroubles()
    for (const entry of await entriesIn(fields.path)) {
      signal.throwIfAborted()
      const one = isWanted(entry) ? await attempt(() => unsent(entry, sent)) : undefined
      if (one !== undefined) seen.push(one)
    }
    const looked = watchOn(watching, seen, clock.now(), fields.timeout * minuteMs)
    watching = looked.watching
    const due = seen.filter(({ mark }) => looked.due.has(mark))
    const turns = due.slice(0, Math.max(0, mostAtOnce - underWay(db, automation.id).count))
    for (const one of turns) {
      signal.throwIfAborted()
      await attempt(() => send(one))
    }
    tell()
    const pause = minuteMs / (turns.length < due.length ? soonPerMinute : looksPerMinute)
    return Math.max(pause, restPerWork * (clock.now() - beganAt))
  }
}

type Unsent = Entry & { readonly print: string }
