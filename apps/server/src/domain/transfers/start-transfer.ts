import { newId } from '@longshore/kit/ids'
import type { ForeignKeys } from '#blob/foreign-store'
import { authorizeForPackage, type HeldPackage, packageExpired } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import { checkAuthorization, type GivenAuthorization, sealTransferKeys } from '#domain/connections/authorization'
import { checkTargetDirectory } from '#domain/connections/target-directory'
import type { Cx } from '#domain/cx'
import { countAccessOnce } from '#domain/downloads/count-access'
import { expectGateway } from '#domain/gateways/ask'
import { gatewayTopic } from '#domain/gateways/topic'
import { createOnce, type Once } from '#domain/idempotency'
import { invalid, Refusal } from '#domain/refusal'
import type { Tx } from '#platform/db'
import { type ConnectionRow, connectionOfTeam, keptConnectionOfTeam, type Provider } from '#store/connections'
import { noteHandedOut } from '#store/handed-out'
import type { PackageRow } from '#store/packages'
import { insertPortalTransfers, insertTransfer } from '#store/transfers'
import { presentTransfer } from './present.ts'
import { inFolder, packageFolder } from './target-names.ts'
import { transfersTopic } from './topic.ts'

export interface Wish {
  readonly cloud_connection_id?: string
  readonly authorization?: GivenAuthorization
  readonly target_directory?: string
}

type Needs = Pick<Cx, 'db' | 'box' | 'hooks' | 'tokens' | 'switchboard'>

/** Where a package is to go. */
interface Goal {
  readonly provider: Provider
  readonly connectionId: string | null
  readonly keys: ForeignKeys | undefined
  readonly directory: string
}

/** Sends a package to a connection of the Team, or to a store whose keys are given for this one transfer. */
export async function startTransfer(cx: Needs, caller: Caller, packageId: string, wish: Wish, once?: Once) {
  const { pkg, caller: holder } = await authorizeForPackage(cx, caller, 'transfer.start', packageId)
  if (pkg.state === 'new') throw new Refusal('package_not_finalized')
  if (pkg.state !== 'finalized') throw packageExpired(packageId)
  const goal = await goalOf(cx, { pkg, caller: holder }, wish)
  return createOnce(cx, once, async (tx) => {
    // Kept until this is committed: deleting it ends the transfers that it has by then.
    if (goal.connectionId !== null) {
      expectUsable(await keptConnectionOfTeam(tx, pkg.team_id, goal.connectionId))
    }
    if (holder.linkId !== undefined) {
      await countAccessOnce(tx, pkg, holder.linkId, holder.tokenId)
      if (pkg.size > 0) await noteHandedOut(tx, pkg.team_id, pkg.id, pkg.size)
    }
    const id = newId()
    const row = await insertTransfer(tx, {
      id,
      teamId: pkg.team_id,
      packageId,
      connectionId: goal.connectionId,
      provider: goal.provider,
      authorizationSealed: goal.keys === undefined ? null : sealTransferKeys(cx, id, goal.keys),
      folder: inFolder(goal.directory, packageFolder(pkg)),
      size: pkg.size,
    })
    if (row === undefined) throw new Error('The transfer was made and is not there.')
    wakeCarrier(tx, goal)
    return presentTransfer(cx, row)
  })
}

async function goalOf(cx: Needs, { pkg, caller }: HeldPackage, wish: Wish): Promise<Goal> {
  const { cloud_connection_id: connectionId, authorization } = wish
  if (connectionId === undefined && authorization === undefined) {
    throw invalid('cloud_connection_id', 'is required, or authorization')
  }
  if (connectionId === undefined || authorization !== undefined) {
    if (connectionId !== undefined) throw invalid('authorization', 'must not stand beside cloud_connection_id')
    const directory = checkTargetDirectory(wish.target_directory ?? '')
    const keys = authorization === undefined ? undefined : await checkAuthorization(cx, authorization)
    return { provider: 's3', connectionId: null, keys, directory }
  }
  if (caller.level !== 'manage') {
    throw new Refusal('token_level_insufficient', 'With a read token, give the keys of a store in authorization.')
  }
  const connection = expectUsable(await connectionOfTeam(cx.db, pkg.team_id, connectionId))
  if (connection.provider === 'storage_gateway') await expectGateway(cx, connectionId)
  const directory =
    wish.target_directory === undefined ? connection.target_directory : checkTargetDirectory(wish.target_directory)
  return { provider: connection.provider, connectionId: connection.id, keys: undefined, directory }
}

/** Another Team's connection is none. */
function expectUsable(connection: ConnectionRow | undefined): ConnectionRow {
  if (connection === undefined) throw invalid('cloud_connection_id', 'must be a cloud connection of this Team')
  if (connection.direction === 'import') throw invalid('cloud_connection_id', 'must be one that files may be sent to')
  return connection
}

/** Sends a package that is being finalized to the connections of its Portal. Belongs into that transaction. */
export async function sendToPortalConnections(tx: Tx, pkg: PackageRow): Promise<void> {
  const { portal_id } = pkg
  if (portal_id === null) return
  const made = await insertPortalTransfers(tx, { ...pkg, portal_id }, packageFolder(pkg))
  for (const { connection_id: connectionId, provider } of made) wakeCarrier(tx, { connectionId, provider })
}

/** Wakes whoever is to do something for a transfer: a worker, or the process that its gateway talks to. */
export const wakeCarrier = (
  tx: Tx,
  { connectionId, provider }: { readonly connectionId: string | null; readonly provider: Provider },
): void => tx.announce(provider === 's3' || connectionId === null ? transfersTopic : gatewayTopic(connectionId))
