import * as wire from '@longshore/contract/cloud/webhooks'
import { listDeliveries, replayDelivery, testWebhook } from '#domain/webhooks/deliveries'
import { createWebhook, deleteWebhook, listWebhooks, rotateSecret, updateWebhook } from '#domain/webhooks/webhooks'
import { route } from './route.ts'

export const webhookRoutes = [
  route(wire.createWebhook, (cx, { caller, params, body, once }) =>
    createWebhook(cx, caller, params.team_id, body, once),
  ),
  route(wire.updateWebhook, (cx, { caller, params, body }) =>
    updateWebhook(cx, caller, params.custom_webhook_id, body),
  ),
  route(wire.deleteWebhook, (cx, { caller, params }) => deleteWebhook(cx, caller, params.custom_webhook_id)),
  route(wire.listWebhooks, (cx, { caller, params }) => listWebhooks(cx, caller, params.team_id)),
  route(wire.rotateWebhookSecret, (cx, { caller, params }) => rotateSecret(cx, caller, params.custom_webhook_id)),
  route(wire.listDeliveries, (cx, { caller, params, query }) =>
    listDeliveries(cx, caller, params.custom_webhook_id, query),
  ),
  route(wire.replayDelivery, (cx, { caller, params }) =>
    replayDelivery(cx, caller, params.custom_webhook_id, params.delivery_id),
  ),
  route(wire.testWebhook, (cx, { caller, params }) => testWebhook(cx, caller, params.custom_webhook_id)),
]
