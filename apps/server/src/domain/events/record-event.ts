import type { webhookEvents } from '@longshore/contract/cloud/webhooks'
import { newId } from '@longshore/kit/ids'
import { announceChange } from '#domain/realtime/announce'
import { showTime } from '#domain/times'
import type { Tx } from '#platform/db'
import { insertEvents } from '#store/events'
import type { PackageRow } from '#store/packages'

export type EventType = (typeof webhookEvents)[number]

/** Named after a commit that left deliveries behind, so that a worker need not find them by itself. */
export const deliveriesTopic = 'deliveries'

/**
 * Writes an event in the transaction of the change it tells of, with the deliveries it causes. Each change happens once
 * by its own condition, so each event is written once; it keeps its id however often it is delivered.
 */
export const recordEvent = (
  tx: Tx,
  type: EventType,
  pkg: PackageRow,
  about: Readonly<Record<string, unknown>> = {},
): Promise<void> => recordEvents(tx, type, [pkg], about)

/** The same change of many packages. */
export async function recordEvents(
  tx: Tx,
  type: EventType,
  packages: readonly PackageRow[],
  about: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  if (packages.length === 0) return
  const events = packages.map((pkg) => ({
    id: newId(),
    teamId: pkg.team_id,
    packageId: pkg.id,
    portalId: pkg.portal_id,
    teamspaceId: pkg.teamspace_id,
    type,
    object: { ...eventObject(pkg), ...about },
  }))
  const deliveries = await insertEvents(tx, events)
  if (deliveries > 0) tx.announce(deliveriesTopic)
  for (const event of events) announceChange(tx, event)
}

const eventObject = (pkg: PackageRow) => ({
  type: 'package' as const,
  id: pkg.id,
  name: pkg.name,
  ...(pkg.portal_id === null ? {} : { portal_id: pkg.portal_id }),
  sender: pkg.sender,
  size: pkg.size,
  state: pkg.state,
  total_files: pkg.total_files,
  created_at: showTime(pkg.created_at),
  updated_at: showTime(pkg.updated_at),
})
