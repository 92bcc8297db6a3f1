import { setTimeout as sleep } from 'node:timers/promises'
import { createConnection, readTransfer, type startTransfer } from '@longshore/contract/cloud/connections'
import type { ReplyOf } from '@longshore/contract/endpoint'
import { use } from '#calls'
import { connectionFields } from '#elsewhere'
import { target } from '#target'

/** Connections and transfers, as the tests of both directions have them. */

export type Transfer = ReplyOf<typeof startTransfer>

export const owner = { as: { apiKey: target.api_key } }

export const makeConnection = (more: Parameters<typeof connectionFields>[0] = {}) =>
  use(createConnection, { params: { team_id: target.team_id }, body: connectionFields(more) }, owner)

export const of = ({ id }: { readonly id: string }) => ({ transfer_id: id })
export const holding = ({ access_token }: Transfer) => ({ as: { transferToken: access_token } })

export async function ended(transfer: Transfer): Promise<Transfer> {
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    const now = await use(readTransfer, { params: of(transfer) }, holding(transfer))
    if (now.state !== 'pending' && now.state !== 'started') return now
    await sleep(100)
  }
  throw new Error(`Transfer '${transfer.id}' has not ended.`)
}
