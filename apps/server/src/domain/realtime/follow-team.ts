import type { Stream } from '@longshore/kit/door/stream'
import { LRUCache } from 'lru-cache'
import { authorizeInTeam } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import { viewerOf } from '#domain/access/visible'
import type { Cx } from '#domain/cx'
import type { FeedEvent } from '#live/feed'
import { seesPackagesOf } from '#store/visibility'
import { type Place, teamChannel } from './announce.ts'
import { type Asking, holdOpen, missed, startOf, takeSeat } from './stream.ts'

type Needs = Pick<Cx, 'db' | 'feed' | 'seats' | 'wake' | 'settings' | 'log'>

// For so long an answer of the database holds, whether a member sees what is in a Teamspace or came through a Portal.
const rememberedMs = 3_000

// Events that may wait for such an answer. More than that, and the reader begins anew.
const mostWaiting = 1_000

/** What happens to the packages of a Team, as far as the reader may see them. Ends with their membership or credential. */
export async function followTeam(cx: Needs, asking: Asking, teamId: string): Promise<Stream> {
  const admit = (caller: Caller) => authorizeInTeam(cx, caller, 'team.follow', teamId)
  const member = await admit(asking.caller)
  const leave = takeSeat(cx, asking)

  return (reader) => {
    let viewer = viewerOf(member)
    const answers = new LRUCache<string, boolean>({ max: 1_000, ttl: rememberedMs })
    let turn: Promise<unknown> = Promise.resolve()
    let waiting = 0

    const sees = async (place: Place): Promise<boolean> => {
      if (viewer.seesAll || (place.teamspaceId === null && place.portalId === null)) return true
      const name = `${place.teamspaceId} ${place.portalId}`
      const known = answers.get(name) ?? (await seesPackagesOf(cx.db, viewer, place))
      answers.set(name, known, { noUpdateTTL: true })
      return known
    }
    const pass = async ({ id, type, data, about }: FeedEvent) => {
      if (await sees(about as Place)) reader.tell({ id, type, data })
    }
    const stops = [
      leave,
      cx.feed.follow(teamChannel(teamId), startOf(asking), {
        heard(event) {
          if ((waiting += 1) > mostWaiting) return reader.end()
          turn = turn
            .then(() => pass(event))
            .catch((err: unknown) => {
              // What cannot be judged is not told. The reader comes back and is told then.
              cx.log.warn({ err }, 'a stream ended, because nobody could say what its reader may see')
              reader.end()
            })
            .finally(() => (waiting -= 1))
        },
        missed: () => void (turn = turn.then(() => reader.tell(missed))),
      }),
      holdOpen(cx, reader, {
        standsOn: [teamId, member.userId],
        async admit() {
          viewer = viewerOf(await admit(await asking.identifyAgain()))
          return null
        },
      }),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }
}
