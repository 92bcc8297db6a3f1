import type { Interface } from '@longshore/contract/agent/settings'
import type { Endpoint, InputOf, ReplyOf } from '@longshore/contract/endpoint'
import type { EventStream } from '@longshore/kit/door/stream'
import type { Static } from 'typebox'
import type { Automations } from '#automations/automations'
import type { Session } from '#cloud/session'
import type { Gateways } from '#gateway/gateways'
import type { Disks } from '#host/disks'
import type { Settings } from '#settings/settings'
import type { Transfers } from '#transfers/transfers'
import type { Repeats } from './repeats.ts'

/** What the door leads to. */
export interface Agent {
  readonly session: Session
  readonly settings: Settings
  readonly transfers: Transfers
  readonly automations: Automations
  readonly gateways: Gateways
  readonly disks: Disks
  readonly repeats: Repeats
  readonly interfaces: Interfaces
  readonly now: () => Date
  readonly about: About
}

/** The network interfaces of this host. */
export interface Interfaces {
  readonly list: () => readonly Omit<Static<typeof Interface>, 'enabled'>[]
}

/** How this agent was started. */
export interface About {
  readonly version: string
  readonly startedAt: Date
  readonly cloudUrl: string
  readonly dataDir: string
  readonly chunkSize: number
  readonly autoFinalize: boolean
  readonly autoResume: boolean
}

/** A call that has passed its schema. */
export type Call<E> = InputOf<E> & {
  /** For what the call makes: the same for a call that is made again under its Idempotency-Key. */
  readonly id: string
  /** Where a stream is to go on, if its reader had it before. */
  readonly lastEventId: string | undefined
}

export interface Route {
  readonly endpoint: Endpoint
  handle(agent: Agent, call: Call<Endpoint>): unknown
}

/** Joins an endpoint of the contract with the function that does it. A route only translates. */
export function route<E extends Endpoint>(
  endpoint: E,
  handle: (agent: Agent, call: Call<E>) => Promise<ReplyOf<E>> | ReplyOf<E> | EventStream,
): Route {
  return { endpoint, handle }
}

export const done = { code: 200 } as const
