import * as cloud from '@longshore/contract/cloud/connections'
import * as local from '@longshore/contract/agent/gateway'
import type { ReplyOf } from '@longshore/contract/endpoint'
import type { Agent } from '#agent'
import { eventually } from '#automations'
import { use } from '#calls'
import { asOwner } from '#portals'
import { target } from '#target'
import { inPackage, managing, type Package, someName } from '#walk'

type Transfer = ReplyOf<typeof cloud.startTransfer>
export type Gateway = ReplyOf<typeof local.registerGateway>

/** A storage gateway of the Team, as its console makes one. */
export async function makeGateway(
  more: { direction?: 'import' | 'export' | 'both'; target_directory?: string } = {},
): Promise<{ readonly id: string; readonly secret: string }> {
  const body = { name: someName('NAS'), provider: 'storage_gateway', direction: 'both', ...more } as const
  const { id, secret = '' } = await use(cloud.createConnection, { params: { team_id: target.team_id }, body }, asOwner)
  return { id, secret }
}

export const gatewayOf = async (agent: Agent, id: string): Promise<Gateway | undefined> =>
  (await use(local.listGateways, {}, agent.at)).connections.find((one) => one.id === id)

export const untilState = (agent: Agent, id: string, state: Gateway['state']): Promise<Gateway> =>
  eventually(`the gateway is ${state}`, async () => {
    const one = await gatewayOf(agent, id)
    return one?.state === state && one
  })

/** Registers a folder with an agent, and waits until it is connected. */
export async function connectFolder(
  agent: Agent,
  folder: string,
  gateway: { readonly id: string; readonly secret: string },
  more: { permissions?: 'r' | 'w' | 'rw'; user_id?: number; group_id?: number } = {},
): Promise<Gateway> {
  const body = { ...gateway, name: 'NAS', permissions: 'rw' as const, root_path: folder, ...more }
  await use(local.registerGateway, { body }, agent.at)
  return untilState(agent, gateway.id, 'connected')
}

export const deliver = (pkg: Package, gateway: { readonly id: string }): Promise<Transfer> =>
  use(cloud.startTransfer, { params: inPackage(pkg), body: { cloud_connection_id: gateway.id } }, managing(pkg))

export const holding = ({ access_token }: Transfer) => ({ as: { transferToken: access_token } })
export const ofTransfer = ({ id }: Transfer) => ({ transfer_id: id })

/** As it is once it has ended, or as it should be before. */
export const untilTransfer = (
  transfer: Transfer,
  isSo = ({ state }: Transfer) => state !== 'pending' && state !== 'started',
): Promise<Transfer> =>
  eventually('the transfer is as it should be', async () => {
    const now = await use(cloud.readTransfer, { params: ofTransfer(transfer) }, holding(transfer))
    return isSo(now) && now
  })

/** Where the files of a package go below the root of a gateway without a folder of its own. */
export const folderOf = (pkg: { readonly id: string; readonly name: string }): string =>
  `${pkg.name}-${pkg.id.slice(-8)}`
