import { recordEvent } from '#domain/events/record-event'
import { accessTopic } from '#domain/realtime/announce'
import { Refusal } from '#domain/refusal'
import type { Tx } from '#platform/db'
import { countAccess, noteAccess } from '#store/links'
import { countDownload, type PackageRow } from '#store/packages'
import { markDownload } from '#store/usage'

/**
 * Counts one access of a link, once for each read token. Counting and the note of it are one transaction: of any number
 * of first calls at once, only as many pass as may.
 */
export async function countAccessOnce(tx: Tx, pkg: PackageRow, linkId: string, tokenId: string): Promise<void> {
  if (!(await noteAccess(tx, pkg.team_id, linkId, tokenId))) return
  if (!(await countAccess(tx, linkId))) throw new Refusal('link_locked')
  // It may have been the last one that the link allows.
  tx.announce(accessTopic(pkg.id))
  const counted = await countDownload(tx, pkg.team_id, pkg.id)
  if (counted === undefined) return
  await recordEvent(tx, 'package.downloaded', counted)
  await markDownload(tx, pkg.team_id)
}
