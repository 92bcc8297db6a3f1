import { setTimeout as sleep } from 'node:timers/promises'
import type { Cx } from '#domain/cx'
import { carryTransfer, takeTransfer } from '#domain/transfers/carry-transfer'
import { transfersTopic } from '#domain/transfers/topic'
import { startLookout } from './lookout.ts'

export interface Carrier {
  /** Takes nothing more, and gives back what it was carrying. */
  stop(): Promise<void>
}

const lookEveryMs = 1_000

/** Carries packages to other stores, and files from there, until it is stopped, so many at once. */
export function startCarrier(
  cx: Pick<Cx, 'db' | 'box' | 'blob' | 'copier' | 'ownStore' | 'foreignStore' | 'queue' | 'settings' | 'log' | 'wake'>,
): Carrier {
  const ended = new AbortController()
  const { signal } = ended
  const underWay = new Set<Promise<void>>()

  const carry = async (transfer: Parameters<typeof carryTransfer>[1]): Promise<void> => {
    try {
      await carryTransfer(cx, transfer, signal)
    } catch (err) {
      // Not noted, so it falls due again; what keeps failing must not keep us busy.
      cx.log.error({ err, transfer_id: transfer.id }, 'transfer failed')
      await sleep(lookEveryMs, undefined, { signal }).catch(() => {})
    }
  }

  const lookout = startLookout(cx, {
    topic: transfersTopic,
    everyMs: lookEveryMs,
    async find() {
      while (!signal.aborted && underWay.size < cx.settings.transfersAtOnce) {
        const transfer = await takeTransfer(cx)
        if (transfer === undefined) return
        const done = carry(transfer).finally(() => {
          underWay.delete(done)
          lookout.look()
        })
        underWay.add(done)
      }
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
