import {
  type CORSRule,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetPublicAccessBlockCommand,
  type LifecycleRule,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutPublicAccessBlockCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { patientClient } from '#blob/s3-client'
import { judge } from '#blob/s3-faults'
import type { StorageConfig } from '#blob/storage-config'

export type SettingOutcome = 'applied' | 'unsupported' | `failed: ${string}`

export interface BucketSettings {
  readonly cors: SettingOutcome
  readonly lifecycle: SettingOutcome
  readonly publicAccessBlock: SettingOutcome
}

const corsRuleId = 'longshore'
const lifecycleRuleId = 'longshore-forgotten-uploads'
// Longer than a week, the longest that anybody may take to resume an upload.
const daysUntilForgotten = 8

/**
 * Sets up the bucket as far as the store can: browsers may transfer, forgotten uploads go away, public ACLs do nothing.
 *
 * Rules of others in the bucket stay as they are. May be run again at any time.
 */
export async function applyBucketSettings(
  config: StorageConfig,
  { origins }: { readonly origins: readonly string[] },
): Promise<BucketSettings> {
  const client = patientClient(config)
  try {
    return {
      cors: await outcome(() => applyCors(client, config.bucket, origins)),
      lifecycle: await outcome(() => applyLifecycle(client, config.bucket)),
      publicAccessBlock: await outcome(() => applyPublicAccessBlock(client, config.bucket)),
    }
  } finally {
    client.destroy()
  }
}

async function applyCors(client: S3Client, Bucket: string, origins: readonly string[]): Promise<void> {
  const found = await client.send(new GetBucketCorsCommand({ Bucket })).catch(absent('NoSuchCORSConfiguration'))
  const ours: CORSRule = {
    ID: corsRuleId,
    AllowedOrigins: [...origins],
    AllowedMethods: ['PUT', 'POST', 'GET', 'HEAD'],
    AllowedHeaders: ['content-type', 'content-md5', 'if-none-match', 'range'],
    ExposeHeaders: ['ETag', 'Content-Length', 'Content-Range', 'Accept-Ranges'],
    // Every origin and path has a preflight of its own, so a long memory saves one round trip per part.
    MaxAgeSeconds: 86_400,
  }
  const others = found?.CORSRules?.filter(({ ID }) => ID !== corsRuleId) ?? []
  await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: [ours, ...others] } }))
}

async function applyLifecycle(client: S3Client, Bucket: string): Promise<void> {
  const found = await client
    .send(new GetBucketLifecycleConfigurationCommand({ Bucket }))
    .catch(absent('NoSuchLifecycleConfiguration'))
  const ours: LifecycleRule = {
    ID: lifecycleRuleId,
    Status: 'Enabled',
    Filter: { Prefix: '' },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: daysUntilForgotten },
  }
  const others = found?.Rules?.filter(({ ID }) => ID !== lifecycleRuleId) ?? []
  await client.send(
    new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules: [...others, ours] } }),
  )
}

async function applyPublicAccessBlock(client: S3Client, Bucket: string): Promise<void> {
  const found = await client
    .send(new GetPublicAccessBlockCommand({ Bucket }))
    .catch(absent('NoSuchPublicAccessBlockConfiguration'))
  // BlockPublicAcls is not for us to set: with it, Ceph 16 refuses every PUT of the upload identity.
  const PublicAccessBlockConfiguration = { ...found?.PublicAccessBlockConfiguration, IgnorePublicAcls: true }
  await client.send(new PutPublicAccessBlockCommand({ Bucket, PublicAccessBlockConfiguration }))
}

async function outcome(apply: () => Promise<void>): Promise<SettingOutcome> {
  try {
    await apply()
    return 'applied'
  } catch (error) {
    return isUnsupported(error) ? 'unsupported' : `failed: ${judge(error, 'Set up the bucket').message}`
  }
}

function isUnsupported(error: unknown): boolean {
  if (!(error instanceof S3ServiceException)) return false
  const status = error.$metadata.httpStatusCode
  return status === 501 || status === 405 || error.name === 'NotImplemented'
}

function absent(code: string): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof S3ServiceException && error.name === code) return undefined
    throw error
  }
}
