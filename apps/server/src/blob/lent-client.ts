import { S3Client } from '@aws-sdk/client-s3'
import type { Dispatcher } from 'undici'
import { guardedHandler } from '#blob/guarded-handler'

/** How a store is reached. */
export interface StoreKeys {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
  readonly pathStyle: boolean
}

/** Over connections that are lent. A body that fails while it is sent ends its request, and the error is that of the body. */
export const lentClient = (keys: StoreKeys, dispatcher: Dispatcher, maxAttempts: number): S3Client =>
  new S3Client({
    endpoint: keys.endpoint,
    region: keys.region,
    forcePathStyle: keys.pathStyle,
    credentials: {
      accessKeyId: keys.accessKeyId,
      secretAccessKey: keys.secretAccessKey,
      ...(keys.sessionToken === undefined ? {} : { sessionToken: keys.sessionToken }),
    },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts,
    // It would tell the console what we are told by the error itself.
    logger: silence,
    requestHandler: guardedHandler(dispatcher),
  })

const silence = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }
