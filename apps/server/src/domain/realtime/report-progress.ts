import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { openPackage } from '#domain/uploads/open-file'

/** Takes what a sender says of their bytes, which never pass through us. Nothing is written down for good. */
export async function reportProgress(
  cx: Pick<Cx, 'db' | 'progress'>,
  caller: Caller,
  packageId: string,
  uploadedBytes: number,
): Promise<void> {
  const pkg = await openPackage(cx, caller, packageId)
  cx.progress.note({ teamId: pkg.team_id, packageId }, uploadedBytes)
}
