import { authorizeForPackage, packageExpired } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { invalid, Refusal } from '#domain/refusal'
import { readTime } from '#domain/times'
import { setExpiry } from '#store/packages'
import { type TeamRow, teamById } from '#store/teams'
import { presentManagedPackage } from './present.ts'

export async function setPackageExpiry(
  cx: Pick<Cx, 'db' | 'box' | 'tokens'>,
  caller: Caller,
  id: string,
  given: { expiry?: string; unlimited_storage?: boolean },
) {
  const { pkg, caller: holder } = await authorizeForPackage(cx, caller, 'package.set-expiry', id)
  const team = await teamById(cx.db, pkg.team_id)
  if (team === undefined) throw new Refusal('package_not_found')
  const expiry = wantedExpiry(team, given)
  if (pkg.state === 'expired' || pkg.state === 'archived') throw packageExpired(id)
  const updated = await cx.db.transaction((tx) => setExpiry(tx, pkg.team_id, id, expiry))
  if (updated === undefined) throw packageExpired(id)
  return presentManagedPackage(cx, updated, holder.userId)
}

/** Null for no end. */
function wantedExpiry(team: TeamRow, given: { expiry?: string; unlimited_storage?: boolean }): Date | null {
  if (given.unlimited_storage === true) {
    if (given.expiry !== undefined) throw invalid('expiry', 'must be left out with unlimited_storage')
    if (!team.unlimited_storage_allowed) throw invalid('unlimited_storage', 'this Team keeps no package without end')
    return null
  }
  if (given.expiry === undefined) throw invalid('expiry', 'is required unless unlimited_storage is true')
  if (!team.custom_expiry_enabled) throw invalid('expiry', 'this Team keeps every package for the same time')
  const expiry = readTime('expiry', given.expiry)
  if (expiry === null || expiry.getTime() <= Date.now()) {
    throw invalid('expiry', 'must be in the future; delete the package to end it now')
  }
  return expiry
}
