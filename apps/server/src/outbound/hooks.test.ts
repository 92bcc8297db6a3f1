import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { LookupAddress } from 'node:dns'
import { type TestContext, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { Agent, request } from 'undici'
import { startEndpoint } from '#test-kit/endpoint'
import { guardedConnect } from './guarded-connect.ts'
import { guardedHooks, type HookCall, type Hooks, type HooksOptions } from './hooks.ts'

const secret = `whsec_${randomBytes(32).toString('base64')}`

const call = (url: string, more: Partial<HookCall> = {}): HookCall => ({
  method: 'POST',
  url,
  headers: {},
  eventId: '019a0000-0000-7000-8000-000000000001',
  body: '{"event_id":"019a0000-0000-7000-8000-000000000001"}',
  secrets: [secret],
  ...more,
})

const to = (...addresses: string[]): LookupAddress[] =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

// A public address. Whether anybody answers there is of no matter.
const elsewhere = '192.0.3.1'

function hooksFor(t: TestContext, options: Partial<HooksOptions> = {}): Hooks {
  const hooks = guardedHooks({ allowedRanges: [], connectMs: 30, totalMs: 1_000, ...options })
  t.after(() => hooks.close())
  return hooks
}

const notPublic = { kind: 'unanswered', reason: 'Not sent: its address is not public.', hung: false }

const forbidden = {
  101: 'http://127.0.0.1',
  102: 'http://localhost.',
  103: 'http://[::1]',
  104: 'http://[::ffff:127.0.0.1]',
  105: 'http://0x7f.1',
  106: 'http://2130706433',
  107: 'http://0177.0.0.1',
  108: 'http://169.254.169.254/latest/meta-data',
  109: 'http://[fd00:ec2::254]',
  110: 'http://10.0.0.1',
  111: 'http://100.64.0.1',
  112: 'http://0.0.0.0:8384',
}

for (const [number, url] of Object.entries(forbidden)) {
  test(`case ${number}: ${url} is refused when asked and when sent to`, async (t) => {
    const hooks = hooksFor(t)
    assert.equal(await hooks.whyRefused(new URL(url)), 'must lead to a public address')
    assert.deepEqual(await hooks.send(call(url)), notPublic)
  })
}

test('cases 101-107: spellings of this machine reach no listener', async (t) => {
  const endpoint = await startEndpoint(t)
  const hooks = hooksFor(t)
  for (const host of [
    '127.0.0.1',
    'localhost',
    'localhost.',
    '[::ffff:127.0.0.1]',
    '0x7f.1',
    '2130706433',
    '0',
    '127.1',
  ]) {
    assert.deepEqual(await hooks.send(call(`http://${host}:${endpoint.port}/`)), notPublic, host)
  }
  assert.equal(endpoint.connections(), 0)
})

test('case 115: a name that is public when asked and private when sent to is refused', async (t) => {
  const endpoint = await startEndpoint(t)
  const answers = [to(elsewhere), to('127.0.0.1')]
  const hooks = hooksFor(t, { resolve: async () => answers.shift() ?? to('127.0.0.1') })
  assert.equal(await hooks.whyRefused(new URL(`http://rebind.example:${endpoint.port}`)), undefined)
  assert.deepEqual(await hooks.send(call(`http://rebind.example:${endpoint.port}`)), notPublic)
  assert.equal(endpoint.connections(), 0)
})

test('case 116: one private address among public ones is enough to refuse', async (t) => {
  const endpoint = await startEndpoint(t)
  for (const answer of [to(elsewhere, '127.0.0.1'), to('127.0.0.1', elsewhere), to('2606:4700::1', '::1')]) {
    const hooks = hooksFor(t, { resolve: async () => answer })
    const url = `http://mixed.example:${endpoint.port}`
    assert.equal(await hooks.whyRefused(new URL(url)), 'must lead to a public address')
    assert.deepEqual(await hooks.send(call(url)), notPublic)
  }
  assert.equal(endpoint.connections(), 0)
})

test('case 117: of 1,000 sends to a name that changes at every look, none reaches a private address', async (t) => {
  const endpoint = await startEndpoint(t)
  const answers = [to('127.0.0.1'), to(elsewhere), to('::ffff:127.0.0.1'), to(elsewhere, '127.0.0.1'), []]
  let looks = 0
  const hooks = hooksFor(t, { resolve: async () => answers[looks++ % answers.length] ?? [] })
  let refused = 0
  for (let round = 0; round < 10; round++) {
    const sent = await Promise.all(
      Array.from({ length: 100 }, (_, nth) => hooks.send(call(`http://r${round}-${nth}.example:${endpoint.port}/`))),
    )
    refused += sent.filter((answer) => answer.kind === 'unanswered' && answer.reason === notPublic.reason).length
  }
  assert.equal(refused, 800)
  assert.ok(looks >= 1_000)
  assert.equal(endpoint.connections(), 0)
})

test('case 118: a redirect to the metadata address is the answer, and is not followed', async (t) => {
  const endpoint = await startEndpoint(t, (reply) =>
    reply.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  )
  const hooks = hooksFor(t, { allowedRanges: ['127.0.0.0/8'] })
  assert.deepEqual(await hooks.send(call(endpoint.url)), { kind: 'answered', status: 302, retryAfter: undefined })
  assert.equal(endpoint.calls.length, 1)
})

test('cases 119, 120: names that lead to this machine or to our own engines are refused', async (t) => {
  const names: Record<string, LookupAddress[]> = {
    'alias.example': to('127.0.0.1'),
    '10.0.0.5.nip.io': to('10.0.0.5'),
    postgres: to('172.18.0.3'),
    'storage.internal': to('fd12::7'),
  }
  const hooks = hooksFor(t, { resolve: async (name) => names[name] ?? [] })
  for (const name of Object.keys(names)) {
    assert.equal(await hooks.whyRefused(new URL(`http://${name}/`)), 'must lead to a public address', name)
    assert.deepEqual(await hooks.send(call(`http://${name}/`)), notPublic, name)
  }
})

test('a name that cannot be resolved is refused, not waved through', async (t) => {
  const hooks = hooksFor(t, {
    resolve: async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
    },
  })
  assert.equal(await hooks.whyRefused(new URL('http://nobody.example/')), 'must name a host that can be found')
  assert.deepEqual(await hooks.send(call('http://nobody.example/')), {
    kind: 'unanswered',
    reason: 'No answer: the connection failed (ENOTFOUND).',
    hung: false,
  })
})

test('a socket that ended at another address than was looked up is closed before anything is said', async (t) => {
  const endpoint = await startEndpoint(t)
  let asked = 0
  const agent = new Agent({
    connect: guardedConnect(
      async () => to('127.0.0.1'),
      () => asked++ === 0,
      { connectMs: 1_000 },
    ),
  })
  t.after(() => agent.destroy())
  await assert.rejects(
    request(`http://shifty.example:${endpoint.port}/`, { dispatcher: agent, method: 'POST', body: 'secret' }),
    { name: 'ForbiddenAddress' },
  )
  assert.equal(endpoint.calls.length, 0)
})

test('case 123: a reply without end is cut, and its status counts', async (t) => {
  let written = 0
  const endpoint = await startEndpoint(t, (reply) => {
    const piece = Buffer.alloc(64 * 1024)
    const pour = () => {
      while (!reply.destroyed && reply.write(piece)) written += piece.length
    }
    reply.on('drain', pour)
    reply.on('error', () => {})
    pour()
  })
  const hooks = hooksFor(t, { allowedRanges: ['127.0.0.0/8'] })
  assert.deepEqual(await hooks.send(call(endpoint.url)), { kind: 'answered', status: 200, retryAfter: undefined })
  await new Promise((resolve) => setTimeout(resolve, 300))
  const after = written
  await new Promise((resolve) => setTimeout(resolve, 200))
  assert.equal(written, after, 'the reply still flows')
  assert.ok(written < 20 * 1024 * 1024, `${written} bytes were taken`)
})

test('case 123: an endpoint that takes the call and keeps still is left after the time allowed', async (t) => {
  const endpoint = await startEndpoint(t, () => {})
  const hooks = hooksFor(t, { allowedRanges: ['127.0.0.0/8'], totalMs: 200 })
  const startedAt = performance.now()
  assert.deepEqual(await hooks.send(call(endpoint.url)), {
    kind: 'unanswered',
    reason: 'No answer within 0.2 seconds.',
    hung: true,
  })
  assert.ok(performance.now() - startedAt < 1_000)
})

test('case 129: what is sent can be verified with each of its secrets, and not if altered or old', async (t) => {
  const other = `whsec_${randomBytes(32).toString('base64')}`
  const stranger = `whsec_${randomBytes(32).toString('base64')}`
  const endpoint = await startEndpoint(t)
  const hooks = hooksFor(t, { allowedRanges: ['127.0.0.0/8'] })
  await hooks.send(call(endpoint.url, { secrets: [secret, other], headers: { Authorization: 'Bearer x' } }))
  const heard = endpoint.calls[0]
  assert.ok(heard)
  assert.equal(heard.headers['webhook-id'], call('').eventId)
  assert.equal(heard.headers['authorization'], 'Bearer x')
  assert.equal(heard.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(heard.headers['webhook-signature']?.split(' ').length, 2)
  const verify = (key: string, body: string, headers: Record<string, string>) => new Webhook(key).verify(body, headers)
  for (const key of [secret, other]) {
    assert.deepEqual(verify(key, heard.body, heard.headers), JSON.parse(heard.body))
  }
  assert.throws(() => verify(stranger, heard.body, heard.headers), { name: 'WebhookVerificationError' })
  assert.throws(() => verify(secret, `${heard.body} `, heard.headers), { name: 'WebhookVerificationError' })
  const old = String(Math.floor(Date.now() / 1000) - 301)
  assert.throws(() => verify(secret, heard.body, { ...heard.headers, 'webhook-timestamp': old }), {
    name: 'WebhookVerificationError',
  })
})
