import { authorizeForPackage } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { movePackage } from '#store/archive'
import { endPackage, lockPackage } from '#store/packages'
import { settleEnd } from './end-package.ts'
import { noSuchPackage, packageNotExpired } from './refusals.ts'

/** Puts an ended package into the archive. A repeat changes nothing. */
export async function archivePackage(
  cx: Pick<Cx, 'db' | 'queue' | 'settings'>,
  caller: Caller,
  id: string,
): Promise<void> {
  const { pkg } = await authorizeForPackage(cx, caller, 'package.archive', id)
  await cx.db.transaction(async (tx) => {
    const locked = await lockPackage(tx, pkg.team_id, id)
    if (locked === undefined) throw noSuchPackage(id)
    if (locked.state === 'archived') return
    if (locked.state !== 'expired') throw packageNotExpired(id, locked.state)
    // Its time may be over without the worker having come by, who looks for finalized packages alone: what comes with
    // the end must not be lost.
    const ended = await endPackage(tx, pkg.team_id, id)
    if (ended !== undefined) await settleEnd(cx, tx, 'package.expired', [ended])
    await movePackage(tx, pkg.team_id, id, 'archive')
  })
}

/** Takes a package out of the archive; it is expired again. A repeat changes nothing. */
export async function unarchivePackage(cx: Pick<Cx, 'db'>, caller: Caller, id: string): Promise<void> {
  const { pkg } = await authorizeForPackage(cx, caller, 'package.archive', id)
  await cx.db.transaction(async (tx) => {
    const locked = await lockPackage(tx, pkg.team_id, id)
    if (locked === undefined) throw noSuchPackage(id)
    if (locked.state === 'new' || locked.state === 'finalized') throw packageNotExpired(id, locked.state)
    await movePackage(tx, pkg.team_id, id, 'unarchive')
  })
}
