/** Lets so many through at once, in turn. */
export interface Gate {
  readonly enter: (signal: AbortSignal) => Promise<void>
  readonly leave: () => void
}

/** `width` is asked each time, so that it may change. */
export function createGate(width: () => number): Gate {
  let inside = 0
  const waiting: (() => void)[] = []

  const admit = () => {
    while (inside < width()) {
      const next = waiting.shift()
      if (next === undefined) return
      inside++
      next()
    }
  }

  return {
    enter: (signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason as Error)
          return
        }
        const go = () => {
          signal.removeEventListener('abort', stop)
          resolve()
        }
        const stop = () => {
          waiting.splice(waiting.indexOf(go), 1)
          reject(signal.reason as Error)
        }
        signal.addEventListener('abort', stop, { once: true })
        waiting.push(go)
        admit()
      }),
    leave: () => {
      inside--
      admit()
    },
  }
}
