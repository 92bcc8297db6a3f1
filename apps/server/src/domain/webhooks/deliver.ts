import { crashPoint } from '@longshore/kit/crash-point'
import type { Cx } from '#domain/cx'
import type { HookAnswer } from '#outbound/hooks'
import { dropDelivery, noteDelivered, noteFailed, type TakenDelivery, takeDue } from '#store/deliveries'
import { deactivateWebhook } from '#store/webhooks'
import type { Ending, Lanes } from './lanes.ts'
import { judge, type Outcome } from './outcome.ts'
import { openHeaders, openSecret } from './secrets.ts'

/** The event of a test call: one attempt, whether the webhook is active or not. */
export const testEvent = 'webhook.test'

// An attempt takes 15 seconds at most. What its worker has not noted by then is tried again by another, within the
// minute that we promise.
const leaseSeconds = 40

/** Which days to look through: those that hold all but what waited for very long, or all of them. */
export type Days = 'recent' | 'all'

/** Takes what is due, as far as there is room for it. */
export const takeDeliveries = (cx: Pick<Cx, 'db'>, lanes: Lanes, days: Days): Promise<TakenDelivery[]> =>
  cx.db.transaction((tx) =>
    takeDue(tx, {
      ...(days === 'all' ? { from: '-infinity', to: 'infinity' } : { from: dayFromNow(-2), to: dayFromNow(2) }),
      limit: lanes.free,
      each: lanes.limits.each,
      free: lanes.shares(),
      leaseSeconds,
    }),
  )

// Two days are wide enough for every zone that the database may count its days in.
const dayFromNow = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/**
 * Makes one attempt and notes how it went. Ours to repeat until noted: a process that dies in between leaves the
 * delivery to be made again, with the same event id, rather than lost.
 */
export async function attemptDelivery(
  cx: Pick<Cx, 'db' | 'box' | 'hooks' | 'log' | 'settings'>,
  delivery: TakenDelivery,
): Promise<Ending> {
  const isTest = delivery.event_type === testEvent
  if (delivery.active === null || (!delivery.active && !isTest)) {
    const why = delivery.active === null ? 'The webhook was deleted.' : 'The webhook is not active.'
    await cx.db.transaction((tx) => dropDelivery(tx, delivery, why))
    return 'failed'
  }
  const startedAt = performance.now()
  const answer = await cx.hooks.send({
    method: delivery.method,
    url: delivery.url,
    headers: openHeaders(cx, { id: delivery.webhook_id, headers_sealed: delivery.headers_sealed }),
    eventId: delivery.event_id,
    body: delivery.body,
    secrets: [delivery.secret_sealed, delivery.previous_secret_sealed]
      .filter((sealed) => sealed !== null)
      .map((sealed) => openSecret(cx, delivery.webhook_id, sealed)),
  })
  crashPoint('deliver-webhook.answered')
  const pauses = isTest ? [] : cx.settings.webhookPauses
  const outcome = judge(answer, delivery.attempts, { pauses, chance: Math.random(), now: new Date() })
  await noteOutcome(cx, delivery, outcome)
  cx.log.info(
    {
      team_id: delivery.team_id,
      webhook_id: delivery.webhook_id,
      delivery_id: delivery.id,
      event_id: delivery.event_id,
      attempt: delivery.attempts + 1,
      ms: Math.round(performance.now() - startedAt),
      ...outcome,
    },
    'delivery attempted',
  )
  return endingOf(answer, outcome)
}

const noteOutcome = (cx: Pick<Cx, 'db'>, delivery: TakenDelivery, outcome: Outcome): Promise<void> =>
  cx.db.transaction(async (tx) => {
    if (outcome.kind === 'delivered') await noteDelivered(tx, delivery, outcome.status)
    else {
      await noteFailed(tx, delivery, outcome)
      if (outcome.deactivates) await deactivateWebhook(tx, delivery.team_id, delivery.webhook_id)
    }
  })

function endingOf(answer: HookAnswer, outcome: Outcome): Ending {
  if (answer.kind === 'unanswered' && answer.hung) return 'hung'
  return outcome.kind === 'delivered' ? 'answered' : 'failed'
}
