import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault, faultOf, HostFault, isCongestion, judge, judgeReply } from '#faults'

const refused = (status: number, error: string, retryAfter?: number) =>
  Object.assign(new Error(error), { status, error, retryAfter })

const ofTheCloud = [
  [401, 'token_expired', 'fatal'],
  [403, 'token_level_insufficient', 'fatal'],
  [403, 'file_quarantined', 'permanent'],
  [404, 'package_not_found', 'fatal'],
  [404, 'file_not_found', 'permanent'],
  [408, 'http_408', 'transient'],
  [409, 'package_not_new', 'fatal'],
  [409, 'upload_mismatch', 'permanent'],
  [410, 'package_expired', 'fatal'],
  [410, 'link_locked', 'fatal'],
  [413, 'file_too_large', 'permanent'],
  [422, 'file_type_refused', 'permanent'],
  [429, 'rate_limited', 'transient'],
  [500, 'internal_error', 'transient'],
  [502, 'http_502', 'transient'],
  [503, 'storage_unavailable', 'transient'],
] as const

for (const [status, error, verdict] of ofTheCloud) {
  test(`${status} ${error} of the cloud is ${verdict}`, () => {
    const fault = judge(refused(status, error))
    assert.deepEqual([fault.verdict, fault.code], [verdict, error])
  })
}

const xml = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>m</Message></Error>`

const ofStorage = [
  [403, 'AccessDenied', 'transient', 'address_refused'],
  [403, 'RequestTimeTooSkewed', 'transient', 'address_refused'],
  [403, 'QuotaExceeded', 'fatal', 'storage_full'],
  [404, 'NoSuchUpload', 'permanent', 'object_gone'],
  [412, 'PreconditionFailed', 'permanent', 'already_stored'],
  [400, 'RequestTimeout', 'transient', 'storage_unavailable'],
  [400, 'BadDigest', 'permanent', 'storage_refused'],
  [409, 'ConditionalRequestConflict', 'transient', 'storage_unavailable'],
  [500, 'InternalError', 'transient', 'storage_unavailable'],
  [503, 'SlowDown', 'transient', 'storage_unavailable'],
  [507, '', 'fatal', 'storage_full'],
] as const

for (const [status, code, verdict, name] of ofStorage) {
  test(`${status} ${code} of storage is ${verdict}`, () => {
    const fault = judgeReply({ status, text: xml(code) })
    assert.deepEqual([fault?.verdict, fault?.code], [verdict, name])
  })
}

test('an answer that did what was asked is no fault', () => {
  assert.equal(judgeReply({ status: 200, text: '' }), undefined)
  assert.equal(judgeReply({ status: 206, text: '' }), undefined)
})

test('what has no status is the network, and passes', () => {
  const fault = judge(new TypeError('fetch failed'))
  assert.deepEqual([fault.verdict, fault.code, fault.message], ['transient', 'network', 'fetch failed'])
})

test('a source that is gone ends its file, a full disk ends the transfer', () => {
  assert.equal(judge(new HostFault('source_gone', 'm')).verdict, 'permanent')
  assert.equal(judge(new HostFault('source_unreadable', 'm')).verdict, 'permanent')
  assert.equal(judge(new HostFault('disk_full', 'm')).verdict, 'fatal')
})

test('Retry-After is kept, in milliseconds', () => {
  assert.equal(judge(refused(429, 'rate_limited', 7)).retryAfterMs, 7_000)
  assert.equal(judgeReply({ status: 503, text: '', retryAfterMs: 1_500 })?.retryAfterMs, 1_500)
})

test('a mistake of ours is thrown on, not told as the outcome of a transfer', () => {
  assert.throws(() => faultOf(new TypeError('x is undefined')), TypeError)
  assert.equal(faultOf(new HostFault('disk_full', 'm')).code, 'disk_full')
})

test('only a store that is busy or silent is a reason for fewer lanes', () => {
  assert.equal(isCongestion(new Fault('transient', 'storage_unavailable', '')), true)
  assert.equal(isCongestion(new Fault('transient', 'stalled', '')), true)
  assert.equal(isCongestion(new Fault('transient', 'network', '')), false)
  assert.equal(isCongestion(new Fault('transient', 'address_refused', '')), false)
})
