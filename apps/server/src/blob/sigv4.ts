import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import type { StorageIdentity } from '#blob/storage-config'

/** Everything about a signature that is the same for all requests signed by one identity in one second. */
export interface Seal {
  /** The first four query parameters, already encoded and in their order. */
  readonly query: string
  /** The signature of one canonical request, in hex. */
  sign(canonicalRequest: string): string
}

/** Lends seals of AWS Signature Version 4 in its query form, where the payload is not part of the signature. */
export function sealer(identity: StorageIdentity, region: string): (at: Date) => Seal {
  // Deriving the key of a day takes four HMACs, and importing an HMAC key costs more than using it seven times.
  let day = ''
  let key: KeyObject | undefined

  return (at) => {
    const time = at.toISOString().replace(/[-:]|\.\d{3}/g, '')
    const today = time.slice(0, 8)
    if (key === undefined || today !== day) {
      key = dayKey(identity.secretKey, today, region)
      day = today
    }
    return seal(identity.accessKey, key, `${today}/${region}/s3/aws4_request`, time)
  }
}

function seal(accessKey: string, key: KeyObject, scope: string, time: string): Seal {
  const before = `AWS4-HMAC-SHA256\n${time}\n${scope}\n`
  return {
    query:
      'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Content-Sha256=UNSIGNED-PAYLOAD' +
      `&X-Amz-Credential=${encode(`${accessKey}/${scope}`)}&X-Amz-Date=${time}`,
    sign: (canonicalRequest) =>
      createHmac('sha256', key)
        .update(before + hash('sha256', canonicalRequest, 'hex'))
        .digest('hex'),
  }
}

function dayKey(secretKey: string, day: string, region: string): KeyObject {
  let key = createSecretKey(`AWS4${secretKey}`, 'utf8')
  for (const word of [day, region, 's3', 'aws4_request']) {
    key = createSecretKey(createHmac('sha256', key).update(word).digest())
  }
  return key
}

/** Percent-encodes all but RFC 3986's unreserved characters; encodeURIComponent leaves five more as they are. */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
