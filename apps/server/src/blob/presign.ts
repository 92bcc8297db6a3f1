import { isIP } from 'node:net'
import { encode, type Seal, sealer } from '#blob/sigv4'
import type { StorageConfig, StorageIdentity } from '#blob/storage-config'

export type PublicBucket = Pick<StorageConfig, 'publicEndpoint' | 'region' | 'bucket' | 'forcePathStyle'>

export interface RequestToSign {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  /** The object; the empty string is the bucket itself. */
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  /** Headers the request must carry exactly so, names in lower case. `host` is always among them. */
  readonly headers?: Readonly<Record<string, string>>
  readonly expiresInSeconds: number
}

// The longest life that Signature Version 4 knows; stores refuse more.
const oneWeek = 7 * 24 * 3600

/** Signs requests of one identity to the public address of the bucket, and returns their URLs. */
export function presigner(
  bucket: PublicBucket,
  identity: StorageIdentity,
  now: () => Date,
): (request: RequestToSign) => string {
  const sealAt = sealer(identity, bucket.region)
  const addressOf = publicAddress(bucket)
  return (request) => {
    const { expiresInSeconds } = request
    if (!Number.isInteger(expiresInSeconds) || expiresInSeconds < 1 || expiresInSeconds > oneWeek) {
      throw new RangeError(`A signed URL lives 1 to ${oneWeek} whole seconds, not ${expiresInSeconds}`)
    }
    return signedUrl(addressOf(request.key), request, sealAt(now()))
  }
}

function signedUrl({ origin, host, path }: Address, request: RequestToSign, seal: Seal): string {
  const headers = Object.entries({ ...request.headers, host }).toSorted(byName)
  const names = headers.map(([name]) => name).join(';')
  const query = Object.entries(request.query ?? {})
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted(byName)
    .map(([name, value]) => `&${name}=${value}`)
    .join('')

  const beforeSignature = `${seal.query}&X-Amz-Expires=${request.expiresInSeconds}`
  const afterSignature = `&X-Amz-SignedHeaders=${encode(names)}${query}`
  const signature = seal.sign(
    `${request.method}\n${path}\n${beforeSignature}${afterSignature}\n` +
      `${headers.map(([name, value]) => `${name}:${value}\n`).join('')}\n${names}\nUNSIGNED-PAYLOAD`,
  )
  return `${origin}${path}?${beforeSignature}&X-Amz-Signature=${signature}${afterSignature}`
}

// By code units: the canonical form of the signature is defined so, and no language's own order is.
function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export interface Address {
  readonly origin: string
  readonly host: string
  readonly path: string
}

/**
 * Where an object lives at the public endpoint: behind the bucket's path, or on the bucket's own host name.
 *
 * Like the AWS SDK, takes the path where a host name cannot work: an address instead of a name, or a bucket with dots in
 * it, which no wildcard certificate covers.
 */
export function publicAddress(bucket: PublicBucket): (key: string) => Address {
  const { protocol, hostname, host: endpointHost, pathname } = new URL(bucket.publicEndpoint)
  const dotted = bucket.bucket.includes('.') && protocol === 'https:'
  const byPath = bucket.forcePathStyle || dotted || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
  const base = pathname.replace(/\/+$/, '')
  const host = byPath ? endpointHost : `${bucket.bucket}.${endpointHost}`
  const root = byPath ? `${base}/${bucket.bucket}` : base
  const origin = `${protocol}//${host}`
  return (key) => ({ origin, host, path: `${root}/${key.split('/').map(encode).join('/')}` })
}
