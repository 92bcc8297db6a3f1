import { readFileSync } from 'node:fs'
import type { StorageConfig, StorageIdentity } from '#blob/storage-config'

interface Keys {
  readonly access_key: string
  readonly secret_key: string
}

interface StackFile {
  readonly s3: {
    readonly endpoint: string
    readonly public_endpoint: string
    readonly region: string
    readonly bucket: string
    readonly upload: Keys
    readonly read: Keys
    readonly janitor: Keys
  }
}

/** The running store that tests use, as `npm run stack` describes it. Tests never skip: without it they fail. */
export function stackStorage(): StorageConfig {
  const path = process.env['LONGSHORE_STACK']
  if (path === undefined || path === '') {
    throw new Error('Set LONGSHORE_STACK to the stack.json of a running stack (start one with `npm run stack -- up`)')
  }
  const { s3 } = JSON.parse(readFileSync(path, 'utf8')) as StackFile
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

function identity(keys: Keys): StorageIdentity {
  return { accessKey: keys.access_key, secretKey: keys.secret_key }
}
