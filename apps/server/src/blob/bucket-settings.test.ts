import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetPublicAccessBlockCommand,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
} from '@aws-sdk/client-s3'
import { s3Blueprints } from '#blob/blueprints'
import { applyBucketSettings } from '#blob/bucket-settings'
import { s3Blob } from '#blob/s3'
import { patientClient } from '#blob/s3-client'
import { stackStorage } from '#test-kit/stack-storage'

const config = stackStorage()
const client = patientClient(config)
const origin = 'https://app.example.com'
const applied = { cors: 'applied', lifecycle: 'applied', publicAccessBlock: 'applied' }

test('a bucket is set up, twice the same way, and rules of others stay', async (t) => {
  const Bucket = await ownBucket(t)
  const expiry = { ID: 'theirs', Status: 'Enabled', Filter: { Prefix: 'logs/' }, Expiration: { Days: 3 } } as const
  await client.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules: [expiry] } }))
  const theirs = { ID: 'theirs', AllowedOrigins: ['https://other.example.com'], AllowedMethods: ['GET'] }
  await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: [theirs] } }))

  assert.deepEqual(
    await applyBucketSettings({ ...config, bucket: Bucket }, { origins: ['https://old.example.com'] }),
    applied,
  )
  assert.deepEqual(await applyBucketSettings({ ...config, bucket: Bucket }, { origins: [origin] }), applied)

  const { Rules = [] } = await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))
  assert.deepEqual(new Set(Rules.map(({ ID }) => ID)), new Set(['longshore-forgotten-uploads', 'theirs']))
  const ours = Rules.find(({ ID }) => ID !== 'theirs')
  assert.deepEqual(ours?.AbortIncompleteMultipartUpload, { DaysAfterInitiation: 8 })
  assert.equal(Rules.find(({ ID }) => ID === 'theirs')?.Expiration?.Days, 3)

  const { CORSRules = [] } = await client.send(new GetBucketCorsCommand({ Bucket }))
  assert.deepEqual(
    CORSRules.map(({ AllowedOrigins }) => AllowedOrigins),
    [[origin], ['https://other.example.com']],
  )

  const { PublicAccessBlockConfiguration } = await client.send(new GetPublicAccessBlockCommand({ Bucket }))
  assert.equal(PublicAccessBlockConfiguration?.IgnorePublicAcls, true)
  assert.equal(PublicAccessBlockConfiguration?.BlockPublicAcls, false)
})

test('a page of ours may upload and download through the public address, a page of others may not', async (t) => {
  const own = { ...config, bucket: await ownBucket(t), upload: config.janitor }
  assert.deepEqual(await applyBucketSettings(own, { origins: [origin] }), applied)
  const { url } = s3Blueprints(own).put('file', 5)
  const preflight = (from: string, method: string) =>
    fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin: from,
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type,if-none-match',
      },
    })
  for (const method of ['PUT', 'POST', 'GET', 'HEAD']) {
    const answer = await preflight(origin, method)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('access-control-allow-origin'), origin)
    assert.equal(answer.headers.get('access-control-max-age'), '86400')
  }
  assert.equal((await preflight('https://evil.example.com', 'PUT')).headers.get('access-control-allow-origin'), null)
  assert.equal((await preflight(origin, 'DELETE')).headers.get('access-control-allow-origin'), null)

  const sent = await fetch(url, { method: 'PUT', headers: { origin }, body: 'hello' })
  assert.equal(sent.status, 200)
  assert.match(sent.headers.get('access-control-expose-headers') ?? '', /ETag/)
  await s3Blob(own).remove(['file'])
})

test('a store without these settings is reported as such, and a failing one with its reason', async (t) => {
  let status = 501
  const server = createServer((_, reply) => reply.writeHead(status).end('<Error><Code>NotImplemented</Code></Error>'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const without = await applyBucketSettings({ ...config, endpoint }, { origins: [origin] })
  assert.deepEqual(without, { cors: 'unsupported', lifecycle: 'unsupported', publicAccessBlock: 'unsupported' })

  status = 403
  const stranger = { ...config, janitor: { accessKey: 'NOBODY', secretKey: 'x' } }
  const { cors } = await applyBucketSettings(stranger, { origins: [origin] })
  assert.match(cors, /^failed: .*403 InvalidAccessKeyId/)
})

async function ownBucket(t: TestContext): Promise<string> {
  const Bucket = `settings-${randomBytes(6).toString('hex')}`
  await client.send(new CreateBucketCommand({ Bucket }))
  t.after(() => client.send(new DeleteBucketCommand({ Bucket })))
  return Bucket
}
