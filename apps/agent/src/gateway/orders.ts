import { access } from 'node:fs/promises'
import { sep } from 'node:path'
import type { FromGateway, ToGateway } from '@longshore/contract/gateway'
import type { GatewayRow } from '#state/gateways'
import { readTransfer, type TransferRow } from '#state/transfers'
import type { ShownError } from '#transfers/errors'
import { downloadPlan, isDelivery } from '#transfers/plans'
import type { DeliveryPage } from '#transfers/ask-for-files'
import type { Means } from './means.ts'

type Order = Extract<ToGateway, { type: 'deliver' }>

/** What the cloud has ordered over one line. Each order is a download of this agent, under the id that the cloud gave it. */
export interface Orders {
  readonly deliver: (order: Order) => Promise<void>
  readonly stop: (transferId: string) => Promise<void>
  /** The line is gone. What was begun goes on; how it ends is told over the next line, when it is ordered again. */
  readonly over: () => void
}

const tellEveryMs = 1_000

export function takeOrders(
  { db, log, desk, transfers }: Means,
  gateway: GatewayRow,
  say: (message: FromGateway) => void,
  askForFiles: (transferId: string, after: string, signal: AbortSignal) => Promise<DeliveryPage>,
): Orders {
  /** With how far each was when it was last told. */
  const held = new Map<string, number>()
  let isOver = false

  const letGo = (id: string) => {
    held.delete(id)
    desk.take(id)
  }

  const fail = (id: string, message: string, passing: boolean) => {
    letGo(id)
    say({ type: 'failed', transfer_id: id, message: forCloud(message, gateway), passing })
  }

  const tell = async (id: string) => {
    const row = readTransfer(db, 'down', id)
    if (row === undefined) fail(id, 'It was deleted where the agent runs.', false)
    else if (row.state === 'complete') {
      letGo(id)
      say({ type: 'delivered', transfer_id: id })
    } else if (row.state === 'error') {
      const { error, message } = JSON.parse(row.error ?? '{}') as ShownError
      fail(id, message, passing.has(error) || !(await isThere(gateway.root_path)))
    } else if (row.progress > (held.get(id) ?? 0)) {
      held.set(id, row.progress)
      say({ type: 'progress', transfer_id: id, progress: row.progress })
    }
  }

  const telling = setInterval(() => {
    for (const id of held.keys()) {
      tell(id).catch((err: unknown) => log.error({ gateway: gateway.id, err }, 'how a delivery goes could not be told'))
    }
  }, tellEveryMs)

  /** Begins it, goes on with it, or leaves it as it is. */
  const accept = async ({ transfer_id: id, package_id: packageId, folder: below }: Order): Promise<void> => {
    const { root_path: root } = gateway
    const known = readTransfer(db, 'down', id)
    if (known !== undefined && !isOf(known, gateway)) throw new Error(`The id '${id}' is taken here.`)
    if (known !== undefined && rootOf(known) === root) return transfers.goOnDelivering(id)
    // What lies below another root is no part of this one.
    if (known !== undefined) await transfers.remove('down', id)
    transfers.startDelivery({ id, packageId, gateway: gateway.id, root, below })
  }

  return {
    deliver: async (order) => {
      const { transfer_id: id } = order
      // It waited for its turn meanwhile, and is ordered again over the next line.
      if (isOver) return
      if (!gateway.permissions.includes('w')) {
        fail(id, `Nothing may be written here: the gateway is registered with '${gateway.permissions}'.`, false)
        return
      }
      held.set(id, 0)
      desk.put(id, (after, signal) => askForFiles(id, after, signal))
      try {
        await accept(order)
        await tell(id)
      } catch (error) {
        fail(id, 'Something unexpected happened. The log of the agent has more.', true)
        throw error
      }
    },
    stop: async (id) => {
      letGo(id)
      const known = readTransfer(db, 'down', id)
      if (known !== undefined && isOf(known, gateway)) await transfers.stopDelivery(id, 'The cloud has taken it back.')
    },
    over: () => {
      isOver = true
      clearInterval(telling)
      for (const id of held.keys()) letGo(id)
    },
  }
}

// Somebody makes room, or the agent is mended; the rest stays as it is until somebody does something about it.
const passing: ReadonlySet<string> = new Set(['disk_full', 'transfer_failed'])

/** As the protocol takes it, with places counted from the root: what is above it is no business of the cloud. */
export const forCloud = (message: string, { root_path: root }: Pick<GatewayRow, 'root_path'>): string =>
  message
    .replaceAll(`${root}${sep}`, '/')
    .replaceAll(root, '/')
    .replaceAll(/[\u0000-\u001f\u007f]+/g, ' ')
    .slice(0, 500)

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

export function isOf(row: TransferRow, { id }: Pick<GatewayRow, 'id'>): boolean {
  const plan = downloadPlan(row)
  return isDelivery(plan) && plan.gateway === id
}

function rootOf(row: TransferRow): string | undefined {
  const plan = downloadPlan(row)
  return isDelivery(plan) ? plan.root : undefined
}
