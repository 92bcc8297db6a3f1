import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent, type RequestOptions } from 'node:https'
import type { Motion } from '@longshore/transfer/ports'

export type Direction = 'up' | 'down'

/** The way that one request takes. */
export interface Line {
  readonly options: Pick<RequestOptions, 'agent' | 'localAddress' | 'family'>
  /** What it was given, with the limits and counters of this way. */
  readonly motion: Motion
  readonly failed: (error: unknown) => void
  readonly leave: () => void
}

export interface Network {
  readonly take: (url: string, direction: Direction, motion: Motion) => Line
  readonly close: () => void
}

// Shorter than the patience of any server with idle connections, so that it is we who close them.
const idleMs = 10_000

export function createNetwork(): Network {
  const options = { keepAlive: true, timeout: idleMs, scheduling: 'lifo' } as const
  const http = new HttpAgent(options)
  const https = new HttpsAgent(options)
  return {
    take: (url, _direction, motion) => ({
      options: { agent: url.startsWith('https:') ? https : http },
      motion,
      failed: () => {},
      leave: () => {},
    }),
    close: () => {
      http.destroy()
      https.destroy()
    },
  }
}
