import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { TokenLevel } from '@longshore/contract/endpoint'
import { isId, newSecret } from '@longshore/kit/ids'
import type { Keyring } from '@longshore/kit/secrets'
import { errors, type JWTPayload, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import { Refusal } from '#domain/refusal'

export interface UserClaims {
  readonly tokenId: string
  readonly userId: string
  readonly serial: number
}

export interface PackageClaims {
  readonly tokenId: string
  readonly teamId: string
  readonly packageId: string
  readonly level: TokenLevel
  readonly serial: number
  /** Read tokens: the link they came from. */
  readonly linkId?: string
  /** Management tokens: the member they were given to. */
  readonly userId?: string
  /** Write tokens: the import that they were given to an agent for. */
  readonly transferId?: string
}

/** Who has it may fetch one archive of a package. */
export interface ArchiveClaims {
  readonly teamId: string
  readonly packageId: string
  readonly kind: 'zip_windows' | 'zip_mac'
  readonly serial: number
  /** The link that the address was asked through. */
  readonly linkId?: string
}

/** Who has it may see one transfer, try it again and cancel it. */
export interface TransferClaims {
  readonly teamId: string
  readonly transferId: string
}

export interface Tokens {
  issueUser(claims: Omit<UserClaims, 'tokenId'>): Promise<string>
  verifyUser(token: string): Promise<UserClaims>
  /** With the id of an earlier one it is the same access, as far as links count. */
  issuePackage(claims: Omit<PackageClaims, 'tokenId'> & { readonly tokenId?: string }): Promise<string>
  verifyPackage(token: string): Promise<PackageClaims>
  /** What a token of ours says, also one that has ended; undefined for any other. */
  readEarlierPackage(token: string): Promise<PackageClaims | undefined>
  issueArchive(claims: ArchiveClaims, lifetimeSeconds: number): Promise<string>
  verifyArchive(token: string): Promise<ArchiveClaims>
  issueTransfer(claims: TransferClaims): Promise<string>
  verifyTransfer(token: string): Promise<TransferClaims>
}

const hour = 3600
const day = 24 * hour

const userLifetime = 72 * hour
const transferLifetime = 30 * day
const packageLifetime: Readonly<Record<TokenLevel, number>> = { manage: 7 * day, write: 30 * day, read: day }

const issuer = 'longshore'

// A real token of ours has some 500 characters. Longer ones are not even parsed.
const longestToken = 2_048

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

interface Verified<Claims> {
  readonly claims: Claims
  readonly expiresAt: number
}

/** One kind of token: its own key, type and audience, so that one kind is never taken for another. */
function tokenKind<Claims extends object>(
  keyring: Keyring,
  kind: string,
  write: (claims: Claims) => JWTPayload,
  read: (payload: JWTPayload) => Claims,
) {
  const keys = new Map<string, KeyObject>(
    keyring.kids.map((kid) => [kid, createSecretKey(keyring.derive(kid, `token/${kind}`))]),
  )
  const typ = `longshore-${kind}+jwt`
  // Verifying costs more than the rest of a small request. Keyed by the whole token, and short.
  const verified = new LRUCache<string, Verified<Claims>>({ max: 10_000, ttl: 30_000 })

  const signedPayload = async (token: string, currentDate = new Date()): Promise<JWTPayload> => {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const key = typeof kid === 'string' ? keys.get(kid) : undefined
        if (key === undefined) throw new errors.JWKSNoMatchingKey()
        return key
      },
      { algorithms: ['HS256'], typ, audience: kind, issuer, requiredClaims: ['exp', 'sub'], currentDate },
    )
    return payload
  }

  return {
    // Signed here and not by the library, which hands each token to another thread: a list has a token in every record,
    // and this is a fifth of the time. What is signed here the library verifies below.
    async issue(claims: Claims, lifetimeSeconds: number): Promise<string> {
      const key = keys.get(keyring.current)
      if (key === undefined) throw new Error('The keyring has no current key.')
      const now = Math.floor(Date.now() / 1000)
      const header = { alg: 'HS256', typ, kid: keyring.current }
      const payload = { ...write(claims), iss: issuer, aud: kind, iat: now, exp: now + lifetimeSeconds }
      const signed = `${encoded(header)}.${encoded(payload)}`
      return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
    },

    async verify(token: string): Promise<Claims> {
      const known = verified.get(token)
      if (known !== undefined) {
        if (known.expiresAt <= Date.now()) throw new Refusal('token_expired')
        return known.claims
      }
      if (token.length > longestToken) throw new Refusal('credential_invalid')
      try {
        const payload = await signedPayload(token)
        const claims = read(payload)
        verified.set(token, { claims, expiresAt: (payload.exp ?? 0) * 1000 })
        return claims
      } catch (cause) {
        if (cause instanceof errors.JWTExpired) throw new Refusal('token_expired', undefined, { cause })
        throw new Refusal('credential_invalid', undefined, { cause })
      }
    },

    async readEarlier(token: string): Promise<Claims | undefined> {
      if (token.length > longestToken) return undefined
      try {
        return read(await signedPayload(token, new Date(0)))
      } catch {
        return undefined
      }
    },
  }
}

// Signed by us or not: a claim that cannot be is no claim.
const impossible = (): never => {
  throw new errors.JWTInvalid('a claim is missing or of the wrong kind')
}
const text = (claim: unknown): string => (typeof claim === 'string' && claim !== '' ? claim : impossible())
const id = (claim: unknown): string => (typeof claim === 'string' && isId(claim) ? claim : impossible())
const serial = (claim: unknown): number => (Number.isSafeInteger(claim) ? (claim as number) : impossible())
const level = (claim: unknown): TokenLevel =>
  claim === 'manage' || claim === 'write' || claim === 'read' ? claim : impossible()

const archiveKind = (claim: unknown): ArchiveClaims['kind'] =>
  claim === 'zip_windows' || claim === 'zip_mac' ? claim : impossible()

export function createTokens(keyring: Keyring): Tokens {
  const user = tokenKind<UserClaims>(
    keyring,
    'user',
    ({ tokenId, userId, serial }) => ({ jti: tokenId, sub: userId, ser: serial }),
    (payload) => ({ tokenId: text(payload.jti), userId: id(payload.sub), serial: serial(payload['ser']) }),
  )
  const pkg = tokenKind<PackageClaims>(
    keyring,
    'package',
    (claims) => ({
      jti: claims.tokenId,
      sub: claims.packageId,
      tm: claims.teamId,
      lvl: claims.level,
      ser: claims.serial,
      ...(claims.linkId === undefined ? {} : { lnk: claims.linkId }),
      ...(claims.userId === undefined ? {} : { usr: claims.userId }),
      ...(claims.transferId === undefined ? {} : { trf: claims.transferId }),
    }),
    (payload) => ({
      tokenId: text(payload.jti),
      packageId: id(payload.sub),
      teamId: id(payload['tm']),
      level: level(payload['lvl']),
      serial: serial(payload['ser']),
      // A read token is nothing without the link that it came from.
      ...(payload['lnk'] === undefined && payload['lvl'] !== 'read' ? {} : { linkId: id(payload['lnk']) }),
      ...(payload['usr'] === undefined ? {} : { userId: id(payload['usr']) }),
      ...(payload['trf'] === undefined ? {} : { transferId: id(payload['trf']) }),
    }),
  )
  const archive = tokenKind<ArchiveClaims>(
    keyring,
    'archive',
    (claims) => ({
      sub: claims.packageId,
      tm: claims.teamId,
      knd: claims.kind,
      ser: claims.serial,
      ...(claims.linkId === undefined ? {} : { lnk: claims.linkId }),
    }),
    (payload) => ({
      packageId: id(payload.sub),
      teamId: id(payload['tm']),
      kind: archiveKind(payload['knd']),
      serial: serial(payload['ser']),
      ...(payload['lnk'] === undefined ? {} : { linkId: id(payload['lnk']) }),
    }),
  )
  const transfer = tokenKind<TransferClaims>(
    keyring,
    'transfer',
    ({ teamId, transferId }) => ({ sub: transferId, tm: teamId }),
    (payload) => ({ transferId: id(payload.sub), teamId: id(payload['tm']) }),
  )
  return {
    issueUser: (claims) => user.issue({ ...claims, tokenId: newSecret() }, userLifetime),
    verifyUser: user.verify,
    issuePackage: (claims) => pkg.issue({ tokenId: newSecret(), ...claims }, packageLifetime[claims.level]),
    verifyPackage: pkg.verify,
    readEarlierPackage: pkg.readEarlier,
    issueArchive: archive.issue,
    verifyArchive: archive.verify,
    issueTransfer: (claims) => transfer.issue(claims, transferLifetime),
    verifyTransfer: transfer.verify,
  }
}
