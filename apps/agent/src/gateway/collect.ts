import type { FromGateway, ToGateway } from '@longshore/contract/gateway'
import type { GatewayRow } from '#state/gateways'
import { countItems } from '#state/items'
import { readTransfer, type TransferRow } from '#state/transfers'
import type { ShownError } from '#transfers/errors'
import { uploadPlan } from '#transfers/plans'
import type { Means } from './means.ts'
import { forCloud } from './orders.ts'

type Order = Extract<ToGateway, { type: 'collect' }>

/** What the cloud wants of the folder of a gateway. Each order is an upload of this agent, under the cloud's id. */
export interface Collections {
  readonly collect: (order: Order) => Promise<void>
  readonly stop: (transferId: string) => Promise<void>
  /** The line is gone. What was begun goes on; how it ends is told over the next line, when it is ordered again. */
  readonly over: () => void
}

const tellEveryMs = 1_000

export function takeCollections(
  { db, log, transfers }: Means,
  gateway: GatewayRow,
  say: (message: FromGateway) => void,
): Collections {
  /** With how far each was when it was last told. */
  const held = new Map<string, number>()

  const fail = (id: string, message: string, passing: boolean) => {
    held.delete(id)
    say({ type: 'failed', transfer_id: id, message: forCloud(message, gateway), passing })
  }

  const tell = (id: string): void => {
    const row = readTransfer(db, 'up', id)
    if (row === undefined) return fail(id, 'It was deleted where the agent runs.', false)
    const { state, progress, size } = row
    if (state === 'error') {
      const { error, message } = JSON.parse(row.error ?? '{}') as ShownError
      return fail(id, message, error === 'transfer_failed')
    }
    const isOver = state === 'idle' || state === 'complete'
    if (isOver || progress > (held.get(id) ?? 0)) say({ type: 'progress', transfer_id: id, progress, size })
    held.set(id, progress)
    if (!isOver) return
    held.delete(id)
    transfers.endCollection(id)
    say({ type: 'collected', transfer_id: id, left_out: countItems(db, row.seq, ['skipped']) })
  }

  const telling = setInterval(() => {
    for (const id of held.keys()) {
      try {
        tell(id)
      } catch (err) {
        log.error({ gateway: gateway.id, err }, 'how a collection goes could not be told')
      }
    }
  }, tellEveryMs)

  /** Begins it, or goes on with it. What was begun below another root is not gone on with. */
  const accept = ({ transfer_id: id, package_id: packageId, token, folder: below, paths }: Order): void => {
    const { id: of, root_path: root } = gateway
    const known = readTransfer(db, 'up', id)
    if (known === undefined) return transfers.startCollection({ id, packageId, token, gateway: of, root, below, paths })
    if (!isCollectedBy(known, gateway)) throw new Error(`The id '${id}' is taken here.`)
    if (uploadPlan(known).collected?.root === root) transfers.goOnCollecting(id, token)
    else fail(id, 'The folder of this gateway was changed meanwhile. Start a new import.', false)
  }

  return {
    collect: async (order) => {
      const { transfer_id: id } = order
      if (!gateway.permissions.includes('r')) {
        return fail(id, `Nothing may be read here: the gateway is registered with '${gateway.permissions}'.`, false)
      }
      held.set(id, 0)
      try {
        accept(order)
        if (held.has(id)) tell(id)
      } catch (error) {
        fail(id, 'Something unexpected happened. The log of the agent has more.', true)
        throw error
      }
    },
    stop: async (id) => {
      held.delete(id)
      const known = readTransfer(db, 'up', id)
      if (known === undefined || !isCollectedBy(known, gateway)) return
      await transfers.stopCollection(id, 'The cloud has taken it back.')
    },
    over: () => clearInterval(telling),
  }
}

export const isCollectedBy = (row: TransferRow, { id }: Pick<GatewayRow, 'id'>): boolean =>
  uploadPlan(row).collected?.gateway === id
