import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { Keyring } from '@longshore/kit/secrets'
import { CompactSign } from 'jose'

/** A public key as others read it. */
export interface PublicKey {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly kid: string
  readonly x: string
  readonly use: 'sig'
  readonly alg: 'EdDSA'
}

/** Signs what is to be believed without us, and for longer than any token lives. */
export interface Signer {
  sign(payload: object): Promise<string>
  /** All that may have signed something; the newest first. */
  readonly keys: readonly PublicKey[]
}

export const waybillType = 'longshore-waybill+jws'

/** One Ed25519 key for each master secret: a secret that stays in the keyring keeps old signatures good. */
export function createSigner(keyring: Keyring): Signer {
  const pairs = keyring.kids.map((kid) => ({ kid, key: ed25519(keyring.derive(kid, 'waybill')) }))
  const current = pairs[0]
  if (current === undefined) throw new Error('The keyring has no key.')
  return {
    sign: (payload) =>
      new CompactSign(Buffer.from(JSON.stringify(payload)))
        .setProtectedHeader({ alg: 'EdDSA', kid: current.kid, typ: waybillType })
        .sign(current.key),
    keys: pairs.map(({ kid, key }) => {
      const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
      return { kty: 'OKP', crv: 'Ed25519', kid, x, use: 'sig', alg: 'EdDSA' }
    }),
  }
}

// What PKCS #8 writes before the 32 bytes of an Ed25519 key.
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex')

const ed25519 = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' })
