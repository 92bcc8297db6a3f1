import { crashPoint } from '@longshore/kit/crash-point'
import { inLanes } from '#domain/at-once'
import type { Cx } from '#domain/cx'
import { packagePrefix } from '#domain/uploads/object-key'
import { frozenFilesOf, liveFilesOf } from '#domain/downloads/stored-files'
import { deleteArchivePlansOf } from '#store/archive-plans'
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
 * Both passes go by our own rows, many packages in one request: an object has a row before it has bytes, and a late
 * upload can only come to the key in its row. Where files were sent in parts the last pass also asks the store what it
 * still has, since an upload may have been begun that nobody told us of. It then forgets the rows. Each pass may run any
 * number of times; what no row ever spoke of is the reconciler's.
 */
export async function purgePackages(
  cx: Pick<Cx, 'db' | 'blob'>,
  orders: readonly PurgeOrder[],
  signal: AbortSignal,
): Promise<void> {
  await cx.db.transaction((tx) => deleteResponsesOf(tx, orders))
  const last = orders.filter((order) => order.last)
  const whole = await sentWhole(cx.db, last)
  const [known, asked] = split(orders, (order) => !order.last || whole.has(order.packageId))
  await removeKnown(cx, known, signal)
  await inLanes(asked, lanes, (order) => sweep(cx, order, signal))
  while ((await cx.db.transaction((tx) => deleteFilesOf(tx, last, batch))) > 0) signal.throwIfAborted()
  await cx.db.transaction(async (tx) => {
    await deleteBlocksOf(tx, last)
    await deleteArchivePlansOf(tx, last)
  })
}

const split = <Item>(items: readonly Item[], test: (item: Item) => boolean) =>
  [items.filter(test), items.filter((item) => !test(item))] as const

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

async function sweep(cx: Pick<Cx, 'blob'>, { teamId, packageId }: PackageName, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const prefix = packagePrefix(teamId, packageId)
  for await (const { key, uploadId } of cx.blob.openUploads(prefix)) await cx.blob.abort(key, uploadId)
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
