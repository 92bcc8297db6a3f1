import type { Endpoint } from '@longshore/contract/endpoint'
import { repeatableOf } from '@longshore/kit/door/idempotency-key'
import type { FastifyRequest } from 'fastify'
import { callerName } from '#domain/access/caller'
import type { Once } from '#domain/idempotency'

/** The Idempotency-Key of a create call: two callers may have the same. */
export function idempotencyOf(endpoint: Endpoint, request: FastifyRequest): Once | undefined {
  const asked = repeatableOf(endpoint, request)
  return asked === undefined ? undefined : { credential: callerName(request.caller, request.ip), ...asked }
}
