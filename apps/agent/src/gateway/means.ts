import type { Log } from '@longshore/kit/log'
import type { Clock } from '@longshore/transfer/ports'
import type { Database } from '#state/database'
import type { Transfers } from '#transfers/transfers'
import type { OrderDesk } from './order-desk.ts'

/** What gateways work with. */
export interface Means {
  readonly db: Database
  readonly log: Log
  readonly clock: Clock
  readonly cloudUrl: string
  readonly dataDir: string
  readonly transfers: Transfers
  readonly desk: OrderDesk
}
