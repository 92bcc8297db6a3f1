import { adviceOf, codeOf, type Detail, type ErrorName, statusOf } from '@longshore/contract/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '#refusal'

/** The one error body. */
export interface ErrorBody {
  readonly code: number
  readonly error: ErrorName
  readonly message: string
  readonly details?: readonly Detail[]
  readonly request_id: string
}

const ofFastify: Readonly<Record<string, ErrorName>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_request',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_request',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed_request',
  FST_ERR_BAD_URL: 'malformed_request',
}

/** What the web framework itself refuses, as a refusal; undefined for everything else. */
export function refusalOfFastify(error: unknown): Refusal | undefined {
  const { code = '', statusCode } = error as { code?: string; statusCode?: number }
  const name = ofFastify[code] ?? (statusCode === 400 ? 'malformed_request' : undefined)
  return name === undefined ? undefined : new Refusal(name, undefined, { cause: error })
}

export function answerRefusal(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): ErrorBody {
  void reply.status(statusOf(refusal.code))
  if (refusal.retryAfterSeconds !== undefined) void reply.header('retry-after', String(refusal.retryAfterSeconds))
  return {
    code: codeOf(refusal.code),
    error: refusal.code,
    message: refusal.message || adviceOf(refusal.code),
    ...(refusal.details === undefined ? {} : { details: refusal.details }),
    request_id: request.id,
  }
}
