import type { Cx } from '#domain/cx'
import { sealPackage } from '#domain/packages/finalize-package'
import type { Tx } from '#platform/db'
import { forgetSources } from '#store/imports'
import type { PackageRow } from '#store/packages'
import { endTransfer, type TransferRow } from '#store/transfers'
import { Stopped } from './lease.ts'

/**
 * Ends an import of which everything has arrived, and finalizes its package if that is wanted: both or neither. Throws
 * `Stopped` when it was cancelled or taken by another, and a refusal when the package cannot be finalized.
 */
export async function completeImport(
  cx: Pick<Cx, 'db' | 'box' | 'blob' | 'queue' | 'settings'>,
  transfer: TransferRow,
  pkg: PackageRow,
): Promise<void> {
  const complete = async (tx: Tx) => {
    const ended = await endTransfer(tx, transfer, { state: 'complete', error: '', tidy: false })
    if (!ended) throw new Stopped('not-ours')
    await forgetSources(tx, transfer)
  }
  await (transfer.finalize ? sealPackage(cx, pkg, complete) : cx.db.transaction(complete))
}
