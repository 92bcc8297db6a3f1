import { authorizeForPackage, packageExpired } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'
import { updatePackageRow } from '#store/packages'
import { teamById } from '#store/teams'
import { applyTag, type TagObject } from './apply-tag.ts'
import { checkRecipients } from './create-team-package.ts'
import { packagePasswordContext, presentManagedPackage, presentPackage } from './present.ts'

export interface PackageUpdate {
  readonly name: string
  readonly description?: string
  readonly tag?: TagObject
  readonly access_limit?: number
  readonly password?: string
  readonly recipients?: readonly string[]
}

/** Changes a package. Who holds a write token changes name, description and tag; the rest is for managers. */
export async function updatePackage(
  cx: Pick<Cx, 'db' | 'box' | 'tokens'>,
  caller: Caller,
  id: string,
  given: PackageUpdate,
) {
  const { pkg, caller: holder } = await authorizeForPackage(cx, caller, 'package.update', id)
  const managed = holder.level === 'manage' && pkg.portal_id === null
  if (managed && given.recipients !== undefined) {
    const team = await teamById(cx.db, pkg.team_id)
    if (team === undefined) throw new Refusal('package_not_found')
    checkRecipients(team, given.recipients)
  }
  const updated = await cx.db.transaction(async (tx) =>
    updatePackageRow(tx, pkg.team_id, id, {
      name: given.name,
      description: given.description,
      tagId: await applyTag(tx, pkg.team_id, given.tag),
      ...(managed
        ? {
            accessLimit: given.access_limit,
            recipients: given.recipients,
            passwordSealed:
              given.password === undefined
                ? undefined
                : given.password === ''
                  ? null
                  : cx.box.seal(packagePasswordContext(id), given.password),
          }
        : {}),
    }),
  )
  if (updated === undefined) throw packageExpired(id)
  return holder.level === 'manage' ? presentManagedPackage(cx, updated, holder.userId) : presentPackage(updated)
}
