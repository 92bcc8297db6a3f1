import type { UserCaller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { attemptDelivery, takeDeliveries } from '#domain/webhooks/deliver'
import { Lanes } from '#domain/webhooks/lanes'
import type { WebhookFields } from '#domain/webhooks/rules'
import { createWebhook } from '#domain/webhooks/webhooks'
import { sql } from '#platform/db'

export const webhookFields = (given: Partial<WebhookFields> = {}): WebhookFields => ({
  active: true,
  events: ['package.created', 'package.finalized'],
  method: 'POST',
  url: 'http://127.0.0.1:9000/hook',
  ...given,
})

export const makeWebhook = (
  cx: Cx,
  team: { readonly id: string; readonly owner: { readonly caller: UserCaller } },
  given: Partial<WebhookFields> = {},
) => createWebhook(cx, team.owner.caller, team.id, webhookFields(given))

export interface SeenDelivery {
  readonly id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly event_type: string
  readonly package_id: string | null
  readonly body: string
  readonly state: string
  readonly attempts: number
  readonly response_status: number
  readonly error: string
  /** Until the next attempt; null when there is none. */
  readonly in_seconds: number | null
}

/** Every delivery, the oldest first. */
export const deliveries = (cx: Pick<Cx, 'db'>): Promise<SeenDelivery[]> =>
  cx.db.rows<SeenDelivery>(sql`
    select id, webhook_id, event_id, event_type, package_id, body, state, attempts, response_status, error,
           extract(epoch from next_attempt_at - now())::float8 as in_seconds
      from deliveries order by id
  `)

/** Lets the time of every delivery come. */
export const letFallDue = (cx: Pick<Cx, 'db'>): Promise<number> =>
  cx.db.transaction((tx) => tx.run(sql`update deliveries set next_attempt_at = now() where state = 'pending'`))

/** Makes one attempt of everything that is due, as a worker would. Answers how many. */
export async function deliverDue(cx: Cx): Promise<number> {
  const taken = await takeDeliveries(cx, new Lanes(), 'recent')
  await Promise.all(taken.map((delivery) => attemptDelivery(cx, delivery)))
  return taken.length
}
