import type { Endpoint } from '@longshore/contract/endpoint'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '#refusal'

/** A create call that its caller may send twice: their key, and what was asked under it. */
export interface Repeatable {
  readonly key: string
  readonly request: string
}

/** The Idempotency-Key of a create call, with what it was sent for: the same key for another request is a mistake. */
export function repeatableOf(endpoint: Endpoint, request: FastifyRequest): Repeatable | undefined {
  const key = request.headers['idempotency-key']
  if (endpoint.idempotent !== true || key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new Refusal('malformed_request', 'Idempotency-Key must be 1 to 255 visible ASCII characters, sent once.')
  }
  return { key, request: JSON.stringify([endpoint.method, endpoint.path, request.params, request.body ?? null]) }
}
