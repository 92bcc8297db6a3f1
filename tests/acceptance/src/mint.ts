import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { TokenLevel } from '@longshore/contract/endpoint'
import { setting } from '#target'

/** Tokens as the server would write them, and as it never would: that it tells them apart is what we test. */
export interface Minting {
  readonly kind: 'user' | 'package' | 'transfer'
  readonly claims: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
  /** Signs with another key than the one of its kind. */
  readonly key?: Buffer
}

const [kid = '', secret = ''] = (setting('LONGSHORE_SECRETS').split(',')[0] ?? '').split(':')

export const tokenKey = (kind: string): Buffer =>
  Buffer.from(hkdfSync('sha256', Buffer.from(secret, 'base64url'), '', `longshore/token/${kind}`, 32))

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

export const now = (): number => Math.floor(Date.now() / 1000)

export function mint({ kind, claims, header = {}, key = tokenKey(kind) }: Minting): string {
  const head = { alg: 'HS256', typ: `longshore-${kind}+jwt`, kid, ...header }
  const payload = { iss: 'longshore', aud: kind, iat: now(), exp: now() + 3600, ...claims }
  const signed = `${encoded(head)}.${encoded(payload)}`
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
}

const tokenId = () => randomBytes(16).toString('base64url')

export const userToken = (userId: string, claims: Readonly<Record<string, unknown>> = {}): string =>
  mint({ kind: 'user', claims: { jti: tokenId(), sub: userId, ser: 0, ...claims } })

export interface PackageTokenOf {
  readonly team_id: string
  readonly id: string
}

export const packageToken = (
  pkg: PackageTokenOf,
  level: TokenLevel,
  claims: Readonly<Record<string, unknown>> = {},
): string =>
  mint({
    kind: 'package',
    claims: { jti: tokenId(), sub: pkg.id, tm: pkg.team_id, lvl: level, ser: 0, ...claims },
  })

/** The claims of a token, without looking at its signature. */
export const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
