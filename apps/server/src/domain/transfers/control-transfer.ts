import { authorizeForPackage, packageExpired } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { expectGateway } from '#domain/gateways/ask'
import { packageNotNew } from '#domain/packages/refusals'
import { Refusal } from '#domain/refusal'
import { connectionOfTeam } from '#store/connections'
import { packageById } from '#store/packages'
import {
  cancelTransferRow,
  retryTransferRow,
  type TransferRow,
  transferById,
  transfersOfPackage,
} from '#store/transfers'
import { presentTransfer } from './present.ts'
import { wakeCarrier } from './wake-carrier.ts'

type Needs = Pick<Cx, 'db' | 'tokens'>

// Nobody reads more, and each has a token to be signed.
const mostListed = 1_000

export async function listTransfers(cx: Needs, caller: Caller, packageId: string) {
  const { pkg } = await authorizeForPackage(cx, caller, 'transfer.list', packageId)
  const transfers = await transfersOfPackage(cx.db, pkg.team_id, packageId, mostListed)
  return Promise.all(transfers.map((transfer) => presentTransfer(cx, transfer)))
}

export const readTransfer = async (cx: Needs, caller: Caller, id: string) =>
  presentTransfer(cx, await heldTransfer(cx, caller, id))

// Whoever carries it looks every second whether it still may; by then its last requests have ended.
const tidyAfterSeconds = 3

/** Ends a transfer. One that has ended stays as it ended. */
export async function cancelTransfer(cx: Needs, caller: Caller, id: string) {
  const { team_id: teamId } = await heldTransfer(cx, caller, id)
  const cancelled = await cx.db.transaction(async (tx) => {
    const row = await cancelTransferRow(tx, teamId, id, tidyAfterSeconds)
    if (row !== undefined) wakeCarrier(tx, { connectionId: row.connection_id, provider: row.provider })
    return row
  })
  return cancelled === undefined ? readTransfer(cx, caller, id) : presentTransfer(cx, cancelled)
}

/** Sets a transfer going again. Files that arrived are not moved again. */
export async function retryTransfer(cx: Needs & Pick<Cx, 'switchboard'>, caller: Caller, id: string) {
  const transfer = await heldTransfer(cx, caller, id)
  if (transfer.state !== 'error' && transfer.state !== 'cancelled') throw notRetryable(transfer)
  const pkg = await packageById(cx.db, transfer.team_id, transfer.package_id)
  if (transfer.direction === 'import') {
    if (pkg?.state !== 'new') throw packageNotNew(transfer.package_id, pkg?.state ?? 'expired')
  } else if (pkg?.state !== 'finalized') throw packageExpired(transfer.package_id)
  if (transfer.provider === 'storage_gateway' && transfer.connection_id !== null) {
    const connection = await connectionOfTeam(cx.db, transfer.team_id, transfer.connection_id)
    if (connection === undefined) throw notRetryable(transfer)
    await expectGateway(cx, transfer.connection_id)
  }
  const retried = await cx.db.transaction(async (tx) => {
    const row = await retryTransferRow(tx, transfer.team_id, id)
    if (row === undefined) throw notRetryable((await transferById(tx, transfer.team_id, id)) ?? transfer)
    wakeCarrier(tx, { connectionId: row.connection_id, provider: row.provider })
    return row
  })
  return presentTransfer(cx, retried)
}

async function heldTransfer(cx: Pick<Cx, 'db'>, caller: Caller, id: string): Promise<TransferRow> {
  if (caller.kind !== 'transfer-token') throw new Refusal('credential_missing')
  const transfer = caller.transferId === id ? await transferById(cx.db, caller.teamId, id) : undefined
  if (transfer === undefined) throw new Refusal('transfer_not_found', `There is no transfer '${id}' for this token.`)
  return transfer
}

const notRetryable = ({ id, state }: TransferRow): Refusal =>
  new Refusal(
    'transfer_not_retryable',
    state === 'error' || state === 'cancelled'
      ? `The connection of transfer '${id}' is gone, or its keys are. Start a new one.`
      : `Transfer '${id}' is ${state}. Only one that ended in error or was cancelled can be tried again.`,
  )
