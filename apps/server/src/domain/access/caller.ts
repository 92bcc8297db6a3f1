import type { Role } from '@longshore/contract/endpoint'
import type { PackageClaims, TransferClaims, UserClaims } from '#domain/tokens/tokens'

/** Someone who showed an API key. Its row was read, so role and membership are those of this moment. */
export interface KeyCaller {
  readonly kind: 'api-key'
  readonly keyId: string
  readonly teamId: string
  readonly userId: string
  readonly membershipId: string
  readonly role: Role
  readonly email: string
}

/** Someone who showed a user token. Whether it still holds is checked with the Team or user it is used for. */
export interface UserCaller extends UserClaims {
  readonly kind: 'user-token'
}

/** Someone who showed a package token. Whether it still holds is checked with the package. */
export interface PackageCaller extends PackageClaims {
  readonly kind: 'package-token'
}

/** Someone who showed a transfer token. */
export interface TransferCaller extends TransferClaims {
  readonly kind: 'transfer-token'
}

export interface AnonymousCaller {
  readonly kind: 'anonymous'
}

export type Caller = KeyCaller | UserCaller | PackageCaller | TransferCaller | AnonymousCaller

/** What the caller's calls are counted by. */
export const creditedTo = (caller: Caller, address: string): string =>
  caller.kind === 'package-token' ? `token:${caller.tokenId}` : callerName(caller, address)

/** Who the caller is, the same with every new token of a kind: idempotency keys are kept under it. */
export function callerName(caller: Caller, address: string): string {
  switch (caller.kind) {
    case 'api-key':
      return `key:${caller.keyId}`
    case 'user-token':
      return `user:${caller.userId}`
    case 'package-token':
      return `package:${caller.packageId}:${caller.level}:${caller.linkId ?? ''}`
    case 'transfer-token':
      return `transfer:${caller.transferId}`
    case 'anonymous':
      return `address:${address}`
  }
}
