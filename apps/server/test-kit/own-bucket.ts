import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { CreateBucketCommand, DeleteBucketCommand } from '@aws-sdk/client-s3'
import { s3Blueprints } from '#blob/blueprints'
import { copier } from '#blob/copier'
import { ownStore } from '#blob/own-store'
import { s3Blob } from '#blob/s3'
import { patientClient } from '#blob/s3-client'
import type { TestCx } from './cx.ts'
import { stackStorage } from './stack-storage.ts'

/** The same world with a bucket that nobody else puts anything into; all of it belongs to the janitor. */
export async function withOwnBucket(t: TestContext, cx: TestCx): Promise<TestCx> {
  const shared = stackStorage()
  const bucket = `test-${randomBytes(6).toString('hex')}`
  const storage = { ...shared, bucket, upload: shared.janitor, read: shared.janitor }
  const client = patientClient(storage)
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  const blob = s3Blob(storage)
  t.after(async () => {
    for await (const { key, uploadId } of blob.openUploads('')) await blob.abort(key, uploadId)
    await blob.remove((await Array.fromAsync(blob.list(''))).map(({ key }) => key))
    await client.send(new DeleteBucketCommand({ Bucket: bucket }))
  })
  const expiresInSeconds = cx.settings.uploadUrlSeconds
  return {
    ...cx,
    blob,
    copier: copier(storage),
    ownStore: ownStore(storage),
    blueprints: s3Blueprints(storage, { expiresInSeconds, putOnce: true }),
    settings: { ...cx.settings, storageLocation: bucket },
  }
}
