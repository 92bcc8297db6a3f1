import type { Endpoint, InputOf, ReplyOf } from '@longshore/contract/endpoint'
import type { EventStream } from '@longshore/kit/door/stream'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import type { Once } from '#domain/idempotency'

/** A call that has passed its schema and whose credential is known. */
export type Call<E> = InputOf<E> & {
  readonly caller: Caller
  /** Where the call comes from, as far as the trusted proxies tell. */
  readonly address: string
  readonly once: Once | undefined
  readonly linkPassword: string | undefined
  readonly accessCode: string | undefined
  /** Where a stream is to go on, if its reader had it before. */
  readonly lastEventId: string | undefined
  /** Who the credential of this call belongs to at a later time. Refuses as it would at the beginning. */
  identifyAgain(): Promise<Caller>
}

/** A reply that is JSON text already, whole or in pieces. */
export class JsonText {
  readonly text: string | AsyncIterable<string | Buffer>
  constructor(text: string | AsyncIterable<string | Buffer>) {
    this.text = text
  }
}

export interface Route {
  readonly endpoint: Endpoint
  handle(cx: Cx, call: Call<Endpoint>): Promise<unknown>
}

/** Joins an endpoint of the contract with the function that does it. A route only translates. */
export function route<E extends Endpoint>(
  endpoint: E,
  handle: (cx: Cx, call: Call<E>) => Promise<ReplyOf<E> | JsonText | EventStream | void>,
): Route {
  return { endpoint, handle }
}
