import { newId, newSecret } from '@longshore/kit/ids'
import { hashSecret } from '@longshore/kit/secrets'
import { authorizeForThing, authorizeInTeam } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { gatewayTopic } from '#domain/gateways/topic'
import { createOnce, type Once } from '#domain/idempotency'
import { invalid, Refusal } from '#domain/refusal'
import {
  type ConnectionRow,
  connectionById,
  connectionsOfTeam,
  deleteConnectionRow,
  type Direction,
  insertConnection,
  type Provider,
  setGatewaySecret,
  updateConnectionRow,
} from '#store/connections'
import { endTransfersOver } from '#store/transfers'
import { checkAuthorization, type GivenAuthorization, sealConnectionKeys } from './authorization.ts'
import { presentConnection } from './present.ts'
import { checkTargetDirectory } from './target-directory.ts'

export interface ConnectionFields {
  readonly name: string
  readonly provider: Provider
  readonly direction: Direction
  readonly authorization?: GivenAuthorization
  readonly target_directory?: string
}

type Needs = Pick<Cx, 'db' | 'box' | 'hooks'>

/** Creates a connection. The secret of a storage gateway is in this answer and in no other. */
export async function createConnection(
  cx: Needs,
  caller: Caller,
  teamId: string,
  given: ConnectionFields,
  once?: Once,
) {
  await authorizeInTeam(cx, caller, 'connection.manage', teamId)
  const target_directory = checkTargetDirectory(given.target_directory ?? '')
  const isStore = given.provider === 's3'
  if (isStore && given.authorization === undefined) throw invalid('authorization', 'is required for s3')
  if (!isStore && given.authorization !== undefined) throw gatewayHasNoKeys()
  const keys = given.authorization === undefined ? undefined : await checkAuthorization(cx, given.authorization)
  return createOnce(cx, once, async (tx) => {
    const id = newId()
    const secret = isStore ? undefined : newGatewaySecret()
    const made = await insertConnection(tx, {
      team_id: teamId,
      id,
      name: given.name,
      provider: given.provider,
      direction: given.direction,
      target_directory,
      authorization_sealed: keys === undefined ? null : sealConnectionKeys(cx, id, keys),
      secret_hash: secret === undefined ? null : hashSecret(secret),
    })
    if (made === undefined) throw new Error('The connection was made and is not there.')
    return { ...presentConnection(made), ...(secret === undefined ? {} : { secret }) }
  })
}

export async function listConnections(cx: Pick<Cx, 'db'>, caller: Caller, teamId: string) {
  await authorizeInTeam(cx, caller, 'connection.manage', teamId)
  return (await connectionsOfTeam(cx.db, teamId)).map(presentConnection)
}

export const readConnection = async (cx: Pick<Cx, 'db'>, caller: Caller, id: string) =>
  presentConnection(await managedConnection(cx, caller, id))

/** Changes what is given. Transfers that are under way go on with the keys that they began with, until they rest. */
export async function updateConnection(
  cx: Needs,
  caller: Caller,
  id: string,
  given: Partial<Omit<ConnectionFields, 'provider'>>,
) {
  const before = await managedConnection(cx, caller, id)
  if (before.provider !== 's3' && given.authorization !== undefined) throw gatewayHasNoKeys()
  const targetDirectory =
    given.target_directory === undefined ? undefined : checkTargetDirectory(given.target_directory)
  const keys = given.authorization === undefined ? undefined : await checkAuthorization(cx, given.authorization)
  const updated = await cx.db.transaction((tx) =>
    updateConnectionRow(tx, before.team_id, id, {
      name: given.name,
      direction: given.direction,
      targetDirectory,
      authorizationSealed: keys === undefined ? undefined : sealConnectionKeys(cx, id, keys),
    }),
  )
  if (updated === undefined) throw noSuchConnection(id)
  return presentConnection(updated)
}

/** Gives a storage gateway another secret, which is in this answer and in no other. Whoever holds the old one is let go. */
export async function rotateGatewaySecret(cx: Pick<Cx, 'db'>, caller: Caller, id: string) {
  const { team_id: teamId, provider } = await managedConnection(cx, caller, id)
  if (provider !== 'storage_gateway') {
    throw invalid('cloud_connection_id', 'must be a storage gateway; keys of s3 are changed with the connection')
  }
  const secret = newGatewaySecret()
  const isSet = await cx.db.transaction((tx) => {
    tx.announce(gatewayTopic(id))
    return setGatewaySecret(tx, teamId, id, hashSecret(secret))
  })
  if (!isSet) throw noSuchConnection(id)
  return { secret }
}

/** Deletes a connection. Portals go on without it; what was under way over it ends in error. */
export async function deleteConnection(cx: Pick<Cx, 'db'>, caller: Caller, id: string): Promise<void> {
  const { team_id: teamId } = await managedConnection(cx, caller, id)
  const deleted = await cx.db.transaction(async (tx) => {
    // First: whoever is just starting a transfer over it has kept it, so we wait for them and see their transfer.
    if (!(await deleteConnectionRow(tx, teamId, id))) return false
    await endTransfersOver(tx, teamId, id, 'The cloud connection was deleted.')
    tx.announce(gatewayTopic(id))
    return true
  })
  if (!deleted) throw noSuchConnection(id)
}

export async function managedConnection(cx: Pick<Cx, 'db'>, caller: Caller, id: string): Promise<ConnectionRow> {
  const found = await connectionById(cx.db, id)
  return (await authorizeForThing(cx, caller, 'connection.manage', found, noSuchConnection(id))).thing
}

const newGatewaySecret = (): string => `lsg_${newSecret(32)}`

const noSuchConnection = (id: string): Refusal =>
  new Refusal('connection_not_found', `There is no cloud connection '${id}' for this credential.`)

const gatewayHasNoKeys = (): Refusal => invalid('authorization', 'is for s3 only; a storage gateway has a secret')
