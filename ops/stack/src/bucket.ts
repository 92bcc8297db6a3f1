import { createHash } from 'node:crypto'
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  PutObjectCommand,
  PutPublicAccessBlockCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import type { S3Keys } from '#identity'

export const s3Region = 'us-east-1'

type Storage = { readonly endpoint: string; readonly janitor: S3Keys }

/**
 * Makes a bucket with the rights of our three storage users. A second call only sets the rights again.
 *
 * The janitor owns the bucket and does everything that is neither an upload nor a download.
 */
export async function makeBucket(stack: { readonly s3: Storage }, name: string): Promise<void> {
  const client = s3Client(stack.s3.endpoint, stack.s3.janitor)
  try {
    await client.send(new CreateBucketCommand({ Bucket: name }))
    await client.send(new PutBucketPolicyCommand({ Bucket: name, Policy: JSON.stringify(policy(name)) }))
    await client.send(
      new PutPublicAccessBlockCommand({
        Bucket: name,
        // BlockPublicAcls as well would make radosgw 16 refuse every PUT of the upload user.
        PublicAccessBlockConfiguration: { IgnorePublicAcls: true },
      }),
    )
  } finally {
    client.destroy()
  }
}

/**
 * Makes a bucket of the customer. Open: its policy lets our janitor put objects into it and read them, so that copies need
 * not leave the store. Everything else stays the customer's.
 */
export async function makeCustomerBucket(
  stack: { readonly s3: { readonly endpoint: string; readonly customer: S3Keys } },
  name: string,
  { open }: { readonly open: boolean },
): Promise<void> {
  const client = s3Client(stack.s3.endpoint, stack.s3.customer)
  try {
    await client.send(new CreateBucketCommand({ Bucket: name }))
    if (open) await client.send(new PutBucketPolicyCommand({ Bucket: name, Policy: JSON.stringify(openPolicy(name)) }))
  } finally {
    client.destroy()
  }
}

/** Puts objects into a bucket of the customer. */
export async function fillCustomerBucket(
  stack: { readonly s3: { readonly endpoint: string; readonly customer: S3Keys } },
  name: string,
  objects: Iterable<readonly [key: string, content: Buffer]>,
): Promise<void> {
  const client = s3Client(stack.s3.endpoint, stack.s3.customer)
  try {
    const waiting = Iterator.from(objects)
    const lane = async () => {
      for (const [Key, Body] of waiting) await client.send(new PutObjectCommand({ Bucket: name, Key, Body }))
    }
    await Promise.all(Array.from({ length: 8 }, lane))
  } finally {
    client.destroy()
  }
}

/** What a bucket of the customer holds: the SHA-256 of each object by its key, and how many uploads are open. */
export async function readCustomerBucket(
  stack: { readonly s3: { readonly endpoint: string; readonly customer: S3Keys } },
  name: string,
): Promise<{ readonly digests: ReadonlyMap<string, string>; readonly openUploads: number }> {
  const client = s3Client(stack.s3.endpoint, stack.s3.customer)
  try {
    const digests = new Map<string, string>()
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: name }))
    for (const { Key = '' } of Contents) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: name, Key }))
      const digest = createHash('sha256')
      for await (const piece of Body as AsyncIterable<Uint8Array>) digest.update(piece)
      digests.set(Key, digest.digest('hex'))
    }
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: name }))
    return { digests, openUploads: Uploads.length }
  } finally {
    client.destroy()
  }
}

const openPolicy = (bucket: string) => ({
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { AWS: ['arn:aws:iam:::user/janitor'] },
      Action: ['s3:PutObject', 's3:GetObject'],
      Resource: [`arn:aws:s3:::${bucket}/*`],
    },
  ],
})

export const s3Client = (endpoint: string, keys: S3Keys): S3Client =>
  new S3Client({
    endpoint,
    region: s3Region,
    forcePathStyle: true,
    // radosgw 16 answers 411 to the streams with trailing checksums that the SDK sends by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    credentials: { accessKeyId: keys.access_key, secretAccessKey: keys.secret_key },
  })

function policy(bucket: string) {
  const user = (name: string) => ({ AWS: [`arn:aws:iam:::user/${name}`] })
  const objects = `arn:aws:s3:::${bucket}/*`
  const everything = [`arn:aws:s3:::${bucket}`, objects]
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: user('upload'),
        Action: ['s3:PutObject', 's3:AbortMultipartUpload'],
        Resource: [objects],
      },
      {
        // Who uploads an object owns it: could read it back and give it to others, were it not denied.
        Effect: 'Deny',
        Principal: user('upload'),
        Action: [
          's3:GetObject',
          's3:GetObjectVersion',
          's3:GetObjectAcl',
          's3:PutObjectAcl',
          's3:ListBucket',
          's3:ListBucketVersions',
        ],
        Resource: everything,
      },
      { Effect: 'Allow', Principal: user('read'), Action: ['s3:GetObject'], Resource: [objects] },
      // Owning the bucket gives no right to read an object that the upload user owns.
      { Effect: 'Allow', Principal: user('janitor'), Action: ['s3:*'], Resource: everything },
    ],
  }
}
