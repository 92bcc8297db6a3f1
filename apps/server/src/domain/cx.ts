import type { Box } from '@longshore/kit/secrets'
import type { Log } from '@longshore/kit/log'
import type { Copier } from '#blob/copier'
import type { OpenForeignStore } from '#blob/foreign-store'
import type { Blob, Blueprints } from '#blob/port'
import type { Target } from '#blob/target'
import type { Archives } from '#domain/archives/archives'
import type { Feed } from '#live/feed'
import type { Limiter } from '#live/limiter'
import type { Seats } from '#live/seats'
import type { Switchboard } from '#live/switchboard'
import type { Wake } from '#live/wake'
import type { Hooks } from '#outbound/hooks'
import type { Mailer } from '#outbound/mail'
import type { Scanner } from '#outbound/scanner'
import type { Db } from '#platform/db'
import type { Queue } from '#queue/engine'
import type { Progress } from '#domain/realtime/progress'
import type { Signer } from '#domain/tokens/signer'
import type { Tokens } from '#domain/tokens/tokens'

/** What the operator set that the domain decides by. */
export interface Settings {
  /** Where the API is reached from outside. */
  readonly publicUrl: string
  /** Where shared links are opened. */
  readonly downloadUrl: string
  /** Where the upload page of a Portal is; `{subdomain}` stands for its subdomain. */
  readonly portalUrl: string
  /** Name of the store that new packages go to. */
  readonly storageLocation: string
  readonly uploadUrlSeconds: number
  readonly downloadUrlSeconds: number
  /** A package that is `new` and untouched for so long is given up. */
  readonly abandonedAfterDays: number
  /** Stored files, or handfuls of small ones, that one worker reads at once. */
  readonly inspectionsAtOnce: number
  /** Packages that one worker carries to other stores at once. */
  readonly transfersAtOnce: number
  /** Files go to other stores in parts of so many bytes. */
  readonly transferPartBytes: number
  /** The file list of a package is frozen so long after all is known of it. */
  readonly freezeAfterSeconds: number
  /** Seconds between the attempts of a webhook delivery. */
  readonly webhookPauses: readonly number[]
  /** An open stream says that often that it lives, and is looked at again whether it may. */
  readonly streamHeartbeatSeconds: number
}

/** The world as it is lent to the domain. A function names only what it uses: `Pick<Cx, 'db'>`. */
export interface Cx {
  readonly db: Db
  readonly blob: Blob
  readonly blueprints: Blueprints
  readonly copier: Copier
  /** Our own store for bytes that come from stores of others. */
  readonly ownStore: Target
  /** Opens stores of other people. */
  readonly foreignStore: OpenForeignStore
  readonly box: Box
  readonly tokens: Tokens
  readonly signer: Signer
  readonly queue: Queue
  readonly limiter: Limiter
  readonly mailer: Mailer
  readonly hooks: Hooks
  /** Undefined: nothing is scanned. */
  readonly scanner: Scanner | undefined
  readonly wake: Wake
  /** Where storage gateways are asked, in whichever process they are connected. */
  readonly switchboard: Switchboard
  readonly archives: Archives
  readonly feed: Feed
  readonly progress: Progress
  readonly seats: Seats
  readonly log: Log
  readonly settings: Settings
}
