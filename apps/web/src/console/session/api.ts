import { ApiError, type CallInput, type CallOptions, createClient } from '@longshore/client/client'
import type { Endpoint, ReplyOf } from '@longshore/contract/endpoint'
import { currentToken, tokenRefused } from './token.ts'

/** The server that gave us this page. */
export const server = createClient({ baseUrl: location.origin })

// The client lets an empty input be left out, which a generic caller cannot: it would not know for which endpoints.
const call = server.call as unknown as <E extends Endpoint>(
  endpoint: E,
  input: CallInput<E>,
  options: CallOptions,
) => Promise<ReplyOf<E>>

const endsSession = new Set(['credential_invalid', 'token_expired', 'credential_missing'])

const isRefused = (error: unknown) => error instanceof ApiError && error.status === 401 && endsSession.has(error.error)

/** Calls as the person who is signed in. A token that is good no longer ends the session, and the page asks to sign in. */
export async function asUser<E extends Endpoint>(endpoint: E, input: CallInput<E>, signal?: AbortSignal) {
  const userToken = currentToken()
  try {
    return await call(endpoint, input, {
      credential: userToken === undefined ? undefined : { userToken },
      ...(signal === undefined ? {} : { signal }),
    })
  } catch (error) {
    if (userToken !== undefined && isRefused(error)) tokenRefused(userToken)
    throw error
  }
}

/** Calls with the token of a package, which its record carries. */
export const withPackageToken = <E extends Endpoint>(packageToken: string, endpoint: E, input: CallInput<E>) =>
  call(endpoint, input, { credential: { packageToken } })

/** Calls with the token of a transfer, which its record carries. */
export const withTransferToken = <E extends Endpoint>(transferToken: string, endpoint: E, input: CallInput<E>) =>
  call(endpoint, input, { credential: { transferToken } })
