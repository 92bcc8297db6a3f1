import { authorizeForPackage } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { endPackage, lockPackage } from '#store/packages'
import { settleEnd } from './end-package.ts'

/** Ends a package, open or finalized. Nobody gets at its files from here on; a repeat changes nothing. */
export async function deletePackage(
  cx: Pick<Cx, 'db' | 'queue' | 'settings'>,
  caller: Caller,
  id: string,
): Promise<void> {
  const { pkg } = await authorizeForPackage(cx, caller, 'package.delete', id)
  await cx.db.transaction(async (tx) => {
    await lockPackage(tx, pkg.team_id, id)
    const ended = await endPackage(tx, pkg.team_id, id)
    if (ended === undefined) return
    await settleEnd(cx, tx, 'package.deleted', [ended])
  })
}
