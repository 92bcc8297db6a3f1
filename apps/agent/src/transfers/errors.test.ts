import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownError } from './errors.ts'

test('the cloud says itself what to do; to what happened on this host we add it', () => {
  const ofTheCloud = 'This package has expired. Ask its sender to send it again.'
  assert.equal(shownError({ code: 'package_expired', message: ofTheCloud }).message, ofTheCloud)
  assert.equal(
    shownError({ code: 'disk_full', message: `There is no room left for 'a.mov'.` }).message,
    `There is no room left for 'a.mov'. The disk of the destination is full. Make space, then resume.`,
  )
})
