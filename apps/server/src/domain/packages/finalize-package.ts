import { crashPoint } from '@longshore/kit/crash-point'
import { authorizeForPackage } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { recordEvent } from '#domain/events/record-event'
import { inspectionTopic } from '#domain/inspection/topic'
import { settleInspection } from '#domain/inspection/settle-inspection'
import { addAnswers, withStoredAnswers } from '#domain/forms/deliver-answers'
import { announcePackage } from '#domain/notices/announce-package'
import { announceProgress } from '#domain/realtime/announce'
import { sendToPortalConnections } from '#domain/transfers/start-transfer'
import { refuseOversized } from '#domain/uploads/restrictions'
import type { Tx } from '#platform/db'
import { countFiles, type FileCounts } from '#store/files'
import { isImporting } from '#store/imports'
import { closePackage, lockPackage, type PackageRow } from '#store/packages'
import { markFinalized } from '#store/usage'
import { filesUnfinished, importUnfinished, noSuchPackage, packageEmpty, packageNotNew } from './refusals.ts'

type Needs = Pick<Cx, 'db' | 'box' | 'queue' | 'blob' | 'settings'>

/**
 * Closes a package to further files and sets its announcements going.
 *
 * The new state, its event, the recipients' links and the orders for their mails commit together: a crash in between
 * would leave a finalized package that nobody ever hears about. A repeat finds the package finalized and has nothing
 * left to do.
 */
export async function finalizePackage(cx: Needs, caller: Caller, id: string): Promise<void> {
  const { pkg } = await authorizeForPackage(cx, caller, 'package.fill', id)
  await sealPackage(cx, pkg)
}

/**
 * The same for whoever may without asking: an import, which ends with it, in the same transaction. While another one runs
 * nobody may.
 */
export async function sealPackage(cx: Needs, pkg: PackageRow, endImport?: (tx: Tx) => Promise<void>): Promise<void> {
  const { id } = pkg
  if (pkg.state === 'finalized') return
  if (pkg.state !== 'new') throw packageNotNew(id, pkg.state)
  // Where answers are to be written to the store, judged once before, so that it is not for nothing.
  if (pkg.custom_metadata_id !== null) refuseUnready(id, await countFiles(cx.db, pkg.team_id, id))
  await withStoredAnswers(cx, pkg, (answers) =>
    cx.db.transaction(async (tx) => {
      // Locked in a statement of its own: what comes after sees all that those before us committed. Whoever adds or
      // finalizes a file locks this same row, so none slips in behind the count.
      const locked = await lockPackage(tx, pkg.team_id, id)
      if (locked === undefined) throw noSuchPackage(id)
      if (locked.state === 'finalized') return false
      if (locked.state !== 'new') throw packageNotNew(id, locked.state)
      await endImport?.(tx)
      if (await isImporting(tx, pkg.team_id, id)) throw importUnfinished(id)
      const counted = await countFiles(tx, pkg.team_id, id)
      refuseUnready(id, counted)
      await refuseOversized(tx, pkg, counted)
      await addAnswers(tx, pkg, answers)

      const closed = await closePackage(tx, pkg.team_id, id)
      if (closed === undefined) throw new Error(`Package '${id}' changed its state under our lock.`)
      await recordEvent(tx, 'package.finalized', closed)
      await markFinalized(tx, closed)
      announceProgress(tx, pkg.team_id, id)
      await announcePackage(cx, tx, closed)
      await sendToPortalConnections(tx, closed)
      await settleInspection(cx, tx, pkg.team_id, id)
      tx.announce(inspectionTopic)
      return true
    }),
  )
  crashPoint('finalize-package.committed')
}

function refuseUnready(id: string, { entries, unfinished }: FileCounts): void {
  if (unfinished > 0) throw filesUnfinished(id, unfinished)
  if (entries === 0) throw packageEmpty(id)
}
