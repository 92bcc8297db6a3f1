import { listDeliveries, listWebhooks } from '@longshore/contract/cloud/webhooks'
import type { ReplyOf } from '@longshore/contract/endpoint'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { asUser } from '../session/api.ts'
import { withoutUndefined } from '../session/without-undefined.ts'

export type Webhook = ReplyOf<typeof listWebhooks>[number]
export type Delivery = ReplyOf<typeof listDeliveries>['records'][number]
export type DeliveryState = Delivery['state']

export const webhooksQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['webhooks', teamId],
    queryFn: ({ signal }) => asUser(listWebhooks, { params: { team_id: teamId } }, signal),
  })

export const deliveriesQuery = (webhookId: string, state: DeliveryState | undefined) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', webhookId, state],
    queryFn: ({ pageParam, signal }) =>
      asUser(
        listDeliveries,
        { params: { custom_webhook_id: webhookId }, query: withoutUndefined({ after: pageParam, state, limit: 25 }) },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => (next === '' ? undefined : next),
    // What was just sent is answered within a second or two; afterwards nothing changes by itself.
    refetchInterval: ({ state: { data } }) =>
      data?.pages[0]?.records.some((delivery) => delivery.state === 'pending') === true ? 1_500 : false,
  })
