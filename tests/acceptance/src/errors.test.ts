import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { signIn } from '@longshore/contract/cloud/account'
import { addFiles } from '@longshore/contract/cloud/files'
import { createTeamPackage, updatePackage } from '@longshore/contract/cloud/packages'
import type { Endpoint } from '@longshore/contract/endpoint'
import { type AnyInput, ask, errorOf, expectRefusal, type How, refused, replyOf, use } from '#calls'
import { servedEndpoints } from '#endpoints'
import { type Header, ownAddress, send, sendBytes } from '#http'
import { test } from '#record'
import { makeScene, requestFor } from '#scene'
import { target } from '#target'
import { inPackage, makePackage, managing, newFile } from '#walk'

const scene = await makeScene()
const served = await servedEndpoints()
const withBody = [...served].filter(([, endpoint]) => endpoint.body !== undefined)
const json: Header = ['content-type', 'application/json']

/** The right credential for an endpoint, so that what is wrong is the request. */
function howFor(name: string, endpoint: Endpoint): How {
  if (endpoint.credential === 'package-token') {
    return { as: { packageToken: name === 'fileUrl' ? scene.sent.readToken : scene.open.pkg.access_token } }
  }
  if (endpoint.credential === 'transfer-token') return { as: { transferToken: scene.transfer.access_token } }
  if (endpoint.credential === 'none' || endpoint.credential === 'link') return { from: ownAddress() }
  return { as: { userToken: scene.owner.token } }
}

const team = { team_id: target.team_id }
const owner = { as: { apiKey: target.api_key } }
const fields = { name: 'n', description: '', recipients: [] }
const create = (how: How, body: unknown = fields) =>
  ask(createTeamPackage, { params: team, body }, { ...owner, ...how })

test('every call that takes a body refuses what is no JSON', async () => {
  for (const [name, endpoint] of withBody) {
    const { input } = requestFor(name, scene)
    for (const text of ['{', '{"a":}', "{'a':1}", '{"a":1}}', 'nonsense', '{"a":1,}', '\u0000']) {
      await refused(endpoint, input, { ...howFor(name, endpoint), headers: [json], text }, 'malformed_request')
    }
  }
})

test('every call that takes a body refuses another media type', async () => {
  for (const [name, endpoint] of withBody) {
    const { input } = requestFor(name, scene)
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
    ]) {
      const how = { ...howFor(name, endpoint), headers: [['content-type', type]] as const }
      await refused(endpoint, input, how, 'unsupported_media_type')
    }
  }
})

test('every call that takes a body refuses one that is too large, before it has come', async () => {
  for (const [name, endpoint] of withBody) {
    const { input } = requestFor(name, scene)
    const stalled = new Readable({ read: () => {} })
    stalled.push('{"x":"')
    const text = { stream: stalled, length: (endpoint.bodyLimit ?? 65_536) + 1 }
    await refused(endpoint, input, { ...howFor(name, endpoint), headers: [json], text }, 'body_too_large')
  }
})

test('a body that does not say how large it is ends at the same limit', async () => {
  // One byte too many and then nothing: whoever goes on sending may find the door shut before the answer is read.
  const stalled = new Readable({ read: () => {} })
  stalled.push(' '.repeat(65_537))
  const headers: Header[] = [json, ['transfer-encoding', 'chunked']]
  const body = { stream: stalled, length: undefined }
  const answer = await send({ method: 'POST', url: `${target.cloud_url}/v1/auth`, headers, body, from: ownAddress() })
  assert.equal(errorOf(answer).error, 'body_too_large')
})

test('every call refuses parts of another shape than it declares', async () => {
  for (const [name, endpoint] of served) {
    const { input } = requestFor(name, scene)
    const wrong: AnyInput[] = []
    if (endpoint.params !== undefined) {
      const first = Object.keys(input.params ?? {})[0] ?? ''
      const values =
        name === 'confirmEmail' || name === 'lookUpPortal' || name === 'acceptInvitation'
          ? ['x'.repeat(65)]
          : ['x', "1' or '1'='1", '0'.repeat(36), 'null', '%00']
      for (const value of values) wrong.push({ ...input, params: { ...input.params, [first]: value } })
    }
    if (endpoint.body !== undefined) for (const body of [[], 'x', 10, null, true]) wrong.push({ ...input, body })
    for (const one of wrong) {
      const { details } = await refused(endpoint, one, { ...howFor(name, endpoint) }, 'validation_failed')
      assert.ok(details?.every(({ field, reason }) => field !== '' && reason !== ''))
    }
  }
})

test('a body is JSON by its media type alone, with any parameter of it, and never unchecked', async () => {
  const outcome = async (type: string | undefined, body: unknown) => {
    const text = JSON.stringify(body)
    const headers: Header[] = [
      ['x-api-key', target.api_key],
      ...(type === undefined ? [] : [['content-type', type] as const]),
    ]
    const answer = await send({
      method: 'POST',
      url: `${target.cloud_url}/v1/teams/${target.team_id}/packages`,
      headers,
      body: text,
    })
    return answer.status === 201 ? 'made' : errorOf(answer).error
  }
  const invalid = { ...fields, name: 5 }
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json;charset=UTF-8',
  ]) {
    assert.deepEqual([await outcome(type, fields), await outcome(type, invalid)], ['made', 'validation_failed'], type)
  }
  // However a type is bent: either it is no JSON, or what it carries is checked.
  for (const type of [
    ' application/json',
    '\tapplication/json',
    'application/json ',
    'application/json\t; charset=utf-8',
    'application/json garbage',
    'application/json; charset=utf-7',
    'application/json;',
    'application/json, text/plain',
    'application/jsonp',
    'application/json5',
    'text/json',
    'application/vnd.api+json',
    'json',
    '',
  ]) {
    assert.match(await outcome(type, invalid), /^(validation_failed|unsupported_media_type)$/, JSON.stringify(type))
  }
  assert.equal(await outcome(undefined, fields), 'unsupported_media_type')
})

test('bodies in another encoding, or empty, are refused', async () => {
  const text = JSON.stringify(fields)
  const utf16 = Buffer.from(text, 'utf16le')
  assert.equal(errorOf(await create({ text: utf16, headers: [json] })).error, 'malformed_request')
  assert.equal(errorOf(await create({ text: '', headers: [json] })).error, 'validation_failed')
  assert.equal(errorOf(await create({ text: '   ', headers: [json] })).error, 'malformed_request')
  const bom = await create({ text: `\ufeff${text}`, headers: [json] })
  assert.ok(bom.status === 201 || errorOf(bom).error === 'malformed_request')
  const compressed: Header[] = [json, ['content-encoding', 'gzip']]
  const gzip = await create({ text: Buffer.from('H4sIAAAAAAAAA6uuBQBDv6ajAgAAAA==', 'base64'), headers: compressed })
  assert.ok([400, 415].includes(gzip.status), gzip.text)
})

test('NUL and half characters are refused in every string, not stumbled over', async () => {
  const bodies = [
    '{"name":"a\\u0000b","description":"","recipients":[]}',
    '{"name":"n","description":"\\u0000","recipients":[]}',
    '{"name":"\\ud800","description":"","recipients":[]}',
    '{"name":"\\udc00\\ud800","description":"","recipients":[]}',
    '{"name":"n","description":"\\ud83d","recipients":[]}',
    '{"name":"n","description":"","recipients":[],"tag":{"name":"\\u0000"}}',
    '{"name":"n","description":"","recipients":[],"tag":{"id":"\\u0000"}}',
    '{"name":"n","description":"","recipients":[],"password":"\\u0000"}',
    '{"na\\u0000me":"n","name":"n","description":"","recipients":[]}',
  ]
  for (const text of bodies) {
    const answer = await create({ text, headers: [json] })
    expectRefusal(createTeamPackage, answer, 'malformed_request')
  }
  const email = '{"email":"a\\u0000@example.test","password":"not the password"}'
  await refused(signIn, {}, { text: email, headers: [json], from: ownAddress() }, 'malformed_request')
  const half = Buffer.from('7b226e616d65223a22ed a0 80ff22'.replaceAll(' ', ''), 'hex')
  assert.equal((await create({ text: half, headers: [json] })).status, 400)
})

test('whole characters by their escapes, and backslashes that are none, are kept', async () => {
  const whole = '{"name":"\\ud83c\\udfac","description":"C:\\\\udemo \\\\u0000","recipients":[]}'
  const made = replyOf(createTeamPackage, await create({ text: whole, headers: [json] }))
  assert.deepEqual([made.name, made.description], ['🎬', 'C:\\udemo \\u0000'])
})

test('bytes that are no UTF-8 are never stored as something else', async () => {
  const bytes = Buffer.concat([
    Buffer.from('{"name":"a'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('b","description":"","recipients":[]}'),
  ])
  const answer = await create({ text: bytes, headers: [json] })
  assert.equal(answer.status, 400, `stored as ${answer.status === 201 ? replyOf(createTeamPackage, answer).name : ''}`)
})

test('nesting without end is refused or ignored, and the server goes on', async () => {
  const pkg = await makePackage()
  const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  const files = JSON.stringify([newFile({ size: 1 })])
  for (const text of [
    deep(1_000_000),
    objects(500_000),
    `{"files":${files},"x":${deep(1_000_000)}}`,
    `{"files":${files},"x":${objects(400_000)}}`,
    `{"files":${files},"x":${deep(1_000_000)},"y":"\\u0041"}`,
    `{"files":${deep(1_000_000)}}`,
  ]) {
    const how = { ...managing(pkg), headers: [json, ['idempotency-key', String(Math.random())]] as const, text }
    const answer = await ask(addFiles, { params: inPackage(pkg) }, how)
    assert.ok([201, 400, 409, 413, 422].includes(answer.status), `${answer.status} ${answer.text.slice(0, 200)}`)
  }
  await use(createTeamPackage, { params: team, body: fields }, owner)
})

test('a body of a hundred thousand keys is no burden', async () => {
  const pkg = await makePackage()
  const keys = Array.from({ length: 100_000 }, (_, i) => `"k${i}":${i}`).join(',')
  const text = `{"files":${JSON.stringify([newFile({ size: 1 })])},${keys}}`
  const started = performance.now()
  const answer = await ask(addFiles, { params: inPackage(pkg) }, { ...managing(pkg), headers: [json], text })
  assert.equal(answer.status, 201)
  assert.ok(performance.now() - started < 5_000)
})

test('names of the language are names like others', async () => {
  const pkg = await makePackage()
  for (const text of [
    '{"name":"n","__proto__":{"access_limit":7,"polluted":true}}',
    '{"name":"n","constructor":{"prototype":{"access_limit":7,"polluted":true}}}',
    '{"name":"n","tag":{"__proto__":{"name":"from the prototype"}}}',
    '{"__proto__":{"name":"n"},"name":"n"}',
  ]) {
    const answer = await ask(updatePackage, { params: inPackage(pkg) }, { ...managing(pkg), headers: [json], text })
    if (answer.status === 400) continue
    const read = replyOf(updatePackage, answer)
    assert.deepEqual([read.access_limit, read.tag, 'polluted' in read], [0, undefined, false], text)
  }
  const missing = '{"__proto__":{"name":"n","description":"","recipients":[]}}'
  const answer = await create({ text: missing, headers: [json] })
  assert.ok(answer.status === 400 || answer.status === 422)
})

test('a token in the address is not looked at', async () => {
  const url = `${target.cloud_url}/v1/users/me`
  for (const query of [
    `X-User-Token=${target.user_token}`,
    `x-api-key=${target.api_key}`,
    `token=${target.user_token}`,
  ]) {
    assert.equal(errorOf(await send({ method: 'GET', url: `${url}?${query}` })).error, 'credential_missing')
  }
  for (const header of [
    ['authorization', `Bearer ${target.user_token}`],
    ['cookie', `X-User-Token=${target.user_token}`],
  ] as const) {
    assert.equal(errorOf(await send({ method: 'GET', url, headers: [header] })).error, 'credential_missing')
  }
})

test('a method in disguise is not looked at', async () => {
  const pkg = await makePackage()
  const headers: Header[] = [
    ['x-http-method-override', 'DELETE'],
    ['x-package-token', pkg.access_token],
  ]
  const answer = await send({ method: 'GET', url: `${target.cloud_url}/v1/packages/${pkg.id}?_method=DELETE`, headers })
  assert.equal((JSON.parse(answer.text) as { state: string }).state, 'new')
})

test('a path that cannot be decoded is refused', async () => {
  for (const path of ['/v1/packages/%zz', '/v1/%', '/v1/packages/%c0%af', '/v1/packages/%ff/files']) {
    const answer = await sendBytes(target.cloud_url, `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    assert.match(answer, /^HTTP\/1\.1 (400|401|404|422) /, path)
    assert.doesNotMatch(answer, /internal_error/)
  }
})

test('requests that two servers could read in two ways are refused', async () => {
  const head = `POST /v1/auth HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`
  const requests = [
    `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${head}content-length: 5\r\ncontent-length: 6\r\n\r\nhello!`,
    `${head}transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    `${head}x-a: b\r\n folded\r\ncontent-length: 0\r\n\r\n`,
    'GET /healthz HTTP/1.1\nhost: x\n\n',
    'GET /healthz HTTP/1.1\r\nhost: x\r\nx-a: b\u0000c\r\n\r\n',
    'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n',
  ]
  for (const request of requests) {
    const answer = await sendBytes(target.cloud_url, request)
    assert.match(answer, /^HTTP\/1\.1 400 /, JSON.stringify(request))
  }
})
