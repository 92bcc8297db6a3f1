import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { patientClient } from '#blob/s3-client'
import type { GivenAuthorization } from '#domain/connections/authorization'
import { stackStorage } from './stack-storage.ts'
import { testStack } from './stack.ts'

/** A bucket of somebody else in the stack's store. */
export interface CustomerBucket {
  readonly name: string
  /** As it is given to us. */
  readonly authorization: GivenAuthorization
  put(key: string, body: string | Buffer): Promise<void>
  keys(): Promise<string[]>
  read(key: string): Promise<Buffer>
  /** Uploads that were begun and neither joined nor taken back. */
  openUploads(): Promise<number>
}

/** Open: its policy lets our own store copy into it and from it. Gone with the test. */
export async function customerBucket(t: TestContext, { open }: { readonly open: boolean }): Promise<CustomerBucket> {
  const { s3 } = testStack()
  const customer = { accessKey: s3.customer.access_key, secretKey: s3.customer.secret_key }
  const client = patientClient({ ...stackStorage(), janitor: customer })
  const name = `customer-${randomBytes(6).toString('hex')}`
  const Bucket = name
  await client.send(new CreateBucketCommand({ Bucket }))
  if (open) {
    const statement = {
      Effect: 'Allow',
      Principal: { AWS: ['arn:aws:iam:::user/janitor'] },
      Action: ['s3:PutObject', 's3:GetObject'],
      Resource: [`arn:aws:s3:::${name}/*`],
    }
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] })
    await client.send(new PutBucketPolicyCommand({ Bucket, Policy }))
  }
  const uploads = async () => (await client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads ?? []
  const keys = async () => {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }))
    return Contents.map(({ Key = '' }) => Key)
  }
  t.after(async () => {
    for (const { Key, UploadId } of await uploads()) {
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
    }
    for (const Key of await keys()) await client.send(new DeleteObjectCommand({ Bucket, Key }))
    await client.send(new DeleteBucketCommand({ Bucket }))
    client.destroy()
  })
  return {
    name,
    authorization: {
      endpoint: s3.endpoint,
      region: s3.region,
      bucket: name,
      access_key_id: s3.customer.access_key,
      secret_access_key: s3.customer.secret_key,
    },
    async put(Key, Body) {
      await client.send(new PutObjectCommand({ Bucket, Key, Body, ContentLength: Buffer.byteLength(Body) }))
    },
    keys,
    async read(Key) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
      return Buffer.from((await Body?.transformToByteArray()) ?? [])
    },
    openUploads: async () => (await uploads()).length,
  }
}
