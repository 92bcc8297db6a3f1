import type { Client } from '@longshore/client/client'
import type { Log } from '@longshore/kit/log'
import type { LanePool } from '@longshore/transfer/lane-pool'
import type { Clock, Hasher, Receive, Send } from '@longshore/transfer/ports'
import type { Limiter } from '@longshore/transfer/rate'
import type { Session } from '#cloud/session'
import type { Settings } from '#settings/settings'
import type { Database } from '#state/database'
import type { Direction } from '#state/transfers'
import type { AskForFiles } from './ask-for-files.ts'

/** What all transfers of this agent share. */
export interface Means {
  readonly db: Database
  readonly log: Log
  readonly client: Client
  readonly session: Session
  readonly settings: Settings
  readonly clock: Clock
  readonly now: () => Date
  readonly lanes: Readonly<Record<Direction, LanePool>>
  readonly limiters: Readonly<Record<Direction, Limiter>>
  readonly send: Send
  readonly receive: Receive
  readonly hasher: Hasher
  readonly askForFiles: AskForFiles
  /** Nothing in here is ever sent: it holds our own tokens. */
  readonly dataDir: string
  readonly chunkSize: number
  readonly autoFinalize: boolean
  readonly autoResume: boolean
  readonly streams: {
    /** Chunks of files that grow are cut for this size. */
    readonly plannedSize: number
    readonly lookEveryMs: number
  }
}
