/** Lets so many through at once, in turn. */
export interface Gate {
  /** Rejects with the reason of the gate's signal. */
  readonly enter: () => Promise<void>
  readonly leave: () => void
}

/** `width` is asked each time, so that it may change. Nobody gets in any more once the signal is given. */
export function createGate(width: () => number, signal: AbortSignal): Gate {
  let inside = 0
  const waiting: { readonly resolve: () => void; readonly reject: (reason: unknown) => void }[] = []

  const admit = () => {
    while (inside < width()) {
      const next = waiting.shift()
      if (next === undefined) return
      inside++
      next.resolve()
    }
  }

  // One listener for all: a signal walks the list of its listeners for each that comes or goes, and a thousand may wait.
  const sendAway = () => {
    for (const { reject } of waiting.splice(0)) reject(signal.reason)
  }
  signal.addEventListener('abort', sendAway, { once: true })

  return {
    enter: () =>
      new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason as Error)
          return
        }
        waiting.push({ resolve, reject })
        admit()
      }),
    leave: () => {
      inside--
      admit()
    },
  }
}
