import { crashPoint } from '@longshore/kit/crash-point'
import type { Cx } from '#domain/cx'
import { freezeBlock } from '#domain/downloads/frozen-block'
import { deleteFileRows, filesAfter } from '#store/files'
import { insertBlock, settleFreeze, takeFreezes } from '#store/frozen-files'
import { lockPackage } from '#store/packages'

const blockSize = 1_000
const leaseSeconds = 40

interface Waiting {
  readonly team_id: string
  readonly package_id: string
}

/** Takes packages whose file lists are complete for good, to be frozen by us. */
export const takeFreezable = (cx: Pick<Cx, 'db'>, limit: number): Promise<Waiting[]> =>
  cx.db.transaction((tx) => takeFreezes(tx, limit, leaseSeconds))

/**
 * Moves the file list of a finalized package from rows into blocks, block by block in the order of the list. A process
 * that dies in between leaves a list that is part frozen and part live, which reads the same; the rest is done by
 * whoever takes it next.
 */
export async function freezeFiles(cx: Pick<Cx, 'db'>, waiting: Waiting, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await freezeNextBlock(cx, waiting))) crashPoint('freeze-files.block')
}

/** Answers whether there may be more. */
const freezeNextBlock = (cx: Pick<Cx, 'db'>, { team_id, package_id }: Waiting): Promise<boolean> =>
  cx.db.transaction(async (tx) => {
    // A package that ends is purged, blocks and rows alike: nothing may be written behind the back of that.
    const locked = await lockPackage(tx, team_id, package_id)
    const files = locked?.state === 'finalized' ? await filesAfter(tx, team_id, package_id, undefined, blockSize) : []
    const [first, last] = [files[0], files.at(-1)]
    if (first !== undefined && last !== undefined) {
      const data = freezeBlock(files)
      await insertBlock(tx, team_id, package_id, { first_id: first.id, last_id: last.id, entries: files.length, data })
      await deleteFileRows(
        tx,
        team_id,
        package_id,
        files.map((file) => file.id),
      )
    }
    if (files.length === blockSize) return true
    await settleFreeze(tx, team_id, package_id)
    return false
  })
