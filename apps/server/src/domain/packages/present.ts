import type { Cx } from '#domain/cx'
import { showTime } from '#domain/times'
import type { PackageRow } from '#store/packages'

/** A package as every holder of a token may see it. */
export const presentPackage = (pkg: PackageRow) => ({
  id: pkg.id,
  team_id: pkg.team_id,
  portal_id: pkg.portal_id ?? '',
  name: pkg.name,
  description: pkg.description,
  access_limit: pkg.access_limit,
  contains_virus: pkg.contains_virus,
  created_at: showTime(pkg.created_at),
  updated_at: showTime(pkg.updated_at),
  finalized_at: showTime(pkg.finalized_at),
  custom_expiry: pkg.custom_expiry,
  custom_metadata_id: pkg.custom_metadata_id ?? '',
  downloads: pkg.downloads,
  expiry: showTime(pkg.expiry),
  progress_channels: [`package:${pkg.id}`],
  sender: pkg.sender,
  size: pkg.size,
  state: pkg.state,
  teamspace:
    pkg.teamspace_id !== null && pkg.teamspace_name !== null
      ? { id: pkg.teamspace_id, name: pkg.teamspace_name }
      : null,
  teamspace_id: pkg.teamspace_id ?? '',
  total_files: pkg.total_files,
  unlimited_storage: pkg.unlimited_storage,
  chunk_size: pkg.chunk_size,
  ...(pkg.tag_id !== null && pkg.tag_name !== null ? { tag: { id: pkg.tag_id, name: pkg.tag_name } } : {}),
})

export const packagePasswordContext = (id: string): string => `package/${id}/password`

/** A package as its managers see it: with recipients, password and a fresh token. */
export async function presentManagedPackage(
  cx: Pick<Cx, 'box' | 'tokens'>,
  pkg: PackageRow,
  userId: string | undefined,
) {
  return {
    ...presentPackage(pkg),
    recipients: [...pkg.recipients],
    password: pkg.password_sealed === null ? '' : cx.box.open(packagePasswordContext(pkg.id), pkg.password_sealed),
    access_token: await cx.tokens.issuePackage({
      teamId: pkg.team_id,
      packageId: pkg.id,
      level: 'manage',
      serial: pkg.token_serial,
      ...(userId === undefined ? {} : { userId }),
    }),
  }
}
