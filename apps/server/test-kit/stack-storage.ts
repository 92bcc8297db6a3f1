import type { StorageConfig } from '#blob/storage-config'
import { testStack } from './stack.ts'

/** The store of the stack, as the server is configured for it. */
export function stackStorage(): StorageConfig {
  const { s3 } = testStack()
  const identity = (keys: { access_key: string; secret_key: string }) => ({
    accessKey: keys.access_key,
    secretKey: keys.secret_key,
  })
  return {
    endpoint: s3.endpoint,
    publicEndpoint: s3.public_endpoint,
    region: s3.region,
    bucket: s3.bucket,
    forcePathStyle: true,
    upload: identity(s3.upload),
    read: identity(s3.read),
    janitor: identity(s3.janitor),
  }
}
