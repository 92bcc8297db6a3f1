import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storageErrorCode, uploadIdOf } from '#storage-reply'

test('the upload id is read from the reply to a create request', () => {
  const xml =
    '<?xml version="1.0" encoding="UTF-8"?><InitiateMultipartUploadResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Bucket>b</Bucket><Key>k</Key><UploadId>2~abc&amp;def&#43;</UploadId></InitiateMultipartUploadResult>'
  assert.equal(uploadIdOf(xml), '2~abc&def+')
})

test('a reply without one has none', () => {
  assert.equal(uploadIdOf(''), undefined)
  assert.equal(uploadIdOf('<html>busy</html>'), undefined)
})

test('the code of an error is read, and nothing else is taken for one', () => {
  assert.equal(storageErrorCode('<Error><Code>SlowDown</Code><Message>later</Message></Error>'), 'SlowDown')
  assert.equal(storageErrorCode('<Result><Code>x</Code></Result>'), undefined)
  assert.equal(storageErrorCode(''), undefined)
})
