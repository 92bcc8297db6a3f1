import type { Stream } from '@longshore/kit/door/stream'
import { authorizeForPackage, packageExpired } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { linkExpiry } from '#domain/links/present'
import type { FeedEvent } from '#live/feed'
import { packageChannel } from './announce.ts'
import { type Asking, holdOpen, missed, startOf, takeSeat } from './stream.ts'

type Needs = Pick<Cx, 'db' | 'feed' | 'progress' | 'seats' | 'wake' | 'settings' | 'log'>

// Who may only send or fetch is not told what others do with the package.
const forEveryone: ReadonlySet<string> = new Set([
  'package.progress',
  'package.finalized',
  'package.expired',
  'package.deleted',
])

const last: ReadonlySet<string> = new Set(['package.expired', 'package.deleted'])

/**
 * What happens to one package. Begins with how far it is, unless the reader goes on where they stopped; ends with the
 * package, the token, or whatever the token stands on.
 */
export async function followPackage(cx: Needs, asking: Asking, packageId: string): Promise<Stream> {
  const admit = async (caller: Caller) => {
    const held = await authorizeForPackage(cx, caller, 'package.follow', packageId)
    if (held.pkg.state === 'expired' || held.pkg.state === 'archived') throw packageExpired(packageId)
    return held
  }
  const { pkg, caller } = await admit(asking.caller)
  const leave = takeSeat(cx, asking)

  return (reader) => {
    const key = { teamId: pkg.team_id, packageId }
    let stopped = false
    let reading = 0
    // Events that came while we read how far the package is: told before it, the older would seem to be the newer.
    let waiting: FeedEvent[] = []

    const pass = ({ id, type, data }: FeedEvent) => {
      if (caller.level === 'manage' || forEveryone.has(type)) reader.tell({ id, type, data })
      if (last.has(type)) reader.end()
    }
    const tellNow = async () => {
      reading += 1
      const now = await cx.progress.of(key).catch((err: unknown) => cx.log.warn({ err }, 'progress not told'))
      reading -= 1
      if (stopped) return
      if (now !== undefined) reader.tell({ type: 'package.progress', data: JSON.stringify(now) })
      if (reading > 0) return
      for (const event of waiting) pass(event)
      waiting = []
    }
    const stops = [
      leave,
      cx.feed.follow(packageChannel(packageId), startOf(asking), {
        heard: (event) => (reading > 0 ? waiting.push(event) : pass(event)),
        missed() {
          reader.tell(missed)
          void tellNow()
        },
      }),
      holdOpen(cx, reader, {
        standsOn: [packageId, pkg.team_id],
        async admit() {
          const { pkg: now } = await admit(await asking.identifyAgain())
          return now.state === 'finalized' ? linkExpiry({ expiry: now.link_expiry }, now) : now.link_expiry
        },
      }),
    ]
    if (asking.lastEventId === undefined) void tellNow()
    return () => {
      stopped = true
      for (const stop of stops) stop()
    }
  }
}
