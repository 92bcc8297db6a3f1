import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { MiB } from '#limits'
import { Bytes, Count, Id, Line, Text, Time, Word } from '#shapes'
import { PackageState, TeamParams } from './packages.ts'

export const webhookEvents = [
  'package.created',
  'package.finalized',
  'package.expired',
  'package.deleted',
  'package.downloaded',
  'link.created',
  'file.infected',
  'file.damaged',
] as const

/** What a webhook is sent. */
export const WebhookEvent = Type.Object({
  event_id: Type.String({ description: 'The same on every attempt and replay.' }),
  event_time: Time,
  event_type: Type.String(),
  body_extras: Type.Record(Type.String(), Type.String()),
  object: Type.Object({
    type: Type.Literal('package'),
    id: Id,
    name: Type.String(),
    portal_id: Type.Optional(Id),
    sender: Type.String(),
    size: Bytes,
    state: PackageState,
    total_files: Count,
    created_at: Time,
    updated_at: Time,
  }),
  custom_webhook_id: Id,
})

const TargetUrl = Type.String({
  pattern: '^[hH][tT][tT][pP][sS]?://[^\\s\\u0000-\\u001f\\u007f]+$',
  maxLength: 2_048,
  description: 'HTTP or HTTPS, at a public address.',
})

// A header name as HTTP spells it, a value without anything that could end the line.
const HeaderName = Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$" })
const HeaderValue = Type.String({ maxLength: 4_096, pattern: '^[\\t\\x20-\\x7e\\xa0-\\xff]*$' })
const ExtraName = Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]{1,100}$' })

// `propertyNames` refuses a bad name where a validator would otherwise drop it in silence.
const StaticHeaders = Type.Record(HeaderName, HeaderValue, {
  propertyNames: HeaderName,
  additionalProperties: false,
  maxProperties: 50,
  description: 'Sent with every event. Not Host, Content-*, webhook-* or those of the connection itself.',
})

const BodyExtras = Type.Record(ExtraName, Text(4_096), {
  propertyNames: ExtraName,
  additionalProperties: false,
  maxProperties: 50,
  description: 'Sent in every event.',
})

const HookMethod = Word(['POST', 'PUT'])
const Events = Type.Array(Word(webhookEvents), { minItems: 1, maxItems: webhookEvents.length, uniqueItems: true })

const writable = {
  active: Type.Boolean(),
  events: Events,
  method: HookMethod,
  url: TargetUrl,
  name: Type.Optional(Line(200)),
  headers: Type.Optional(StaticHeaders),
  body_extras: Type.Optional(BodyExtras),
}

const fields = {
  id: Id,
  team_id: Id,
  active: Type.Boolean(),
  events: Events,
  method: HookMethod,
  url: Type.String(),
  name: Type.String(),
  headers: Type.Record(Type.String(), Type.String()),
  body_extras: Type.Record(Type.String(), Type.String()),
  created_at: Time,
  updated_at: Time,
}

export const Webhook = Type.Object(fields)

export const CreatedWebhook = Type.Object({
  ...fields,
  secret: Type.String({ description: '`whsec_…`, signs what is sent. Shown here and nowhere else.' }),
})

export const ListedWebhook = Type.Object({
  ...fields,
  connections: Type.Integer({ minimum: 0, description: 'Portals it is attached to.' }),
})

const hooks = {
  chapter: 'Webhooks',
  credential: 'user',
  roles: ['owner', 'admin', 'integration_manager'],
} as const

const HookParams = Type.Object({ custom_webhook_id: Id })

export const createWebhook = endpoint({
  ...hooks,
  summary: 'Create a webhook',
  description: 'Addresses inside private networks are refused, unless the operator allows them.',
  method: 'POST',
  path: '/v1/teams/:team_id/custom_webhooks',
  params: TeamParams,
  body: Type.Object(writable),
  bodyLimit: 1 * MiB,
  status: 201,
  reply: CreatedWebhook,
  idempotent: true,
  refusals: ['team_not_found'],
})

export const updateWebhook = endpoint({
  ...hooks,
  summary: 'Replace a webhook',
  description: 'Name, headers or extras left out become empty. The secret stays.',
  method: 'PUT',
  path: '/v1/custom_webhooks/:custom_webhook_id',
  params: HookParams,
  body: Type.Object(writable),
  bodyLimit: 1 * MiB,
  status: 200,
  reply: Webhook,
  refusals: ['webhook_not_found'],
})

export const deleteWebhook = endpoint({
  ...hooks,
  summary: 'Delete a webhook',
  description: 'Events not yet delivered to it are dropped. Transfers go on.',
  method: 'DELETE',
  path: '/v1/custom_webhooks/:custom_webhook_id',
  params: HookParams,
  status: 204,
  refusals: ['webhook_not_found'],
})

export const listWebhooks = endpoint({
  ...hooks,
  summary: 'List the webhooks of a Team',
  method: 'GET',
  path: '/v1/teams/:team_id/custom_webhooks',
  params: TeamParams,
  status: 200,
  reply: Type.Array(ListedWebhook),
  refusals: ['team_not_found'],
})

export const rotateWebhookSecret = endpoint({
  ...hooks,
  summary: 'Give a webhook a new secret',
  description: 'Events are signed with both secrets until the old one ends, so that the receiver can change in peace.',
  method: 'POST',
  path: '/v1/custom_webhooks/:custom_webhook_id/rotate_secret',
  params: HookParams,
  status: 200,
  reply: Type.Object({
    secret: Type.String({ description: 'Shown here and nowhere else.' }),
    previous_secret_expiry: Time,
  }),
  refusals: ['webhook_not_found'],
})

export const Delivery = Type.Object({
  id: Id,
  custom_webhook_id: Id,
  event_id: Type.String(),
  event_type: Type.String({ description: 'Also `webhook.test`.' }),
  package_id: Type.String({ description: 'Empty for a test.' }),
  state: Word(['pending', 'delivered', 'failed']),
  attempts: Count,
  response_status: Type.Integer({ description: 'Of the last attempt; 0 when there was no answer.' }),
  error: Type.String({ description: 'Why the last attempt failed; empty when it did not.' }),
  created_at: Time,
  last_attempt_at: Time,
  next_attempt_at: Time,
})

export const listDeliveries = endpoint({
  ...hooks,
  summary: 'List what was sent to a webhook',
  description: 'Newest first.',
  method: 'GET',
  path: '/v1/custom_webhooks/:custom_webhook_id/deliveries',
  params: HookParams,
  query: Type.Object({
    after: Type.Optional(Type.String({ maxLength: 128, description: '`next` of the page before.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Records on a page; 50 if left out.' })),
    state: Type.Optional(Word(['pending', 'delivered', 'failed'])),
  }),
  status: 200,
  reply: Type.Object({ records: Type.Array(Delivery), next: Type.String({ description: 'Empty on the last page.' }) }),
  refusals: ['webhook_not_found'],
})

export const replayDelivery = endpoint({
  ...hooks,
  summary: 'Send an event to a webhook again',
  description: 'The same event with the same `event_id`, as a new delivery.',
  method: 'POST',
  path: '/v1/custom_webhooks/:custom_webhook_id/deliveries/:delivery_id/replay',
  params: Type.Object({ custom_webhook_id: Id, delivery_id: Id }),
  status: 202,
  reply: Delivery,
  refusals: ['webhook_not_found', 'delivery_not_found'],
})

export const testWebhook = endpoint({
  ...hooks,
  summary: 'Send a test event to a webhook',
  description: 'One attempt, also where the webhook is not active. The list of deliveries shows how it went.',
  method: 'POST',
  path: '/v1/custom_webhooks/:custom_webhook_id/test',
  params: HookParams,
  status: 202,
  reply: Delivery,
  refusals: ['webhook_not_found'],
})
