import { S3Client } from '@aws-sdk/client-s3'
import type { StorageConfig } from '#blob/storage-config'

// A full or sick store hangs without an answer, so nothing may wait for it without a limit.
const connectionTimeout = 5_000
export const requestTimeout = 30_000
// Joining 10,000 parts is work for the store: the slow ones take minutes.
export const completeTimeout = 300_000

/** The limit over all attempts and the whole body; each attempt has its own limit until the answer begins. */
export function limited(): { abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.timeout(3 * requestTimeout) }
}

/** For everything that may be repeated without harm. */
export function patientClient(config: StorageConfig): S3Client {
  return client(config, { requestTimeout, maxAttempts: 3, keepAlive: true })
}

/**
 * For what must be sent only once, because a second try answers differently after a first that worked.
 *
 * A fresh connection each time: an idle one may have been closed by the store just now, and the reset would read as doubt.
 */
export function singleShotClient(config: StorageConfig): S3Client {
  return client(config, { requestTimeout: completeTimeout, maxAttempts: 1, keepAlive: false })
}

interface Ways {
  readonly requestTimeout: number
  readonly maxAttempts: number
  readonly keepAlive: boolean
}

function client(config: StorageConfig, { requestTimeout, maxAttempts, keepAlive }: Ways): S3Client {
  // Workers do 64 calls at once; downloads being zipped hold a connection each on top of that.
  const agent = { keepAlive, maxSockets: 256 }
  return new S3Client({
    endpoint: config.endpoint,
    region: config.region,
    forcePathStyle: config.forcePathStyle,
    credentials: { accessKeyId: config.janitor.accessKey, secretAccessKey: config.janitor.secretKey },
    // By default the SDK adds checksum trailers that older stores refuse (411) or ignore.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts,
    requestHandler: {
      connectionTimeout,
      requestTimeout,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  })
}
