import { authorizeForPackage } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { packageNotNew } from '#domain/packages/refusals'
import { Refusal } from '#domain/refusal'
import { type FileRow, fileById } from '#store/files'
import type { PackageRow } from '#store/packages'

/** A package that still takes files, for a caller who may give it some. */
export async function openPackage(cx: Pick<Cx, 'db'>, caller: Caller, packageId: string): Promise<PackageRow> {
  const { pkg } = await authorizeForPackage(cx, caller, 'package.fill', packageId)
  if (pkg.state !== 'new') throw packageNotNew(packageId, pkg.state)
  return pkg
}

export async function fileOf(cx: Pick<Cx, 'db'>, pkg: PackageRow, fileId: string): Promise<FileRow> {
  const file = await fileById(cx.db, pkg.team_id, pkg.id, fileId)
  if (file === undefined) throw noSuchFile(pkg.id, fileId)
  return file
}

export const noSuchFile = (packageId: string, fileId: string): Refusal =>
  new Refusal('file_not_found', `Package '${packageId}' has no file '${fileId}'.`)

export const notChunked = (file: FileRow): Refusal =>
  new Refusal(
    'file_not_chunked',
    file.kind === 'directory'
      ? `'${file.name}' is a directory: there is nothing to upload.`
      : `'${file.name}' is stored in one request: send its put_blueprint, then finalize it with the batch call.`,
  )

export const uploadMismatch = (file: FileRow, why: string): Refusal =>
  new Refusal('upload_mismatch', `'${file.name}': ${why}`)
