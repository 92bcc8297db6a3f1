import { refusalOfFastify } from '@longshore/kit/door/errors'
import { Refusal } from '#domain/refusal'
import { storageAway } from '#domain/storage-away'

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
  const refused = refusalOfFastify(error)
  if (refused !== undefined) return refused
  const { code, message } = error as { code?: string; message?: string }
  if (
    databaseAway.has(code ?? '') ||
    message?.startsWith('Connection terminated') ||
    message?.startsWith('timeout exceeded')
  ) {
    return new Refusal('overloaded', undefined, { retryAfterSeconds: 2, cause: error })
  }
  return new Refusal('internal_error', undefined, { cause: error })
}
