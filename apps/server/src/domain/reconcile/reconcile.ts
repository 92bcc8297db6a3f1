import { crashPoint } from '@longshore/kit/crash-point'
import { newId } from '@longshore/kit/ids'
import type { Cx, Settings } from '#domain/cx'
import { ownedAmong } from '#domain/downloads/stored-files'
import { readObjectKey } from '#domain/uploads/object-key'
import { databaseTime } from '#store/clock'
import { beginReconciliation, noteProgress, resumeReconciliation, type Tally } from '#store/reconciliations'
import { inStep } from './in-step.ts'
import { orphansAmong, removeOrphans, type Stray } from './orphans.ts'
import { type OwnedObject, ownedObjects } from './owned-objects.ts'

export interface Wish {
  /** Removes what nobody owns. What is missing is never touched: there is nothing to do but to tell. */
  readonly repairing: boolean
  /** Younger things may still be on their way to an owner, or to their removal. */
  readonly olderThanHours: number
  /** Removes only a few: where much seems to be without an owner, it is rather the database that is the wrong one. */
  readonly careful: boolean
}

export const nightly: Wish = { repairing: true, olderThanHours: 48, careful: true }

const [fewOrphans, fewOfAll] = [100, 0.05]

// Steps between two looks at what was found: what is held in memory, and what a run that is killed does again.
const stepsAtOnce = 1_000

type Needs = Pick<Cx, 'db' | 'blob' | 'log'> & { readonly settings: Pick<Settings, 'storageLocation'> }

/**
 * Holds the store against our books: no stored byte without an owner, no owner without its bytes.
 *
 * Both are walked in the order of the object keys, so it takes the memory of one page of each, whatever their number. A
 * run that was interrupted is taken up where it stopped. Whatever looks wrong is judged a second time before it counts,
 * because both sides change while we walk.
 */
export async function reconcile(cx: Needs, wish: Wish, signal: AbortSignal): Promise<Tally> {
  const now = await databaseTime(cx.db)
  const run = await cx.db.transaction(
    async (tx) =>
      (await resumeReconciliation(tx, wish.repairing, wish.olderThanHours)) ??
      (await beginReconciliation(tx, newId(), wish.repairing, wish.olderThanHours)),
  )
  if (run === undefined) throw new Error('The run was begun and is not there.')
  const tally = { ...tallyOf(run) }
  let position = run.position
  const save = (finished: boolean) => cx.db.transaction((tx) => noteProgress(tx, run.id, position, tally, finished))

  let strays: Stray[] = []
  let unseen: OwnedObject[] = []
  const judge = async () => {
    const orphans = await orphansAmong(cx, strays, { ...wish, now })
    for (const orphan of orphans) tell(cx, orphan)
    tally.orphan_uploads += orphans.filter(({ uploadId }) => uploadId !== undefined).length
    tally.orphans += orphans.filter(({ uploadId }) => uploadId === undefined).length
    tally.orphan_bytes += orphans.reduce((sum, { size }) => sum + size, 0)
    const tooMany = tally.orphans + tally.orphan_uploads > Math.max(fewOrphans, fewOfAll * tally.objects)
    if (wish.repairing && !(wish.careful && tooMany)) {
      await removeOrphans(cx, orphans)
      tally.removed += orphans.length
    }
    tally.missing += await countMissing(cx, unseen)
    strays = []
    unseen = []
    await save(false)
    crashPoint('reconcile.batch')
    signal.throwIfAborted()
  }

  let steps = 0
  const stored = cx.blob.list('', position === '' ? undefined : position)
  for await (const { key, left: object, right: owned } of inStep(stored, ownedObjects(cx, readObjectKey(position)))) {
    if (object !== undefined) tally.objects += 1
    if (owned !== undefined) tally.files += 1
    if (readObjectKey(key) === undefined) tally.foreign_objects += 1
    else if (object !== undefined && owned === undefined) strays.push({ ...object, storedAt: object.modifiedAt })
    else if (owned?.finalized === true && object?.size !== owned.size) unseen.push(owned)
    if (++steps % stepsAtOnce !== 0) continue
    if (readObjectKey(key) !== undefined) position = key
    await judge()
  }
  await judge()

  for await (const upload of cx.blob.openUploads('')) {
    strays.push({ key: upload.key, uploadId: upload.uploadId, storedAt: upload.initiatedAt, size: 0 })
    if (strays.length === stepsAtOnce) await judge()
  }
  await judge()
  await save(true)
  const facts = {
    ...tally,
    repairing: wish.repairing,
    minutes: Math.round((Date.now() - run.started_at.getTime()) / 60_000),
  }
  if (tally.missing > 0) cx.log.error(facts, 'files of living packages have lost their bytes')
  else if (wish.repairing && tally.removed < tally.orphans + tally.orphan_uploads) {
    cx.log.error(facts, 'too much is without an owner to be removed unasked')
  } else cx.log.info(facts, 'store and books reconciled')
  return tally
}

const tallyOf = ({
  objects,
  files,
  orphans,
  orphan_bytes,
  orphan_uploads,
  removed,
  missing,
  foreign_objects,
}: Tally) => ({
  objects,
  files,
  orphans,
  orphan_bytes,
  orphan_uploads,
  removed,
  missing,
  foreign_objects,
})

function tell(cx: Needs, { key, uploadId, size, storedAt }: Stray): void {
  const what = uploadId === undefined ? 'object without an owner' : 'upload without an owner'
  cx.log.warn({ object_key: key, size, stored_at: storedAt }, what)
}

/** Of files whose bytes were not seen, those that still live and whose bytes really are not there. */
async function countMissing(cx: Needs, unseen: readonly OwnedObject[]): Promise<number> {
  const names = unseen.map(({ team_id, package_id, id }) => ({ teamId: team_id, packageId: package_id, fileId: id }))
  let missing = 0
  for (const file of await ownedAmong(cx, names)) {
    if (!file.finalized) continue
    const object = await cx.blob.head(file.object_key)
    if (object?.size === file.size) continue
    missing += 1
    const { team_id, package_id, id: file_id, size } = file
    cx.log.error({ team_id, package_id, file_id, size, stored: object?.size ?? 'nothing' }, 'file without its bytes')
  }
  return missing
}
