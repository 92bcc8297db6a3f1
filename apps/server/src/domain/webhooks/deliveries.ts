import { isId, newId } from '@longshore/kit/ids'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { deliveriesTopic } from '#domain/events/record-event'
import { invalid, Refusal } from '#domain/refusal'
import { copyDelivery, type DeliveryState, deliveriesOfWebhook, insertDelivery } from '#store/deliveries'
import { testEvent } from './deliver.ts'
import { presentDelivery } from './present.ts'
import { managedWebhook } from './webhooks.ts'

const pageSize = 50
const noPackage = '00000000-0000-0000-0000-000000000000'

/** What was sent to a webhook, newest first. */
export async function listDeliveries(
  cx: Pick<Cx, 'db'>,
  caller: Caller,
  id: string,
  { after, limit = pageSize, state }: { after?: string; limit?: number; state?: DeliveryState },
) {
  const hook = await managedWebhook(cx, caller, id)
  if (after !== undefined && !isId(after)) throw invalid('after', 'must be `next` of the page before')
  const found = await deliveriesOfWebhook(cx.db, hook, { after, limit: limit + 1, state })
  const records = found.slice(0, limit)
  return { records: records.map(presentDelivery), next: found.length > limit ? (records.at(-1)?.id ?? '') : '' }
}

/** Sends an event again, as a delivery of its own with the same event and bytes. */
export async function replayDelivery(cx: Pick<Cx, 'db'>, caller: Caller, id: string, deliveryId: string) {
  const hook = await managedWebhook(cx, caller, id)
  return cx.db.transaction(async (tx) => {
    const copy = await copyDelivery(tx, hook, deliveryId)
    if (copy === undefined) {
      throw new Refusal('delivery_not_found', `Nothing with the id '${deliveryId}' was sent to this webhook.`)
    }
    tx.announce(deliveriesTopic)
    return presentDelivery(copy)
  })
}

/** Sends an event that tells of nothing, once, so that the receiver's side can be tried out. */
export async function testWebhook(cx: Pick<Cx, 'db'>, caller: Caller, id: string) {
  const hook = await managedWebhook(cx, caller, id)
  const eventId = newId()
  const now = new Date().toISOString()
  const body = JSON.stringify({
    event_id: eventId,
    event_time: now,
    event_type: testEvent,
    body_extras: JSON.parse(hook.body_extras) as unknown,
    object: {
      type: 'package',
      id: noPackage,
      name: 'Test',
      sender: '',
      size: 0,
      state: 'finalized',
      total_files: 0,
      created_at: now,
      updated_at: now,
    },
    custom_webhook_id: hook.id,
  })
  return cx.db.transaction(async (tx) => {
    const made = await insertDelivery(tx, {
      teamId: hook.team_id,
      webhookId: hook.id,
      eventId,
      eventType: testEvent,
      body,
    })
    if (made === undefined) throw new Error('The delivery was made and is not there.')
    tx.announce(deliveriesTopic)
    return presentDelivery(made)
  })
}
