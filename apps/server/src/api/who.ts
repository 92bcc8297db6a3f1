import type { IncomingMessage } from 'node:http'
import type { Credential } from '@longshore/contract/endpoint'
import type { Caller } from '#domain/access/caller'
import {
  identifyByKey,
  identifyByPackageToken,
  identifyByTransferToken,
  identifyByUserToken,
} from '#domain/access/identify'
import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'

const credentialHeaders = ['x-api-key', 'x-user-token', 'x-package-token', 'x-transfer-token'] as const
type CredentialHeader = (typeof credentialHeaders)[number]

const accepted: Readonly<Partial<Record<Credential, readonly CredentialHeader[]>>> = {
  none: [],
  link: [],
  'access-code': [],
  user: ['x-api-key', 'x-user-token'],
  'user-or-access-code': ['x-api-key', 'x-user-token'],
  'user-token': ['x-user-token'],
  'package-token': ['x-package-token'],
  'transfer-token': ['x-transfer-token'],
}

/** Finds out who calls, by the one credential header that this call takes. */
export async function whoCalls(
  cx: Pick<Cx, 'db' | 'tokens'>,
  credential: Credential,
  request: IncomingMessage,
): Promise<Caller> {
  const headers = accepted[credential]
  if (headers === undefined) throw new TypeError(`'${credential}' is no credential of the cloud API.`)
  if (headers.length === 0) return { kind: 'anonymous' }
  const shown = shownCredentials(request)
  if (shown.length > 1) throw new Refusal('credentials_conflict')
  const [only] = shown
  // An outside sender: whether the code is right is the Portal's affair.
  if (only === undefined && credential === 'user-or-access-code' && request.headers['x-access-code'] !== undefined) {
    return { kind: 'anonymous' }
  }
  if (only === undefined || !headers.includes(only.header)) {
    const names = [...headers.map(headerName), ...(credential === 'user-or-access-code' ? ['X-Access-Code'] : [])]
    throw new Refusal('credential_missing', `This call takes ${names.join(' or ')}.`)
  }
  switch (only.header) {
    case 'x-api-key':
      return identifyByKey(cx, only.value)
    case 'x-user-token':
      return identifyByUserToken(cx, only.value)
    case 'x-package-token':
      return identifyByPackageToken(cx, only.value)
    case 'x-transfer-token':
      return identifyByTransferToken(cx, only.value)
  }
}

const headerName = (header: CredentialHeader) =>
  ({
    'x-api-key': 'X-API-KEY',
    'x-user-token': 'X-User-Token',
    'x-package-token': 'X-Package-Token',
    'x-transfer-token': 'X-Transfer-Token',
  })[header]

/** From the raw headers, because the parsed ones join a header that was sent twice into one value. */
function shownCredentials(request: IncomingMessage): { header: CredentialHeader; value: string }[] {
  const shown: { header: CredentialHeader; value: string }[] = []
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index]?.toLowerCase() as CredentialHeader
    if (credentialHeaders.includes(name)) shown.push({ header: name, value: request.rawHeaders[index + 1] ?? '' })
  }
  return shown
}

/** Access codes and link passwords travel URI-encoded; what is no valid encoding is taken as it is. */
export function decodedHeader(value: string | string[] | undefined): string | undefined {
  if (typeof value !== 'string') return undefined
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
