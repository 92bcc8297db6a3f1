import { newId } from '@longshore/kit/ids'
import { authorizeForPackage, packageExpired } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import { sealTransferKeys } from '#domain/connections/authorization'
import type { Cx } from '#domain/cx'
import { countAccessOnce } from '#domain/downloads/count-access'
import { createOnce, type Once } from '#domain/idempotency'
import { noSuchPackage, packageNotNew } from '#domain/packages/refusals'
import { invalid, Refusal } from '#domain/refusal'
import type { Tx } from '#platform/db'
import { noteHandedOut } from '#store/handed-out'
import { lockPackage, type PackageRow } from '#store/packages'
import { insertPortalTransfers, insertTransfer, type NewTransfer } from '#store/transfers'
import { type ChosenStorage, type Choice, chosenStorage, keepChosen } from './chosen-storage.ts'
import { checkImportPaths } from './import-paths.ts'
import { presentTransfer } from './present.ts'
import { inFolder, packageFolder } from './target-names.ts'
import { wakeCarrier } from './wake-carrier.ts'

export interface Wish extends Choice {
  /** What is to be taken from the storage; left out where the package is to be sent to it. */
  readonly paths?: readonly string[]
  readonly finalize?: boolean
}

type Needs = Pick<Cx, 'db' | 'box' | 'hooks' | 'tokens' | 'switchboard'>

/** Moves files between a package and a storage: a connection of the Team, or a store whose keys are given for once. */
export const startTransfer = (cx: Needs, caller: Caller, packageId: string, wish: Wish, once?: Once) => {
  const { paths } = wish
  return paths === undefined
    ? startExport(cx, caller, packageId, wish, once)
    : startImport(cx, caller, packageId, { ...wish, paths }, once)
}

/** Sends a package that is finalized. */
async function startExport(cx: Needs, caller: Caller, packageId: string, wish: Wish, once: Once | undefined) {
  if (wish.finalize !== undefined) throw invalid('finalize', 'is for imports: name paths')
  const { pkg, caller: holder } = await authorizeForPackage(cx, caller, 'transfer.start', packageId)
  if (pkg.state === 'new') throw new Refusal('package_not_finalized')
  if (pkg.state !== 'finalized') throw packageExpired(packageId)
  const storage = await chosenStorage(cx, { pkg, caller: holder }, wish, 'export')
  return createOnce(cx, once, async (tx) => {
    await keepChosen(tx, pkg.team_id, storage, 'export')
    if (holder.linkId !== undefined) {
      await countAccessOnce(tx, pkg, holder.linkId, holder.tokenId)
      if (pkg.size > 0) await noteHandedOut(tx, pkg.team_id, pkg.id, pkg.size)
    }
    return start(cx, tx, pkg, storage, { folder: inFolder(storage.directory, packageFolder(pkg)), size: pkg.size })
  })
}

/** Fills a package that is new. How much there is turns out on the way. */
async function startImport(
  cx: Needs,
  caller: Caller,
  packageId: string,
  wish: Wish & { readonly paths: readonly string[] },
  once: Once | undefined,
) {
  const held = await authorizeForPackage(cx, caller, 'transfer.import', packageId)
  const { pkg } = held
  if (pkg.state !== 'new') throw packageNotNew(packageId, pkg.state)
  const wanted = { paths: checkImportPaths(wish.paths), finalize: wish.finalize ?? false }
  const storage = await chosenStorage(cx, held, wish, 'import')
  return createOnce(cx, once, async (tx) => {
    await keepChosen(tx, pkg.team_id, storage, 'import')
    // Whoever finalizes the package holds the same lock, and looks whether there is an import.
    const locked = await lockPackage(tx, pkg.team_id, packageId)
    if (locked === undefined) throw noSuchPackage(packageId)
    if (locked.state !== 'new') throw packageNotNew(packageId, locked.state)
    return start(cx, tx, pkg, storage, { folder: storage.directory, size: 0, wanted })
  })
}

async function start(
  cx: Pick<Cx, 'box' | 'tokens'>,
  tx: Tx,
  pkg: PackageRow,
  { connectionId, provider, keys }: ChosenStorage,
  load: Pick<NewTransfer, 'folder' | 'size' | 'wanted'>,
) {
  const id = newId()
  const row = await insertTransfer(tx, {
    id,
    teamId: pkg.team_id,
    packageId: pkg.id,
    connectionId,
    provider,
    authorizationSealed: keys === undefined ? null : sealTransferKeys(cx, id, keys),
    ...load,
  })
  if (row === undefined) throw new Error('The transfer was made and is not there.')
  wakeCarrier(tx, { connectionId, provider })
  return presentTransfer(cx, row)
}

/** Sends a package that is being finalized to the connections of its Portal. Belongs into that transaction. */
export async function sendToPortalConnections(tx: Tx, pkg: PackageRow): Promise<void> {
  const { portal_id } = pkg
  if (portal_id === null) return
  const made = await insertPortalTransfers(tx, { ...pkg, portal_id }, packageFolder(pkg))
  for (const { connection_id: connectionId, provider } of made) wakeCarrier(tx, { connectionId, provider })
}
