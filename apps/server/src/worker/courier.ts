import type { Cx } from '#domain/cx'
import { deliveriesTopic } from '#domain/events/record-event'
import { attemptDelivery, type Days, takeDeliveries } from '#domain/webhooks/deliver'
import { type Ending, Lanes } from '#domain/webhooks/lanes'
import { startLookout } from './lookout.ts'

export interface Courier {
  /** Takes nothing more and waits for what is under way. */
  stop(): Promise<void>
}

const lookEveryMs = 1_000
// Every so many looks it looks through all days: something may have waited until every worker was back.
const thoroughlyEvery = 60

/** Delivers to webhooks until it is stopped, many at once. */
export function startCourier(
  cx: Pick<Cx, 'db' | 'box' | 'hooks' | 'log' | 'settings' | 'wake'>,
  lanes: Lanes = new Lanes(),
): Courier {
  const underWay = new Set<Promise<void>>()
  const ended = new AbortController()
  let rounds = 0

  const carry = async (delivery: Parameters<typeof attemptDelivery>[1]): Promise<void> => {
    let ending: Ending = 'failed'
    try {
      ending = await attemptDelivery(cx, delivery)
    } catch (err) {
      // Not noted, so it falls due again.
      cx.log.error({ err, delivery_id: delivery.id }, 'delivery not noted')
    }
    if (lanes.end(delivery.webhook_id, ending, Date.now())) lookout.look()
  }

  const takeAll = async (days: Days): Promise<void> => {
    while (!ended.signal.aborted && lanes.free > 0) {
      const taken = await takeDeliveries(cx, lanes, days)
      if (taken.length === 0) return
      for (const delivery of taken) {
        lanes.begin(delivery.webhook_id)
        const carried = carry(delivery).finally(() => underWay.delete(carried))
        underWay.add(carried)
      }
    }
  }

  const lookout = startLookout(cx, {
    topic: deliveriesTopic,
    everyMs: lookEveryMs,
    find(woken) {
      const thorough = !woken && rounds++ % thoroughlyEvery === 0
      if (thorough) lanes.forget(Date.now())
      return takeAll(thorough ? 'all' : 'recent')
    },
  })

  return {
    async stop() {
      ended.abort()
      await lookout.stop()
      await Promise.all(underWay)
    },
  }
}
