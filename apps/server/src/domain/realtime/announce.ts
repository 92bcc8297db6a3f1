import type { Feed, NewFeedEvent } from '#live/feed'
import type { Wake } from '#live/wake'
import type { Tx } from '#platform/db'

export interface PackageKey {
  readonly teamId: string
  readonly packageId: string
}

/** Whose a package is, and what decides which members see it. */
export interface Place extends PackageKey {
  readonly portalId: string | null
  readonly teamspaceId: string | null
}

export const packageChannel = (id: string): string => `package:${id}`
export const teamChannel = (id: string): string => `team:${id}`

/** Where those listen who hear of a package: its own followers, and those of its Team. */
export const channelsOf = ({ teamId, packageId }: PackageKey): readonly string[] => [
  packageChannel(packageId),
  teamChannel(teamId),
]

/** Named when somebody's access to this Team, package or user may have ended: open streams look whether it did. */
export const accessTopic = (id: string): string => `access:${id}`

const changeTopic = 'package-change'
const progressTopic = 'package-progress'

interface Change extends Place {
  readonly id: string
  readonly type: string
  readonly object: object
}

/** Tells those who follow a package or its Team of a change, once it is committed. */
export const announceChange = (tx: Tx, change: Change): void => tx.announce(changeTopic, change)

/** Tells them that its files have come on. */
export const announceProgress = (tx: Tx, teamId: string, packageId: string): void =>
  tx.announce(progressTopic, { teamId, packageId })

interface Ways {
  readonly feed: Feed
  readonly wake: Wake
  readonly progress: { note(key: PackageKey): void }
}

/** Passes on what a transaction announced. Never fails: it is committed. */
export function passOn(cx: Ways, topic: string, payload: unknown): void {
  if (topic === changeTopic) {
    const change = payload as Change
    cx.feed.publish(channelsOf(change), feedEvent(change))
  } else if (topic === progressTopic) {
    cx.progress.note(payload as PackageKey)
  } else {
    cx.wake.publish(topic)
  }
}

const feedEvent = ({ id, type, object, teamId, packageId, portalId, teamspaceId }: Change): NewFeedEvent => ({
  type,
  data: JSON.stringify({ event_id: id, event_type: type, object }),
  about: { teamId, packageId, portalId, teamspaceId } satisfies Place,
})
