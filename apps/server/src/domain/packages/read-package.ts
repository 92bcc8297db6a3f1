import { authorizeForPackage, authorizeInTeam } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import { viewerOf } from '#domain/access/visible'
import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'
import { seenPackageById } from '#store/packages'
import { presentManagedPackage, presentPackage } from './present.ts'

export async function readPackage(cx: Pick<Cx, 'db' | 'box' | 'tokens'>, caller: Caller, id: string) {
  const { pkg, caller: holder } = await authorizeForPackage(cx, caller, 'package.read', id)
  return holder.level === 'manage' ? presentManagedPackage(cx, pkg, holder.userId) : presentPackage(pkg)
}

/** A package for somebody of its Team, sent or received. One that the member may not see does not exist for them. */
export async function readTeamPackage(
  cx: Pick<Cx, 'db' | 'box' | 'tokens'>,
  caller: Caller,
  teamId: string,
  id: string,
) {
  const member = await authorizeInTeam(cx, caller, 'package.see', teamId)
  const pkg = await seenPackageById(cx.db, teamId, id, viewerOf(member))
  if (pkg === undefined) throw new Refusal('package_not_found', `There is no package '${id}' for this credential.`)
  return presentManagedPackage(cx, pkg, member.userId)
}
