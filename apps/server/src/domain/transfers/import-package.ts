import { crashPoint } from '@longshore/kit/crash-point'
import type { ForeignKeys, ForeignStore } from '#blob/foreign-store'
import { gate, inLanesTogether } from '#domain/at-once'
import type { Cx } from '#domain/cx'
import { inspectionTopic } from '#domain/inspection/topic'
import { announceProgress } from '#domain/realtime/announce'
import { claimDigest } from '#domain/uploads/claim'
import type { Tx } from '#platform/db'
import { closeFiles, type FinishedFile } from '#store/files'
import {
  arrivedBytes,
  type AwaitedFile,
  awaitedFiles,
  deleteAwaited,
  forgetSources,
  noteAwaitedUpload,
} from '#store/imports'
import { lockPackage, noteActivity, type PackageRow } from '#store/packages'
import { keepGoing, type TransferRow } from '#store/transfers'
import { completeImport } from './complete-import.ts'
import { fetchFile } from './fetch-file.ts'
import { faultOf } from './import-faults.ts'
import { leaseSeconds, type Stopped, whileKept, whyStop } from './lease.ts'
import { listSource } from './list-source.ts'

// Files, and requests, at a time.
const atOnce = 8
const batch = 1_000

type Needs = Pick<Cx, 'db' | 'box' | 'blob' | 'copier' | 'ownStore' | 'queue' | 'settings' | 'log'>

interface Import {
  readonly transfer: TransferRow
  readonly pkg: PackageRow
  readonly keys: ForeignKeys
  readonly store: ForeignStore
}

/**
 * Brings what an import wants into its package: lists it, fetches it, finalizes the package if that is wanted. Killed
 * anywhere and run again, it goes on with what has not arrived.
 */
export async function importPackage(cx: Needs, voyage: Import, shutdown: AbortSignal): Promise<void> {
  const { transfer, pkg } = voyage
  if (!transfer.listed) {
    // Of an earlier try: what it wanted may have changed since.
    await removeAwaited(cx, transfer)
    await listSource(cx, voyage, shutdown)
  }
  await fetchAll(cx, voyage, shutdown)
  crashPoint('import.fetched')
  await completeImport(cx, transfer, pkg)
}

async function fetchAll(cx: Needs, { transfer, pkg, keys, store }: Import, shutdown: AbortSignal): Promise<void> {
  let progress = await arrivedBytes(cx.db, transfer)
  let finished: FinishedFile[] = []

  /** Closes what has come since the last time, many files in one go. */
  const note = async (): Promise<Stopped | undefined> => {
    const closing = finished
    finished = []
    try {
      return await cx.db.transaction((tx) => closeArrived(tx, closing))
    } catch (error) {
      finished = [...closing, ...finished]
      throw error
    }
  }
  const closeArrived = async (tx: Tx, closing: readonly FinishedFile[]): Promise<Stopped | undefined> => {
    const locked = closing.length > 0 ? await lockPackage(tx, pkg.team_id, pkg.id) : undefined
    const why = whyStop(await keepGoing(tx, transfer, { progress }, leaseSeconds))
    if (why !== undefined || closing.length === 0) return why
    if (locked?.stale === true) await noteActivity(tx, pkg.team_id, pkg.id)
    await closeFiles(tx, pkg.team_id, pkg.id, closing)
    tx.announce(inspectionTopic)
    announceProgress(tx, pkg.team_id, pkg.id)
    return undefined
  }

  await whileKept(cx, transfer, shutdown, note, async (kept) => {
    const haul = {
      source: store,
      target: cx.ownStore,
      bucket: keys.bucket,
      folder: transfer.folder,
      copying: { on: cx.copier.isOurStore(keys.endpoint) },
      gate: gate(atOnce),
      arrived(bytes: number) {
        progress += bytes
      },
      begun: (file: AwaitedFile, uploadId: string) =>
        cx.db.transaction((tx) => noteAwaitedUpload(tx, transfer, file.id, uploadId)),
    }
    // What still came in after a failure would lie in our store, and be nobody's.
    await inLanesTogether(allAwaited(cx, transfer), atOnce, kept, async (file, signal) => {
      try {
        const etag = await fetchFile(cx, { ...haul, signal }, file)
        if (etag !== undefined) finished.push(finishedAs(file, etag))
      } catch (error) {
        throw faultOf(file, error)
      }
    })
  })
  // Only what is noted has arrived.
  const why = await note()
  if (why !== undefined) throw why
}

const finishedAs = ({ id, size }: AwaitedFile, etag: string): FinishedFile => ({
  id,
  size,
  etag,
  contentDigest: claimDigest('', size, [{ partNumber: 1, etag }]),
  // Nobody has named any; the inspection finds them out.
  sha256: null,
  crc32: null,
})

async function* allAwaited(cx: Pick<Cx, 'db'>, transfer: TransferRow): AsyncGenerator<AwaitedFile> {
  for (let after: string | undefined; ; ) {
    const files = await awaitedFiles(cx.db, transfer, after, batch)
    yield* files
    after = files.at(-1)?.id
    if (after === undefined) return
  }
}

/** Takes files that have not arrived out of the package again, and what was begun for them out of our store. */
export async function removeAwaited(cx: Pick<Cx, 'db' | 'blob'>, transfer: TransferRow): Promise<void> {
  while (true) {
    const files = await awaitedFiles(cx.db, transfer, undefined, batch)
    if (files.length === 0) return
    for (const { object_key, upload_id } of files) if (upload_id !== null) await cx.blob.abort(object_key, upload_id)
    await cx.blob.remove(files.map((file) => file.object_key))
    const ids = files.map((file) => file.id)
    await cx.db.transaction(async (tx) => {
      const locked = await lockPackage(tx, transfer.team_id, transfer.package_id)
      await forgetSources(tx, transfer, ids)
      // Of a package that has ended everything is removed, by others.
      if (locked?.state !== 'new') return
      await deleteAwaited(tx, transfer, ids)
      announceProgress(tx, transfer.team_id, transfer.package_id)
    })
  }
}
