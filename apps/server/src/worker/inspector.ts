import { setTimeout as sleep } from 'node:timers/promises'
import type { Cx } from '#domain/cx'
import { inspectBatch, type Share, takeBatch } from '#domain/inspection/inspect-batch'
import { inspectionTopic } from '#domain/inspection/topic'
import { freezeFiles, takeFreezable } from '#domain/packages/freeze-files'
import { startLookout } from './lookout.ts'

export interface Inspector {
  /** Takes nothing more, and gives back what it was reading. */
  stop(): Promise<void>
}

const lookEveryMs = 2_000
const freezesAtOnce = 50

/** Reads what was stored, and freezes lists that are complete, until it is stopped. */
export function startInspector(
  cx: Pick<Cx, 'db' | 'blob' | 'scanner' | 'queue' | 'settings' | 'log' | 'wake'>,
): Inspector {
  const ended = new AbortController()
  const { signal } = ended
  const underWay = new Set<Promise<void>>()
  const running: Record<Share, number> = { small: 0, large: 0 }
  // Large files keep a slot for hours; one is always left for the small ones.
  const slots: Readonly<Record<Share, number>> = {
    small: cx.settings.inspectionsAtOnce,
    large: Math.max(1, cx.settings.inspectionsAtOnce - 1),
  }

  const inspect = async (share: Share, taken: Parameters<typeof inspectBatch>[1]): Promise<void> => {
    try {
      await inspectBatch(cx, taken, signal)
    } catch (err) {
      // Not noted, so it falls due again; what keeps failing must not keep us busy.
      cx.log.error({ err }, 'inspection not noted')
      await sleep(lookEveryMs, undefined, { signal }).catch(() => {})
    }
    running[share]--
    lookout.look()
  }

  const takeAll = async (share: Share): Promise<void> => {
    while (!signal.aborted && running.small + running.large < slots.small && running[share] < slots[share]) {
      const taken = await takeBatch(cx, share)
      if (taken.length === 0) return
      running[share]++
      const done = inspect(share, taken).finally(() => underWay.delete(done))
      underWay.add(done)
    }
  }

  const freezeAll = async (): Promise<void> => {
    while (!signal.aborted) {
      const waiting = await takeFreezable(cx, freezesAtOnce)
      for (const pkg of waiting) await freezeFiles(cx, pkg, signal)
      if (waiting.length < freezesAtOnce) return
    }
  }

  const lookout = startLookout(cx, {
    topic: inspectionTopic,
    everyMs: lookEveryMs,
    async find() {
      await takeAll('large')
      await takeAll('small')
    },
  })
  // By itself: a list of a million files takes a while, and nobody who waits for an inspection need wait for that.
  const freezing = startLookout(cx, { topic: inspectionTopic, everyMs: lookEveryMs, find: freezeAll })

  return {
    async stop() {
      ended.abort()
      await Promise.all([lookout.stop(), freezing.stop()])
      await Promise.all(underWay)
    },
  }
}
