import { crashPoint } from '@longshore/kit/crash-point'
import type { Cx } from '#domain/cx'
import { packagePrefix } from '#domain/uploads/object-key'
import { deleteFileRows, filesAfter } from '#store/files'
import { deleteResponseOf } from '#store/form-responses'

const batch = 1_000

/**
 * Removes the form answers of an ended package, and everything that storage holds for it. Works from the store's own list, not from ours, so it
 * also finds what a killed process or a late upload left there. May run any number of times.
 */
export async function purgePackage(
  cx: Pick<Cx, 'db' | 'blob'>,
  order: { teamId: string; packageId: string; last: boolean },
  signal: AbortSignal,
): Promise<void> {
  await cx.db.transaction((tx) => deleteResponseOf(tx, order.teamId, order.packageId))
  const prefix = packagePrefix(order.teamId, order.packageId)
  for await (const upload of cx.blob.openUploads(prefix)) {
    signal.throwIfAborted()
    await cx.blob.abort(upload.key, upload.uploadId)
  }
  let keys: string[] = []
  for await (const object of cx.blob.list(prefix)) {
    keys.push(object.key)
    if (keys.length < batch) continue
    signal.throwIfAborted()
    await cx.blob.remove(keys)
    crashPoint('purge-package.batch')
    keys = []
  }
  if (keys.length > 0) await cx.blob.remove(keys)
  crashPoint('purge-package.objects')
  if (order.last) await forgetFiles(cx, order, signal)
}

async function forgetFiles(
  cx: Pick<Cx, 'db'>,
  { teamId, packageId }: { teamId: string; packageId: string },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const files = await filesAfter(cx.db, teamId, packageId, undefined, batch)
    if (files.length === 0) return
    await cx.db.transaction((tx) =>
      deleteFileRows(
        tx,
        teamId,
        packageId,
        files.map((file) => file.id),
      ),
    )
  }
}
