import type { Fault } from './faults.ts'
import type { LanePool } from './lane-pool.ts'
import type { Chance, Clock } from './ports.ts'
import type { Limiter } from './rate.ts'

/** What every transfer is lent, up or down. */
export interface TransferHost {
  readonly clock: Clock
  readonly chance: Chance
  readonly lanes: LanePool
  /** All of them hold: the limit of the agent, that of an interface. */
  readonly limiters?: readonly Limiter[]
}

/** What becomes of single files, for whoever watches. */
export type FileNews =
  | { readonly state: 'transferring' | 'complete' }
  | { readonly state: 'error'; readonly fault: Fault }
