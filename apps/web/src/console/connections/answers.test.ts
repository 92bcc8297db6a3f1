import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answers, answersOf, connectionBodyOf } from './answers.ts'

const typed: Answers = {
  ...answersOf(undefined),
  name: 'Vault',
  bucket: ' rushes ',
  accessKey: 'key',
  secretKey: 'secret\n',
}

test('what was left empty is left to the server, and pasted blanks are not sent', () => {
  assert.deepEqual(connectionBodyOf(typed), {
    name: 'Vault',
    provider: 's3',
    direction: 'both',
    target_directory: '',
    authorization: { bucket: 'rushes', access_key_id: 'key', secret_access_key: 'secret' },
  })
})

test('where the bucket stands is said only by who knows better than the server', () => {
  const pathStyle = (bucketStands: Answers['bucketStands']) =>
    connectionBodyOf({ ...typed, bucketStands }).authorization?.path_style
  assert.equal(pathStyle('usual'), undefined)
  assert.equal(pathStyle('path'), true)
  assert.equal(pathStyle('host'), false)
})

test('keys are sent for a store, when they are new, and never for a gateway', () => {
  assert.equal(connectionBodyOf({ ...typed, hasNewKeys: false }).authorization, undefined)
  assert.equal(connectionBodyOf({ ...typed, provider: 'storage_gateway' }).authorization, undefined)
})
