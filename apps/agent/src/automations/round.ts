import type { Log } from '@longshore/kit/log'
import type { Clock } from '@longshore/transfer/ports'
import type { Client } from '@longshore/client/client'
import type { Session } from '#cloud/session'
import type { Database } from '#state/database'
import type { Transfers } from '#transfers/transfers'

/** What automations work with. */
export interface Means {
  readonly db: Database
  readonly log: Log
  readonly client: Client
  readonly session: Session
  readonly transfers: Transfers
  readonly clock: Clock
  readonly now: () => Date
  readonly dataDir: string
  /** A minute of timeouts; shorter in trials. */
  readonly minuteMs: number
  readonly autoFinalize: boolean
}

/** One look of an automation at what it watches. Answers after how long to look again; what it throws is shown. */
export type Round = (signal: AbortSignal) => Promise<number>
