import type { ForeignKeys } from '#blob/foreign-store'
import type { HeldPackage } from '#domain/access/authorize'
import { checkAuthorization, type GivenAuthorization } from '#domain/connections/authorization'
import { checkTargetDirectory } from '#domain/connections/target-directory'
import type { Cx } from '#domain/cx'
import { expectCollecting, expectGateway } from '#domain/gateways/ask'
import { invalid, Refusal } from '#domain/refusal'
import type { Tx } from '#platform/db'
import { type ConnectionRow, connectionOfTeam, keptConnectionOfTeam, type Provider } from '#store/connections'
import type { TransferDirection } from '#store/transfers'

export interface Choice {
  readonly cloud_connection_id?: string
  readonly authorization?: GivenAuthorization
  readonly target_directory?: string
}

/** Where a package is to go, or its files are to come from. */
export interface ChosenStorage {
  readonly provider: Provider
  readonly connectionId: string | null
  readonly keys: ForeignKeys | undefined
  readonly directory: string
}

/** A connection of the Team, or a store whose keys are given for one transfer. */
export async function chosenStorage(
  cx: Pick<Cx, 'db' | 'hooks' | 'switchboard'>,
  { pkg, caller }: HeldPackage,
  choice: Choice,
  direction: TransferDirection,
): Promise<ChosenStorage> {
  const { cloud_connection_id: connectionId, authorization } = choice
  if (connectionId === undefined && authorization === undefined) {
    throw invalid('cloud_connection_id', 'is required, or authorization')
  }
  if (connectionId === undefined || authorization !== undefined) {
    if (connectionId !== undefined) throw invalid('authorization', 'must not stand beside cloud_connection_id')
    const directory = checkTargetDirectory(choice.target_directory ?? '')
    const keys = authorization === undefined ? undefined : await checkAuthorization(cx, authorization)
    return { provider: 's3', connectionId: null, keys, directory }
  }
  if (caller.level !== 'manage') {
    throw new Refusal('token_level_insufficient', 'With a read token, give the keys of a store in authorization.')
  }
  const connection = expectUsable(await connectionOfTeam(cx.db, pkg.team_id, connectionId), direction)
  if (connection.provider === 'storage_gateway') {
    await (direction === 'import' ? expectCollecting : expectGateway)(cx, connectionId)
  }
  const directory =
    choice.target_directory === undefined ? connection.target_directory : checkTargetDirectory(choice.target_directory)
  return { provider: connection.provider, connectionId: connection.id, keys: undefined, directory }
}

/** Keeps a chosen connection until the transaction ends: deleting it ends the transfers that it has by then. */
export async function keepChosen(
  tx: Tx,
  teamId: string,
  { connectionId }: ChosenStorage,
  direction: TransferDirection,
): Promise<void> {
  if (connectionId !== null) expectUsable(await keptConnectionOfTeam(tx, teamId, connectionId), direction)
}

const otherWay = {
  export: { direction: 'import', reason: 'must be one that files may be sent to' },
  import: { direction: 'export', reason: 'must be one that files may be taken from' },
} as const

/** Another Team's connection is none. */
function expectUsable(connection: ConnectionRow | undefined, direction: TransferDirection): ConnectionRow {
  if (connection === undefined) throw invalid('cloud_connection_id', 'must be a cloud connection of this Team')
  const other = otherWay[direction]
  if (connection.direction === other.direction) throw invalid('cloud_connection_id', other.reason)
  return connection
}
