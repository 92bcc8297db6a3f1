import { cancelTransfer, retryTransfer } from '@longshore/contract/cloud/connections'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RotateCw, X } from 'lucide-react'
import { useFormat, useText } from '#text/use-text.tsx'
import { Notice } from '#ui/plain/notice.tsx'
import { ProgressBar } from '#ui/plain/progress-bar.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import type { Connection } from '../connections/queries.ts'
import { storeWords } from '../connections/store-words.ts'
import type { Package } from '../packages/queries.ts'
import { withTransferToken } from '../session/api.ts'
import { isUnderWay, type Transfer, transfersQuery } from './queries.ts'

const looks: Readonly<Record<Transfer['state'], string>> = {
  pending: 'badge badge-signal',
  started: 'badge badge-signal',
  complete: 'badge badge-good',
  cancelled: 'badge',
  error: 'badge badge-danger',
}

interface TransferCardProps {
  readonly pkg: Package
  readonly transfer: Transfer
  /** Undefined where it was deleted, is somebody else's, or may not be seen. */
  readonly connection: Connection | undefined
}

/** One transfer: where to, how far, what went wrong, and what can be done about it. */
export function TransferCard({ pkg, transfer, connection }: TransferCardProps) {
  const text = useText<'console'>()
  const format = useFormat()
  const client = useQueryClient()
  const { state, progress, size } = transfer
  const canRetry = state === 'error' || state === 'cancelled'
  const storage = connection?.name ?? text('transfers.elsewhere')
  const name = transfer.direction === 'import' ? text('transfers.from', { name: storage }) : storage
  const change = useMutation({
    mutationFn: () =>
      withTransferToken(transfer.access_token, canRetry ? retryTransfer : cancelTransfer, {
        params: { transfer_id: transfer.id },
      }),
    onSettled: () => client.invalidateQueries(transfersQuery(pkg)),
  })
  const told = text('transfers.told', { done: format.bytes(progress), size: format.bytes(size) })
  return (
    <article className="card flex flex-col gap-3 p-4 sm:p-5" aria-label={name}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h3 className="wrap-anywhere">{name}</h3>
        <span className={looks[state]}>{text(`transfers.state.${state}`)}</span>
        {(isUnderWay(transfer) || canRetry) && (
          <button
            type="button"
            className="button button-small ml-auto"
            disabled={change.isPending}
            onClick={() => change.mutate()}
          >
            {canRetry ? <RotateCw size={15} aria-hidden /> : <X size={15} aria-hidden />}
            {text(canRetry ? 'ui.retry' : 'ui.cancel')}
          </button>
        )}
      </div>
      {isUnderWay(transfer) && (
        <ProgressBar label={name} share={size === 0 ? undefined : progress / size} told={told} />
      )}
      <p className="numeric text-sm text-ink-soft">
        {/* Of what is still being listed nobody knows the size. */}
        {size > 0 && `${state === 'complete' ? format.bytes(size) : told} · `}
        {format.dateTime(transfer.created_at)}
      </p>
      {state === 'error' && <Notice kind="danger">{storeWords(text, transfer.error)}</Notice>}
      {transfer.left_out > 0 && (
        <Notice kind="warn">
          {text(transfer.direction === 'import' ? 'transfers.notTaken' : 'transfers.leftOut', {
            count: transfer.left_out,
            number: format.number(transfer.left_out),
          })}
        </Notice>
      )}
      <Refusal error={change.error} />
    </article>
  )
}
