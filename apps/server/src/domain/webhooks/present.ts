import type { Cx } from '#domain/cx'
import { showTime } from '#domain/times'
import type { DeliveryRow } from '#store/deliveries'
import type { WebhookRow } from '#store/webhooks'
import type { EventType } from '#domain/events/record-event'
import { openHeaders } from './secrets.ts'

export const presentWebhook = (cx: Pick<Cx, 'box'>, hook: WebhookRow) => ({
  id: hook.id,
  team_id: hook.team_id,
  active: hook.active,
  events: [...hook.events] as EventType[],
  method: hook.method,
  url: hook.url,
  name: hook.name,
  headers: openHeaders(cx, hook),
  body_extras: JSON.parse(hook.body_extras) as Record<string, string>,
  created_at: showTime(hook.created_at),
  updated_at: showTime(hook.updated_at),
})

export const presentDelivery = (delivery: DeliveryRow) => ({
  id: delivery.id,
  custom_webhook_id: delivery.webhook_id,
  event_id: delivery.event_id,
  event_type: delivery.event_type,
  package_id: delivery.package_id ?? '',
  state: delivery.state,
  attempts: delivery.attempts,
  response_status: delivery.response_status,
  error: delivery.error,
  created_at: showTime(delivery.created_at),
  last_attempt_at: showTime(delivery.last_attempt_at),
  next_attempt_at: showTime(delivery.state === 'pending' ? delivery.next_attempt_at : null),
})
