import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { removalPasses } from '#domain/packages/end-package'
import { packageNotNew } from '#domain/packages/refusals'
import { announceProgress } from '#domain/realtime/announce'
import { purgeObject } from '#queue/orders'
import { deleteFileRow } from '#store/files'
import { declare, lockPackage } from '#store/packages'
import { noSuchFile, openPackage } from './open-file.ts'

/** Takes a file out of an open package. Its object goes with the next pass of the worker, and once more later. */
export async function removeFile(
  cx: Pick<Cx, 'db' | 'queue' | 'settings'>,
  caller: Caller,
  packageId: string,
  fileId: string,
): Promise<void> {
  const pkg = await openPackage(cx, caller, packageId)
  await cx.db.transaction(async (tx) => {
    const locked = await lockPackage(tx, pkg.team_id, packageId)
    if (locked !== undefined && locked.state !== 'new') throw packageNotNew(packageId, locked.state)
    const removed = await deleteFileRow(tx, pkg.team_id, packageId, fileId)
    if (removed === undefined) throw noSuchFile(packageId, fileId)
    announceProgress(tx, pkg.team_id, packageId)
    if (removed.object_key === null) return
    if (pkg.portal_id !== null) await declare(tx, pkg.team_id, packageId, { files: -1, size: -(removed.size ?? 0) })
    const order = { location: pkg.storage_location, key: removed.object_key }
    for (const { afterSeconds } of removalPasses(cx)) await cx.queue.enqueue(tx, purgeObject, [order], { afterSeconds })
  })
}

/** Removes one object and every upload of it that is still open. May run any number of times. */
export async function purgeOneObject(cx: Pick<Cx, 'blob'>, { key }: { key: string }): Promise<void> {
  for await (const upload of cx.blob.openUploads(key)) await cx.blob.abort(upload.key, upload.uploadId)
  await cx.blob.remove([key])
}
