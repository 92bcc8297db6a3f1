import { ApiError } from '@longshore/client/client'
import { type ErrorName, errors } from '@longshore/contract/errors'
import { Refusal } from '@longshore/kit/refusal'

/** Calls the cloud for somebody who waits: what it refuses, the agent refuses in the same words. */
export async function ask<Reply>(call: (signal: AbortSignal) => Promise<Reply>): Promise<Reply> {
  try {
    return await call(AbortSignal.timeout(patienceMs))
  } catch (error) {
    throw refusalOf(error)
  }
}

/** The same with the credential of the session. Where that is not good any more, there is no session. */
export async function askAsUser<Reply>(call: (signal: AbortSignal) => Promise<Reply>): Promise<Reply> {
  try {
    return await ask(call)
  } catch (error) {
    if (error instanceof Refusal && ofCredential.has(error.code)) throw noSession(error)
    throw error
  }
}

const patienceMs = 30_000

const ofCredential: ReadonlySet<string> = new Set([
  'credential_missing',
  'credential_invalid',
  'token_expired',
  'api_key_inactive',
  'login_failed',
])

export const noSession = (cause?: unknown) => new Refusal('session_is_nil', undefined, { cause })

function refusalOf(error: unknown): Refusal {
  if (!(error instanceof ApiError) || !isKnown(error.error) || error.status >= 500) {
    return new Refusal('cloud_unreachable', undefined, { retryAfterSeconds: 5, cause: error })
  }
  const { details, retryAfter } = error
  return new Refusal(error.error, error.message, {
    ...(details.length === 0 ? {} : { details }),
    ...(retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter }),
    cause: error,
  })
}

const isKnown = (name: string): name is ErrorName => Object.hasOwn(errors, name)
