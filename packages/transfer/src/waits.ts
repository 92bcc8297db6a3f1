import { Fault } from './faults.ts'
import type { Clock } from './ports.ts'

/** Resolves after so long, or rejects with the reason of the signal. Leaves no timer and no listener behind. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error)
      return
    }
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', stop)
      resolve()
    })
    const stop = () => {
      cancel()
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', stop, { once: true })
  })
}

/** Work under a signal of its own, which also ends with the given one. */
export async function inScope<Result>(
  signal: AbortSignal,
  work: (scope: AbortController) => Promise<Result>,
): Promise<Result> {
  const scope = new AbortController()
  const follow = () => scope.abort(signal.reason)
  if (signal.aborted) follow()
  signal.addEventListener('abort', follow, { once: true })
  try {
    return await work(scope)
  } finally {
    signal.removeEventListener('abort', follow)
  }
}

/** Work that may take so long and no longer. */
export function limited<Result>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return inScope(signal, async (scope) => {
    const cancel = clock.after(ms, () => scope.abort(new Fault('transient', 'stalled', `No answer in ${ms} ms.`)))
    try {
      return await work(scope.signal)
    } catch (error) {
      // A host may wrap the reason in an error of its own.
      scope.signal.throwIfAborted()
      throw error
    } finally {
      cancel()
    }
  })
}

/** Waits for something that knows no signal, but no longer than the signal allows. */
export function orAborted<Result>(pending: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    pending.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
