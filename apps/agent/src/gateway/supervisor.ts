import { gatewayVersion } from '@longshore/contract/gateway'
import { pauseAfter } from '@longshore/transfer/retry'
import { sleep } from '@longshore/transfer/waits'
import { holdLine } from '#cloud/gateway-line'
import { openStanding } from '#host/folder'
import type { GatewayRow } from '#state/gateways'
import { type Meaning, meaningOf } from './closes.ts'
import type { Means } from './means.ts'
import { talk } from './talk.ts'

/** One gateway at work. */
export interface Connection {
  readonly state: () => 'connecting' | 'connected' | 'error'
  readonly lastError: () => string
  /** Resolves when nothing of it is under way any more. */
  readonly end: () => Promise<void>
}

// Who was connected for so long is not turned away: the next pause is short again.
const steadyMs = 30_000

/** Keeps a gateway connected until it is told to end, or the cloud says that there is no use in coming back. */
export function connect(means: Means, gateway: GatewayRow, endOrders: () => Promise<void>): Connection {
  const { clock, log } = means
  const stop = new AbortController()
  const { signal } = stop
  let state: 'connecting' | 'connected' | 'error' = 'connecting'
  let lastError = ''

  /** Holds one line to its end. */
  const once = async (): Promise<Meaning> => {
    try {
      await (await openStanding(gateway.root_path)).close()
    } catch {
      // In the cloud it would look as if it worked.
      const message = `There is no folder '${gateway.root_path}', or the agent may not open it. Mount it, or set another.`
      return { message, tryAgain: true, leastPauseMs: 5_000 }
    }
    const { id, secret, permissions } = gateway
    const hello = { type: 'hello', version: gatewayVersion, id, secret, permissions, collects: true } as const
    const end = await holdLine(
      means.cloudUrl,
      hello,
      (line) => {
        state = 'connected'
        lastError = ''
        log.info({ gateway: id }, 'gateway connected')
        return talk(means, gateway, line)
      },
      signal,
    )
    return meaningOf(end, id)
  }

  const unexpected = (err: unknown): Meaning => {
    log.error({ gateway: gateway.id, err }, 'gateway failed unexpectedly')
    return { message: 'Something unexpected happened. The log has more.', tryAgain: true, leastPauseMs: 30_000 }
  }

  const goOn = async () => {
    for (let attempt = 0; !signal.aborted; attempt++) {
      const begun = clock.now()
      const { message, tryAgain, leastPauseMs, endsOrders } = await once().catch(unexpected)
      if (signal.aborted) return
      if (message !== lastError) log.warn({ gateway: gateway.id, message }, 'gateway not connected')
      lastError = message
      state = tryAgain ? 'connecting' : 'error'
      if (endsOrders === true) await endOrders().catch(unexpected)
      if (!tryAgain) return
      if (clock.now() - begun >= steadyMs) attempt = 0
      await sleep(clock, Math.max(leastPauseMs, pauseAfter(attempt, Math.random())), signal).catch(() => undefined)
    }
  }

  const over = goOn()
  return {
    state: () => state,
    lastError: () => lastError,
    end: () => {
      stop.abort()
      return over
    },
  }
}
