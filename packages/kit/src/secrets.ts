import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * The operator's master secrets, newest first. Everything we sign or seal uses a key derived from
 * one of them, named by its `kid`, so that a new secret can be put in front while old tokens and
 * sealed values stay good until the old one is removed.
 */
export interface Keyring {
  readonly current: string
  readonly kids: readonly string[]
  derive(kid: string, purpose: string): Buffer
}

/** Reads `kid:base64url[,kid:base64url…]`. Each secret has at least 32 bytes. */
export function parseKeyring(text: string): Keyring {
  const secrets = new Map<string, Buffer>()
  for (const entry of text.split(',')) {
    const [kid, encoded, ...rest] = entry.trim().split(':')
    if (!kid || !encoded || rest.length > 0 || !/^[A-Za-z0-9_-]{1,16}$/.test(kid)) {
      throw new Error('The master secret must read kid:base64url, with further ones behind commas.')
    }
    const secret = Buffer.from(encoded, 'base64url')
    if (secret.length < 32)
      throw new Error(`The master secret '${kid}' has fewer than 32 bytes. Make one: openssl rand -base64 32`)
    if (secrets.has(kid)) throw new Error(`The master secret '${kid}' is there twice.`)
    secrets.set(kid, secret)
  }
  const kids = [...secrets.keys()]
  const current = kids[0]
  if (current === undefined) throw new Error('There is no master secret.')
  const derived = new Map<string, Buffer>()
  return {
    current,
    kids,
    derive(kid, purpose) {
      const secret = secrets.get(kid)
      if (secret === undefined) throw new Error(`There is no master secret '${kid}' any more.`)
      const name = `${kid}/${purpose}`
      let key = derived.get(name)
      if (key === undefined) {
        key = Buffer.from(hkdfSync('sha256', secret, '', `longshore/${purpose}`, 32))
        derived.set(name, key)
      }
      return key
    },
  }
}

/** Encrypts short texts for the database; the key is never in it. */
export interface Box {
  /** `context` names the place the value belongs to; a value moved elsewhere does not open. */
  seal(context: string, text: string): Buffer
  open(context: string, sealed: Buffer): string
}

const ivLength = 12
const tagLength = 16

export function createBox(keyring: Keyring): Box {
  return {
    seal(context, text) {
      const kid = Buffer.from(keyring.current)
      const iv = randomBytes(ivLength)
      const cipher = createCipheriv('aes-256-gcm', keyring.derive(keyring.current, 'box'), iv)
      cipher.setAAD(Buffer.from(context))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.from([kid.length]), kid, iv, cipher.getAuthTag(), sealed])
    },
    open(context, sealed) {
      const start = 1 + (sealed[0] ?? 0)
      const kid = sealed.subarray(1, start).toString()
      const iv = sealed.subarray(start, start + ivLength)
      const tag = sealed.subarray(start + ivLength, start + ivLength + tagLength)
      // Without the length Node takes a tag that was cut down to 4 bytes, which can be guessed.
      const decipher = createDecipheriv('aes-256-gcm', keyring.derive(kid, 'box'), iv, { authTagLength: tagLength })
      decipher.setAAD(Buffer.from(context))
      decipher.setAuthTag(tag)
      return decipher.update(sealed.subarray(start + ivLength + tagLength), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}

/** For secrets with at least 128 random bits only; passwords of people take argon2id. */
export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/** Compares in constant time; lengths may differ. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(hashSecret(a), hashSecret(b))
}
