import type { GatewayConnection, registerGateway, updateGateway } from '@longshore/contract/agent/gateway'
import type { InputOf } from '@longshore/contract/endpoint'
import { invalid, Refusal } from '@longshore/kit/refusal'
import type { Static } from 'typebox'
import { addGateway, type GatewayRow, listGateways, readGateway, removeGateway, saveGateway } from '#state/gateways'
import { listTransfers } from '#state/transfers'
import { checkRoot } from './check-root.ts'
import type { Means } from './means.ts'
import { isCollectedBy } from './collect.ts'
import { isOf } from './orders.ts'
import { connect, type Connection } from './supervisor.ts'

export type Gateways = ReturnType<typeof openGateways>

type Shown = Static<typeof GatewayConnection>

/** All gateways of this agent, each kept connected by itself. */
export function openGateways(means: Means) {
  const { db, transfers, dataDir } = means
  const connections = new Map<string, Connection>()

  const begin = (one: GatewayRow) => {
    const endOrders = () => takeBackOrders(one, 'Its cloud connection was deleted.')
    connections.set(one.id, connect(means, one, endOrders))
  }
  const end = async (id: string) => {
    await connections.get(id)?.end()
    connections.delete(id)
  }
  const mustRead = (id: string): GatewayRow => {
    const one = readGateway(db, id)
    if (one === undefined) throw new Refusal('gateway_not_found', `There is no gateway '${id}'. Check the id.`)
    return one
  }

  const present = ({ id, name, permissions, root_path, user_id, group_id }: GatewayRow): Shown => {
    const connection = connections.get(id)
    return {
      id,
      name,
      permissions,
      root_path,
      ...(user_id === null ? {} : { user_id }),
      ...(group_id === null ? {} : { group_id }),
      state: connection?.state() ?? 'connecting',
      last_error: connection?.lastError() ?? '',
    }
  }

  /** Once nothing more comes in for it. */
  const endDeliveries = async (gateway: GatewayRow, endOne: (id: string) => Promise<void>) => {
    const all = listTransfers(db, 'down', { states: ['transferring', 'paused', 'error'], offset: 0, limit: undefined })
    for (const row of all) if (isOf(row, gateway)) await endOne(row.id)
  }

  /** What is below its root is not for anybody any more. */
  const endCollections = async (gateway: GatewayRow, why: string) => {
    const all = listTransfers(db, 'up', { states: ['transferring', 'paused', 'error'], offset: 0, limit: undefined })
    for (const row of all) if (isCollectedBy(row, gateway)) await transfers.stopCollection(row.id, why)
  }

  /** As if the cloud had cancelled them all. */
  const takeBackOrders = async (gateway: GatewayRow, why: string) => {
    await endDeliveries(gateway, (transfer) => transfers.stopDelivery(transfer, why))
    await endCollections(gateway, why)
  }

  const register = async (given: InputOf<typeof registerGateway>['body']): Promise<Shown> => {
    const { id, name, permissions, secret, user_id = null, group_id = null } = given
    checkOwner(permissions, user_id, group_id)
    const root_path = await checkRoot(given.root_path, permissions, dataDir)
    if (readGateway(db, id) !== undefined) throw new Refusal('gateway_exists')
    const one: GatewayRow = { id, name, permissions, root_path, secret, user_id, group_id }
    addGateway(db, one)
    begin(one)
    return present(one)
  }

  /** Whatever is changed, it connects anew: this is also how somebody says that a mistake is mended. */
  const update = async (given: InputOf<typeof updateGateway>['body']): Promise<Shown> => {
    const before = mustRead(given.id)
    const { permissions } = before
    const user_id = changed(before.user_id, given.user_id)
    const group_id = changed(before.group_id, given.group_id)
    checkOwner(permissions, user_id, group_id)
    const root_path =
      given.root_path === undefined ? before.root_path : await checkRoot(given.root_path, permissions, dataDir)
    await end(given.id)
    // They are ordered again, and begin anew below the other root.
    if (root_path !== before.root_path) {
      await endDeliveries(before, (id) => transfers.remove('down', id))
      await endCollections(before, 'The folder of its gateway was changed.')
    }
    const one = { ...before, root_path, user_id, group_id, secret: given.secret ?? before.secret }
    saveGateway(db, one)
    begin(one)
    return present(one)
  }

  const unregister = async (id: string): Promise<void> => {
    const one = mustRead(id)
    await end(id)
    await takeBackOrders(one, 'Its gateway was unregistered.')
    removeGateway(db, id)
  }

  let last: Promise<unknown> = Promise.resolve()
  /** One change after the other, so that a gateway is never connected twice. */
  const inTurn =
    <Given, Result>(change: (given: Given) => Promise<Result>) =>
    (given: Given): Promise<Result> => {
      const changing = last.then(() => change(given))
      last = changing.catch(() => undefined)
      return changing
    }

  for (const one of listGateways(db)) begin(one)

  return {
    list: () => ({ connections: listGateways(db).map(present) }),
    register: inTurn(register),
    update: inTurn(update),
    unregister: inTurn(unregister),
    close: async (): Promise<void> => {
      await Promise.all([...connections.keys()].map(end))
    },
  }
}

const changed = (before: number | null, given: number | undefined): number | null => {
  if (given === undefined) return before
  return given === -1 ? null : given
}

/** Only root may give files to others. */
function checkOwner(permissions: GatewayRow['permissions'], user: number | null, group: number | null): void {
  const field = user === null ? 'group_id' : 'user_id'
  if (user === null && group === null) return
  if (!permissions.includes('w')) throw invalid(field, 'is of no use where nothing may be written')
  if (process.platform === 'win32') throw invalid(field, 'is not possible on Windows')
  if (process.geteuid?.() !== 0) throw invalid(field, 'needs an agent that runs as root')
}
