import { Fault, judge } from './faults.ts'
import type { Lane } from './lane-pool.ts'
import type { Motion, StorageReply } from './ports.ts'
import type { StoreReach } from './store-reach.ts'
import type { TransferHost } from './transfer-host.ts'
import { inScope } from './waits.ts'

// Longer than a store needs to join or to think, shorter than the patience of whoever watches.
const stallMs = 60_000

/**
 * Moves bytes in a lane. Nothing heard or moved for a minute ends the attempt, unless it is a limit of our own that holds
 * it back.
 */
export function inLane(
  { host, reach }: { readonly host: TransferHost; readonly reach: StoreReach },
  signal: AbortSignal,
  lane: Lane,
  moved: (bytes: number) => void,
  work: (motion: Motion) => Promise<StorageReply>,
): Promise<StorageReply> {
  return inScope(signal, async (scope) => {
    let quiet = true
    let held = 0
    let callOff: () => void
    const look = () => {
      if (quiet && held === 0) scope.abort(new Fault('transient', 'stalled', `Nothing moved for ${stallMs} ms.`))
      quiet = true
      callOff = host.clock.after(stallMs, look)
    }
    callOff = host.clock.after(stallMs, look)
    const waiting = <Result>(wait: Promise<Result>) => {
      held++
      quiet = false
      return wait.finally(() => {
        held--
        quiet = false
      })
    }
    try {
      const reply = await work({
        signal: scope.signal,
        pace: pacer(host, scope.signal, waiting),
        waiting,
        moved: (bytes) => {
          quiet = false
          reach.heard()
          lane.moved(bytes)
          moved(bytes)
        },
      })
      reach.heard()
      return reply
    } catch (error) {
      const reason: unknown = scope.signal.aborted ? scope.signal.reason : error
      if (!signal.aborted && judge(reason).verdict === 'transient') reach.silent()
      throw reason
    } finally {
      callOff()
    }
  })
}

/** Asks every limiter, one after the other. */
function pacer({ limiters = [] }: TransferHost, signal: AbortSignal, waiting: Motion['waiting']): Motion['pace'] {
  return (bytes) => {
    let waits: Promise<void> | undefined
    for (const limiter of limiters) {
      if (waits === undefined) waits = limiter.pace(bytes, signal)
      else waits = waits.then(() => limiter.pace(bytes, signal))
    }
    return waits === undefined ? undefined : waiting(waits)
  }
}
