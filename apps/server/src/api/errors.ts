import { adviceOf, codeOf, type Detail, type ErrorName, statusOf } from '@longshore/contract/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '#domain/refusal'
import { storageAway } from '#domain/storage-away'

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

// How PostgreSQL and its driver say that the database is away, starting, stopping, full or too slow just now.
const databaseAway = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '08006',
  '08001',
  '57014',
])

/** Whatever went wrong, as a refusal. What nobody expected stays out of the answer; the log has it by request id. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const away = storageAway(error)
  if (away !== undefined) return away
  const { code, statusCode, message } = error as { code?: string; statusCode?: number; message?: string }
  if (code !== undefined && ofFastify[code] !== undefined)
    return new Refusal(ofFastify[code], undefined, { cause: error })
  if (statusCode === 400) return new Refusal('malformed_request', undefined, { cause: error })
  if (
    databaseAway.has(code ?? '') ||
    message?.startsWith('Connection terminated') ||
    message?.startsWith('timeout exceeded')
  ) {
    return new Refusal('overloaded', undefined, { retryAfterSeconds: 2, cause: error })
  }
  return new Refusal('internal_error', undefined, { cause: error })
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
