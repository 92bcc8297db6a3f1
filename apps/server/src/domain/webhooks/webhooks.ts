import { newId } from '@longshore/kit/ids'
import { authorizeForThing, authorizeInTeam } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { createOnce, type Once } from '#domain/idempotency'
import { Refusal } from '#domain/refusal'
import { showTime } from '#domain/times'
import {
  deleteWebhookRow,
  insertWebhook,
  rotateSecretRow,
  updateWebhookRow,
  type WebhookRow,
  webhookById,
  webhooksOfTeam,
} from '#store/webhooks'
import { presentWebhook } from './present.ts'
import { checkWebhook, type WebhookFields } from './rules.ts'
import { newSigningSecret, sealHeaders, sealSecret } from './secrets.ts'

/** How long the secret before a new one still signs. */
const overlapHours = 24

type Needs = Pick<Cx, 'db' | 'box' | 'hooks'>

/** Creates a webhook. Its signing secret is in this answer and in no other. */
export async function createWebhook(cx: Needs, caller: Caller, teamId: string, given: WebhookFields, once?: Once) {
  await authorizeInTeam(cx, caller, 'webhook.manage', teamId)
  const url = await checkWebhook(cx, given)
  return createOnce(cx, once, async (tx) => {
    const id = newId()
    const secret = newSigningSecret()
    const hook = await insertWebhook(tx, {
      id,
      teamId,
      ...rowFields(cx, id, given, url),
      secretSealed: sealSecret(cx, id, secret),
    })
    if (hook === undefined) throw new Error('The webhook was made and is not there.')
    return { ...presentWebhook(cx, hook), secret }
  })
}

/** Replaces a webhook. What waits to be sent goes to the new address. */
export async function updateWebhook(cx: Needs, caller: Caller, id: string, given: WebhookFields) {
  const { team_id: teamId } = await managedWebhook(cx, caller, id)
  const url = await checkWebhook(cx, given)
  const updated = await cx.db.transaction((tx) => updateWebhookRow(tx, teamId, id, rowFields(cx, id, given, url)))
  if (updated === undefined) throw noSuchWebhook(id)
  return presentWebhook(cx, updated)
}

/** Deletes a webhook. What waits to be sent to it is dropped; a call under way ends as it may. */
export async function deleteWebhook(cx: Pick<Cx, 'db'>, caller: Caller, id: string): Promise<void> {
  const { team_id: teamId } = await managedWebhook(cx, caller, id)
  if (!(await cx.db.transaction((tx) => deleteWebhookRow(tx, teamId, id)))) throw noSuchWebhook(id)
}

export async function listWebhooks(cx: Pick<Cx, 'db' | 'box'>, caller: Caller, teamId: string) {
  await authorizeInTeam(cx, caller, 'webhook.manage', teamId)
  const hooks = await webhooksOfTeam(cx.db, teamId)
  return hooks.map((hook) => ({ ...presentWebhook(cx, hook), connections: hook.connections }))
}

/** Gives a webhook a new secret. The one before signs along for a day, so that the receiver can change in peace. */
export async function rotateSecret(cx: Pick<Cx, 'db' | 'box'>, caller: Caller, id: string) {
  const { team_id: teamId } = await managedWebhook(cx, caller, id)
  const secret = newSigningSecret()
  const until = await cx.db.transaction((tx) =>
    rotateSecretRow(tx, teamId, id, sealSecret(cx, id, secret), overlapHours),
  )
  if (until === undefined) throw noSuchWebhook(id)
  return { secret, previous_secret_expiry: showTime(until) }
}

export async function managedWebhook(cx: Pick<Cx, 'db'>, caller: Caller, id: string): Promise<WebhookRow> {
  const found = await webhookById(cx.db, id)
  return (await authorizeForThing(cx, caller, 'webhook.manage', found, noSuchWebhook(id))).thing
}

const noSuchWebhook = (id: string): Refusal =>
  new Refusal('webhook_not_found', `There is no webhook '${id}' for this credential.`)

const rowFields = (cx: Pick<Cx, 'box'>, id: string, given: WebhookFields, url: string) => ({
  name: given.name ?? '',
  active: given.active,
  events: given.events,
  method: given.method,
  url,
  headersSealed: sealHeaders(cx, id, given.headers ?? {}),
  bodyExtras: JSON.stringify(given.body_extras ?? {}),
})
