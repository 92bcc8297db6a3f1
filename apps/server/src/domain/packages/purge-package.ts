import { crashPoint } from '@longshore/kit/crash-point'
import type { Cx } from '#domain/cx'
import { packagePrefix } from '#domain/uploads/object-key'
import { frozenFilesOf, liveFilesOf } from '#domain/downloads/stored-files'
import { deleteFilesOf, sentWhole, unfinishedUploads } from '#store/files'
import { deleteResponsesOf } from '#store/form-responses'
import { deleteBlocksOf } from '#store/frozen-files'
import type { PackageName } from '#store/packages'

const batch = 1_000

// Packages whose lists are asked for at the same time.
const lanes = 16

export interface PurgeOrder extends PackageName {
  readonly last: boolean
}

/**
 * Removes what is kept of ended packages beside their record: form answers, and everything that storage holds.
 *
 * The first pass goes by our own rows, many packages in one request: every object has a row before it has bytes. The
 * last pass asks the store what it has under each package, so it also finds what a killed process or a late upload left
 * there, and then forgets the rows. Each may run any number of times.
 */
export async function purgePackages(
  cx: Pick<Cx, 'db' | 'blob'>,
  orders: readonly PurgeOrder[],
  signal: AbortSignal,
): Promise<void> {
  await cx.db.transaction((tx) => deleteResponsesOf(tx, orders))
  const [first, last] = [orders.filter((order) => !order.last), orders.filter((order) => order.last)]
  await removeKnown(cx, first, signal)
  if (last.length === 0) return
  const whole = await sentWhole(cx.db, last)
  const waiting = last.values()
  const lane = async () => {
    for (const order of waiting) await sweep(cx, order, { uploads: !whole.has(order.packageId) }, signal)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  while ((await cx.db.transaction((tx) => deleteFilesOf(tx, last, batch))) > 0) signal.throwIfAborted()
  await cx.db.transaction((tx) => deleteBlocksOf(tx, last))
}

async function removeKnown(
  cx: Pick<Cx, 'db' | 'blob'>,
  packages: readonly PackageName[],
  signal: AbortSignal,
): Promise<void> {
  for (const { object_key, upload_id } of await unfinishedUploads(cx.db, packages)) {
    signal.throwIfAborted()
    await cx.blob.abort(object_key, upload_id)
  }
  for (const files of [liveFilesOf(cx, packages), frozenFilesOf(cx, packages)]) {
    await removeAll(cx, files, ({ object_key }) => object_key, signal)
  }
}

async function sweep(
  cx: Pick<Cx, 'blob'>,
  { teamId, packageId }: PackageName,
  { uploads }: { readonly uploads: boolean },
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  const prefix = packagePrefix(teamId, packageId)
  if (uploads) {
    for await (const { key, uploadId } of cx.blob.openUploads(prefix)) await cx.blob.abort(key, uploadId)
  }
  await removeAll(cx, cx.blob.list(prefix), ({ key }) => key, signal)
}

async function removeAll<Item>(
  cx: Pick<Cx, 'blob'>,
  items: AsyncIterable<Item>,
  keyOf: (item: Item) => string,
  signal: AbortSignal,
): Promise<void> {
  let keys: string[] = []
  for await (const item of items) {
    keys.push(keyOf(item))
    if (keys.length < batch) continue
    signal.throwIfAborted()
    await cx.blob.remove(keys)
    crashPoint('purge-package.batch')
    keys = []
  }
  if (keys.length > 0) await cx.blob.remove(keys)
  crashPoint('purge-package.objects')
}
