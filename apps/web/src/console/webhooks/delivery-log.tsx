import { replayDelivery } from '@longshore/contract/cloud/webhooks'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { History, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { useFormat, useText } from '#text/use-text.tsx'
import { EmptyState } from '#ui/plain/empty-state.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { MoreButton } from '../frame/more-button.tsx'
import { asUser } from '../session/api.ts'
import { deliveriesQuery, type Delivery, type DeliveryState } from './queries.ts'

const states: readonly DeliveryState[] = ['pending', 'delivered', 'failed']
const looks: Readonly<Record<DeliveryState, string>> = {
  pending: 'badge badge-signal',
  delivered: 'badge badge-good',
  failed: 'badge badge-danger',
}

/** What was sent to a webhook and how it was answered; each can be sent again. */
export function DeliveryLog({ webhookId }: { readonly webhookId: string }) {
  const text = useText<'console'>()
  const [state, setState] = useState<DeliveryState>()
  const deliveries = useInfiniteQuery(deliveriesQuery(webhookId, state))
  const records = deliveries.data?.pages.flatMap((page) => page.records) ?? []
  return (
    <section className="card">
      <div className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-5 py-3.5">
        <h2>{text('deliveries.title')}</h2>
        <select
          className="input w-auto"
          aria-label={text('package.status')}
          value={state ?? ''}
          onChange={(event) => setState(states.find((one) => one === event.target.value))}
        >
          <option value="">{text('deliveries.any')}</option>
          {states.map((one) => (
            <option key={one} value={one}>
              {text(`deliveries.${one}`)}
            </option>
          ))}
        </select>
      </div>
      <Refusal error={deliveries.error} />
      {deliveries.isSuccess && records.length === 0 && (
        <EmptyState icon={History} title={text('deliveries.none')}>
          <p>{text('deliveries.noneHint')}</p>
        </EmptyState>
      )}
      {records.length > 0 && <DeliveryTable webhookId={webhookId} records={records} />}
      <MoreButton query={deliveries}>{text('deliveries.more')}</MoreButton>
    </section>
  )
}

function DeliveryTable({ webhookId, records }: { readonly webhookId: string; readonly records: readonly Delivery[] }) {
  const text = useText<'console'>()
  const format = useFormat()
  const client = useQueryClient()
  const replay = useMutation({
    mutationFn: (id: string) => asUser(replayDelivery, { params: { custom_webhook_id: webhookId, delivery_id: id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['deliveries', webhookId] }),
  })
  return (
    <>
      <Refusal error={replay.error} />
      <div className="table-frame">
        <table className="table" aria-label={text('deliveries.title')}>
          <thead>
            <tr>
              <th scope="col">{text('deliveries.event')}</th>
              <th scope="col">{text('package.status')}</th>
              <th scope="col">{text('deliveries.answer')}</th>
              <th scope="col" className="end max-md:hidden">
                {text('deliveries.attempts')}
              </th>
              <th scope="col" className="max-sm:hidden">
                {text('deliveries.time')}
              </th>
              <th scope="col">
                <span className="sr-only">{text('list.actions')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {records.map((delivery) => (
              <tr key={delivery.id}>
                <td className="font-mono text-sm">{delivery.event_type}</td>
                <td>
                  <span className={looks[delivery.state]}>{text(`deliveries.${delivery.state}`)}</span>
                </td>
                <td className="text-sm">
                  {delivery.response_status > 0 && (
                    <span className="numeric font-semibold">{delivery.response_status} </span>
                  )}
                  <span className="text-ink-soft max-sm:hidden">{delivery.error}</span>
                </td>
                <td className="numeric end max-md:hidden">{delivery.attempts}</td>
                <td className="text-sm whitespace-nowrap text-ink-soft max-sm:hidden">
                  {format.dateTime(delivery.created_at)}
                </td>
                <td className="end">
                  {delivery.state !== 'pending' && (
                    <button
                      type="button"
                      className="button button-small"
                      disabled={replay.isPending}
                      onClick={() => replay.mutate(delivery.id)}
                    >
                      <RotateCw size={15} aria-hidden />
                      <span className="max-sm:sr-only">{text('deliveries.replay')}</span>
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
