import type { Cx } from '#domain/cx'
import { ownedAmong } from '#domain/downloads/stored-files'
import { type KeyParts, readObjectKey } from '#domain/uploads/object-key'
import { endedLately } from '#store/owned-files'

/** Something stored that no owner was seen for. */
export interface Stray {
  readonly key: string
  readonly storedAt: Date
  /** Of an upload that was begun and not finished. */
  readonly uploadId?: string
  readonly size: number
}

/**
 * Those of the strays that really nobody owns: judged once more by the rows of this moment, since an owner may have come
 * to be, or have moved, while we looked elsewhere. What ended lately is left to the purge that was ordered with its end.
 */
export async function orphansAmong(
  cx: Pick<Cx, 'db'>,
  strays: readonly Stray[],
  wish: { readonly olderThanHours: number; readonly now: Date },
): Promise<readonly Stray[]> {
  const before = wish.now.getTime() - wish.olderThanHours * 3_600_000
  const old = strays.flatMap((stray) => {
    const owner = readObjectKey(stray.key)
    return owner === undefined || stray.storedAt.getTime() > before ? [] : [{ stray, owner }]
  })
  if (old.length === 0) return []
  const owners: readonly KeyParts[] = old.map(({ owner }) => owner)
  const lately = await endedLately(cx.db, owners, wish.olderThanHours)
  const files = new Map((await ownedAmong(cx, owners)).map((file) => [file.id, file]))
  return old
    .filter(({ stray, owner }) => {
      if (lately.has(owner.packageId)) return false
      const file = files.get(owner.fileId)
      if (file === undefined || file.object_key !== stray.key) return true
      // An owner has one upload; it is done with it when the file is finalized.
      return stray.uploadId !== undefined && (file.finalized || (file.upload_id ?? stray.uploadId) !== stray.uploadId)
    })
    .map(({ stray }) => stray)
}

/** Removes what nobody owns. May run any number of times. */
export async function removeOrphans(cx: Pick<Cx, 'blob'>, orphans: readonly Stray[]): Promise<void> {
  for (const { key, uploadId } of orphans) {
    if (uploadId !== undefined) await cx.blob.abort(key, uploadId)
  }
  await cx.blob.remove(orphans.filter(({ uploadId }) => uploadId === undefined).map(({ key }) => key))
}
