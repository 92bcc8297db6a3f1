import type { Cx } from '#domain/cx'
import { showTime } from '#domain/times'
import type { TransferRow } from '#store/transfers'

/** A transfer with a token for it. */
export const presentTransfer = async (cx: Pick<Cx, 'tokens'>, transfer: TransferRow) => ({
  id: transfer.id,
  package_id: transfer.package_id,
  cloud_connection_id: transfer.connection_id ?? '',
  direction: transfer.direction,
  state: transfer.state,
  progress: transfer.progress,
  size: transfer.size,
  left_out: transfer.left_out,
  error: transfer.error,
  access_token: await cx.tokens.issueTransfer({ teamId: transfer.team_id, transferId: transfer.id }),
  created_at: showTime(transfer.created_at),
  updated_at: showTime(transfer.updated_at),
})
