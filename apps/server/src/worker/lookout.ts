import type { Cx } from '#domain/cx'

export interface Lookout {
  /** Looks once now, or once more if it is looking already. */
  look(): void
  /** Looks no more, and waits for the look that is under way. */
  stop(): Promise<void>
}

/**
 * Looks for work: whenever it is woken, and by itself from time to time. Looking all the same finds what has fallen due,
 * what a dead worker left, and what nobody woke us for.
 */
export function startLookout(
  cx: Pick<Cx, 'log' | 'wake'>,
  { topic, everyMs, find }: { topic: string; everyMs: number; find(woken: boolean): Promise<void> },
): Lookout {
  let looking: Promise<void> | undefined
  let again = false
  let ended = false

  const look = (woken: boolean): void => {
    if (ended) return
    if (looking !== undefined) {
      again = true
      return
    }
    looking = find(woken)
      .catch((err: unknown) => cx.log.error({ err, topic }, 'looking for work failed'))
      .finally(() => {
        looking = undefined
        if (!again) return
        again = false
        look(true)
      })
  }

  const unsubscribe = cx.wake.subscribe(topic, () => look(true))
  const clock = setInterval(() => look(false), everyMs)
  return {
    look: () => look(true),
    async stop() {
      ended = true
      clearInterval(clock)
      unsubscribe()
      await looking
    },
  }
}
