import { authorizeForPackage, packageExpired } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'
import { responseOfPackage } from '#store/form-responses'
import { presentResponse } from './present.ts'

/** What the sender of a Portal package answered. Goes with the files when the package ends. */
export async function packageMetadata(cx: Pick<Cx, 'db'>, caller: Caller, packageId: string) {
  const { pkg } = await authorizeForPackage(cx, caller, 'package.metadata', packageId)
  if (pkg.state === 'expired' || pkg.state === 'archived') throw packageExpired(packageId)
  const response = await responseOfPackage(cx.db, pkg.team_id, packageId)
  if (response === undefined) throw new Refusal('form_response_not_found')
  return presentResponse(response)
}
