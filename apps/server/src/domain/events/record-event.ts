import { newId } from '@longshore/kit/ids'
import { showTime } from '#domain/times'
import type { Tx } from '#platform/db'
import { insertEvent } from '#store/events'
import type { PackageRow } from '#store/packages'

export type EventType = 'package.created' | 'package.finalized'

/**
 * Writes an event in the transaction of the change it tells of. Each change happens once by its own condition, so each
 * event is written once; it keeps its id however often it is delivered.
 */
export async function recordEvent(tx: Tx, type: EventType, pkg: PackageRow): Promise<void> {
  await insertEvent(tx, {
    id: newId(),
    teamId: pkg.team_id,
    packageId: pkg.id,
    type,
    object: {
      type: 'package',
      id: pkg.id,
      name: pkg.name,
      ...(pkg.portal_id === null ? {} : { portal_id: pkg.portal_id }),
      sender: pkg.sender,
      size: pkg.size,
      state: pkg.state,
      total_files: pkg.total_files,
      created_at: showTime(pkg.created_at),
      updated_at: showTime(pkg.updated_at),
    },
  })
}
