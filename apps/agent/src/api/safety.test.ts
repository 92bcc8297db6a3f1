import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { admit, type Safety } from './safety.ts'

const local: Safety = { token: undefined, loopbackOnly: true }

function request(headers: Record<string, string>, rawHeaders = Object.entries(headers).flat()): IncomingMessage {
  return { headers, rawHeaders } as unknown as IncomingMessage
}

const refusal = (headers: Record<string, string>, safety = local) => {
  try {
    admit(request(headers), safety)
    return undefined
  } catch (error) {
    return (error as { code: string }).code
  }
}

for (const host of ['127.0.0.1:8017', 'localhost:8017', 'LOCALHOST', '[::1]:8017', 'localhost']) {
  test(`a program that calls ${host} is let through`, () => assert.equal(refusal({ host }), undefined))
}

for (const host of [
  'evil.example',
  'evil.example:8017',
  '127.0.0.1.evil.example',
  'localhost.evil.example:8017',
  'localhost.',
  '0.0.0.0:8017',
  '127.0.0.1:8017:80',
  '127.0.0.1@evil.example',
  '[::1].evil.example',
  '2130706433',
  '',
]) {
  test(`case 198: a request under the name '${host}' is refused`, () => {
    assert.equal(refusal({ host }), 'foreign_caller')
  })
}

test('case 198: a request without a Host, or with two, is refused', () => {
  assert.equal(refusal({}), 'foreign_caller')
  const two = ['Host', 'localhost:8017', 'host', 'evil.example']
  assert.throws(() => admit(request({ host: 'localhost:8017' }, two), local), { code: 'foreign_caller' })
})

const host = 'localhost:8017'

for (const origin of [
  'null',
  'http://localhost:3000',
  'https://localhost:8017',
  'http://evil.example',
  'chrome-extension://abc',
]) {
  test(`case 202: a page of ${origin} is refused`, () => assert.equal(refusal({ host, origin }), 'foreign_caller'))
}

test('a page that the agent served itself may call it', () => {
  assert.equal(refusal({ host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }), undefined)
})

for (const site of ['cross-site', 'same-site', 'anything']) {
  test(`case 201: what a page of another site loads is refused (${site})`, () => {
    assert.equal(refusal({ host, 'sec-fetch-site': site }), 'foreign_caller')
  })
}

test('an address typed by a person is let through', () => {
  assert.equal(refusal({ host, 'sec-fetch-site': 'none' }), undefined)
})

const guarded: Safety = { token: 'the token', loopbackOnly: false }

test('an agent with a token asks everybody for it', () => {
  const under = (authorization: string) => refusal({ host: 'agent.example', authorization }, guarded)
  assert.equal(refusal({ host: 'agent.example' }, guarded), 'agent_token_wrong')
  assert.equal(under('Bearer the'), 'agent_token_wrong')
  assert.equal(under('Basic the token'), 'agent_token_wrong')
  assert.equal(
    refusal({ host: 'agent.example', authorization: 'Bearer token' }, { ...guarded, token: 'token' }),
    undefined,
  )
})

test('a page is refused whatever it knows', () => {
  const knowing = { host: 'agent.example', authorization: 'Bearer token', origin: 'http://evil.example' }
  assert.equal(refusal(knowing, { ...guarded, token: 'token' }), 'foreign_caller')
})
