import { authorizeForPackage } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { presentManagedPackage, presentPackage } from './present.ts'

export async function readPackage(cx: Pick<Cx, 'db' | 'box' | 'tokens'>, caller: Caller, id: string) {
  const { pkg, caller: holder } = await authorizeForPackage(cx, caller, 'package.read', id)
  return holder.level === 'manage' ? presentManagedPackage(cx, pkg, holder.userId) : presentPackage(pkg)
}
