import { Refusal } from '#domain/refusal'

/** So many at once. Whoever comes later waits a while for somebody to leave, and is then asked to come again. */
export interface Slots {
  /** Answers how to give the slot back; safe to call twice. */
  take(signal: AbortSignal): Promise<() => void>
}

const patienceMs = 5_000

export function slots(count: number): Slots {
  let free = count
  /** In the order of coming. Whoever is taken out of it gets the slot, or has given up: never both. */
  const waiting = new Set<() => void>()

  function giveBack(): void {
    const [next] = waiting
    if (next === undefined) free += 1
    else {
      waiting.delete(next)
      next()
    }
  }

  function slot(): () => void {
    let held = true
    return () => {
      if (held) giveBack()
      held = false
    }
  }

  async function queue(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = (reason: unknown) => waiting.delete(resolve) && reject(reason)
    const leave = () => giveUp(signal.reason)
    const timer = setTimeout(() => giveUp(tooMany()), patienceMs)
    signal.addEventListener('abort', leave)
    waiting.add(resolve)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
    }
  }

  return {
    async take(signal) {
      signal.throwIfAborted()
      if (free > 0) free -= 1
      else await queue(signal)
      return slot()
    },
  }
}

const tooMany = () =>
  new Refusal('overloaded', 'Many archives are being downloaded just now. Try again in a moment.', {
    retryAfterSeconds: 10,
  })
