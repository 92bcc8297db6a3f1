import assert from 'node:assert/strict'
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CallInput } from '@longshore/client/client'
import { finalizePackage } from '@longshore/contract/cloud/packages'
import * as wire from '@longshore/contract/cloud/webhooks'
import { zeroTime } from '@longshore/contract/limits'
import { type AnyInput, refused, show, use } from '#calls'
import { makeMember, makeTeam } from '#members'
import { test } from '#record'
import { add, inPackage, makePackage, managing } from '#walk'

// A Team of its own: its webhooks would otherwise hear of the packages of every other test.
const team = { team_id: await makeTeam('Team with webhooks') }
const owner = { as: { userToken: (await makeMember('owner', team.team_id)).token } }
const send = () => makePackage({}, owner.as, team.team_id)
type Fields = CallInput<typeof wire.createWebhook>['body']

interface Heard {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** An endpoint of ours. Answers 200 wherever its path does not begin with another status. */
const heard: Heard[] = []
const server = createServer((request, reply) => {
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.on('end', () => {
    heard.push({
      method: request.method ?? '',
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(pieces).toString(),
    })
    reply.writeHead(Number(/^\/(\d{3})/.exec(request.url ?? '')?.[1] ?? 200)).end()
  })
}).listen(0, '127.0.0.1')
await once(server, 'listening')
after(() => {
  server.closeAllConnections()
  server.close()
})
const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const fields = (more: Partial<Fields> = {}): Fields => ({
  active: true,
  events: ['package.created'],
  method: 'POST',
  url: `${here}/hook`,
  ...more,
})
const make = (more: Partial<Fields> = {}) => use(wire.createWebhook, { params: team, body: fields(more) }, owner)
const of = (hook: { readonly id: string }) => ({ custom_webhook_id: hook.id })
const deliveries = async (hook: { readonly id: string }, query: { state?: 'pending' | 'delivered' | 'failed' } = {}) =>
  (await use(wire.listDeliveries, { params: of(hook), query }, owner)).records

async function heardFor(hook: { readonly id: string }, count = 1): Promise<Heard[]> {
  const deadline = Date.now() + 20_000
  while (true) {
    const ours = heard.filter(({ body }) => body.includes(hook.id))
    if (ours.length >= count || Date.now() > deadline) return ours
    await sleep(20)
  }
}

async function settled(hook: { readonly id: string }) {
  const deadline = Date.now() + 20_000
  while (true) {
    const all = await deliveries(hook)
    if (
      (all.length > 0 && all.every(({ state, attempts }) => state !== 'pending' || attempts > 0)) ||
      Date.now() > deadline
    )
      return all
    await sleep(50)
  }
}

/** By hand, from the words of the standard, so that no library vouches for itself. */
function isSigned({ headers, body }: Heard, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const ours = createHmac('sha256', key).update(signed).digest()
  return (headers['webhook-signature'] ?? '').split(' ').some((signature) => {
    const theirs = Buffer.from(signature.replace(/^v1,/, ''), 'base64')
    return theirs.length === ours.length && timingSafeEqual(theirs, ours)
  })
}

test('a webhook is created with what was sent, and shows its secret once', async () => {
  const body = fields({ name: 'Farm', headers: { 'X-Farm': '7' }, body_extras: { project: 'harbour' }, method: 'PUT' })
  const { secret, ...hook } = await show(wire.createWebhook, { params: team, body }, owner)
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const { id: _, team_id, created_at: __, updated_at: ___, ...rest } = hook
  assert.deepEqual([rest, team_id], [body, team.team_id])
  const listed = await show(wire.listWebhooks, { params: team }, owner)
  assert.deepEqual(
    listed.find(({ id }) => id === hook.id),
    { ...hook, connections: 0 },
  )
  assert.equal(JSON.stringify(listed).includes('whsec_'), false)
})

test('what is left out at create is empty', async () => {
  const hook = await make()
  assert.deepEqual([hook.name, hook.headers, hook.body_extras], ['', {}, {}])
})

test('a webhook is replaced: what is left out becomes empty, and its secret stays', async () => {
  const hook = await make({ name: 'Before', headers: { a: 'b' }, body_extras: { c: 'd' } })
  const body = fields({ events: ['package.finalized', 'package.deleted'], method: 'PUT' })
  const changed = await show(wire.updateWebhook, { params: of(hook), body }, owner)
  const { secret, ...before } = hook
  assert.deepEqual(
    { ...changed, updated_at: '' },
    { ...before, ...body, name: '', headers: {}, body_extras: {}, updated_at: '' },
  )
  await use(wire.testWebhook, { params: of(hook) }, owner)
  const [call] = await heardFor(hook)
  assert.ok(call && isSigned(call, secret))
})

test('a created package is sent to the webhook, signed, with its headers and extras', async () => {
  const hook = await make({ headers: { Authorization: 'Bearer for-the-farm' }, body_extras: { z: '1', a: '2' } })
  const pkg = await send()
  const [call] = await heardFor(hook)
  assert.ok(call !== undefined)
  assert.equal(call.method, 'POST')
  assert.equal(call.headers['authorization'], 'Bearer for-the-farm')
  assert.equal(call.headers['content-type'], 'application/json; charset=utf-8')
  assert.ok(isSigned(call, hook.secret))
  const event = JSON.parse(call.body) as Record<string, unknown>
  assert.equal(call.headers['webhook-id'], event['event_id'])
  const { id, name, sender, size, state, total_files, created_at, updated_at } = pkg
  assert.deepEqual(
    { ...event, event_id: '', event_time: '' },
    {
      event_id: '',
      event_time: '',
      event_type: 'package.created',
      body_extras: { z: '1', a: '2' },
      object: { type: 'package', id, name, sender, size, state, total_files, created_at, updated_at },
      custom_webhook_id: hook.id,
    },
  )
  const [delivery] = await settled(hook)
  assert.deepEqual(
    { ...delivery, id: '', created_at: '', last_attempt_at: '' },
    {
      id: '',
      custom_webhook_id: hook.id,
      event_id: event['event_id'],
      event_type: 'package.created',
      package_id: pkg.id,
      state: 'delivered',
      attempts: 1,
      response_status: 200,
      error: '',
      created_at: '',
      last_attempt_at: '',
      next_attempt_at: zeroTime,
    },
  )
  await use(wire.deleteWebhook, { params: of(hook) }, owner)
})

test('a finalized package is told of once, with its state and number of files', async () => {
  const hook = await make({ events: ['package.finalized'] })
  const pkg = await send()
  await add(pkg, { kind: 'directory' })
  await use(finalizePackage, { params: inPackage(pkg) }, managing(pkg))
  await use(finalizePackage, { params: inPackage(pkg) }, managing(pkg))
  await heardFor(hook)
  await sleep(300)
  const calls = await heardFor(hook)
  const events = calls.map(({ body }) => JSON.parse(body) as { object: { id: string; state: string } })
  assert.deepEqual(
    events.filter(({ object }) => object.id === pkg.id).map(({ object }) => object.state),
    ['finalized'],
  )
  await use(wire.deleteWebhook, { params: of(hook) }, owner)
})

test('a failed attempt is in the list with its status, its reason and the time of the next', async () => {
  const hook = await make({ url: `${here}/500` })
  await send()
  const [delivery] = await settled(hook)
  assert.deepEqual(
    [delivery?.state, delivery?.attempts, delivery?.response_status, delivery?.error],
    ['pending', 1, 500, 'The endpoint answered 500.'],
  )
  const pause = Date.parse(delivery?.next_attempt_at ?? '') - Date.parse(delivery?.last_attempt_at ?? '')
  assert.ok(pause > 26_000 && pause < 34_000, `${pause} ms`)
  await use(wire.deleteWebhook, { params: of(hook) }, owner)
})

test('410 switches the webhook off', async () => {
  const hook = await make({ url: `${here}/410` })
  await send()
  const [delivery] = await settled(hook)
  assert.deepEqual([delivery?.state, delivery?.response_status], ['failed', 410])
  const all = await use(wire.listWebhooks, { params: team }, owner)
  assert.equal(all.find(({ id }) => id === hook.id)?.active, false)
})

test('deliveries are listed newest first, by page and by state', async () => {
  const hook = await make({ active: false })
  const made = []
  for (let nth = 0; nth < 3; nth++) made.push(await show(wire.testWebhook, { params: of(hook) }, owner))
  const first = await show(wire.listDeliveries, { params: of(hook), query: { limit: 2 } }, owner)
  const rest = await show(wire.listDeliveries, { params: of(hook), query: { after: first.next } }, owner)
  assert.deepEqual(
    [...first.records, ...rest.records].map(({ id }) => id),
    made.map(({ id }) => id).toReversed(),
  )
  assert.equal(rest.next, '')
  await settled(hook)
  assert.equal((await deliveries(hook, { state: 'delivered' })).length, 3)
  assert.equal((await deliveries(hook, { state: 'failed' })).length, 0)
  for (const query of [{ limit: 0 }, { limit: 51 }, { state: 'gone' }, { after: 'x' }, { after: 'x'.repeat(129) }]) {
    await refused(wire.listDeliveries, { params: of(hook), query }, owner, 'validation_failed')
  }
})

test('a test call is sent once, also where the webhook is off', async () => {
  const hook = await make({ active: false, url: `${here}/503` })
  const shown = await show(wire.testWebhook, { params: of(hook) }, owner)
  assert.deepEqual([shown.event_type, shown.package_id, shown.state], ['webhook.test', '', 'pending'])
  const [delivery] = await settled(hook)
  assert.deepEqual([delivery?.state, delivery?.attempts, delivery?.response_status], ['failed', 1, 503])
  const [call] = await heardFor(hook)
  assert.ok(call && isSigned(call, hook.secret))
  assert.equal((JSON.parse(call.body) as { event_type: string }).event_type, 'webhook.test')
})

test('a replay sends the same event again, with the same id and bytes', async () => {
  const hook = await make()
  await send()
  const [delivery] = await settled(hook)
  assert.ok(delivery !== undefined)
  const params = { ...of(hook), delivery_id: delivery.id }
  const again = await show(wire.replayDelivery, { params }, owner)
  assert.notEqual(again.id, delivery.id)
  assert.equal(again.event_id, delivery.event_id)
  const [one, two] = (await heardFor(hook, 2)).filter(({ headers }) => headers['webhook-id'] === delivery.event_id)
  assert.equal(one?.body, two?.body)
  await refused(wire.replayDelivery, { params: { ...params, delivery_id: randomUUID() } }, owner, 'delivery_not_found')
  const other = await make({ active: false })
  await refused(wire.replayDelivery, { params: { ...params, ...of(other) } }, owner, 'delivery_not_found')
  await use(wire.deleteWebhook, { params: of(hook) }, owner)
})

test('case 129: after a rotation both secrets sign', async () => {
  const hook = await make({ active: false })
  const rotated = await show(wire.rotateWebhookSecret, { params: of(hook) }, owner)
  assert.notEqual(rotated.secret, hook.secret)
  const hours = (Date.parse(rotated.previous_secret_expiry) - Date.now()) / 3_600_000
  assert.ok(hours > 23.9 && hours < 24.1)
  await use(wire.testWebhook, { params: of(hook) }, owner)
  const [call] = await heardFor(hook)
  assert.ok(call !== undefined)
  assert.deepEqual([isSigned(call, hook.secret), isSigned(call, rotated.secret)], [true, true])
  assert.equal(isSigned({ ...call, body: `${call.body} ` }, rotated.secret), false)
})

test('a deleted webhook is gone for every call', async () => {
  const hook = await make()
  await show(wire.deleteWebhook, { params: of(hook) }, owner)
  const params = of(hook)
  await refused(wire.deleteWebhook, { params }, owner, 'webhook_not_found')
  await refused(wire.updateWebhook, { params, body: fields() }, owner, 'webhook_not_found')
  await refused(wire.rotateWebhookSecret, { params }, owner, 'webhook_not_found')
  await refused(wire.listDeliveries, { params }, owner, 'webhook_not_found')
  await refused(wire.testWebhook, { params }, owner, 'webhook_not_found')
  await refused(wire.replayDelivery, { params: { ...params, delivery_id: randomUUID() } }, owner, 'webhook_not_found')
  const before = heard.length
  await send()
  await sleep(500)
  assert.equal(
    heard.slice(before).some(({ body }) => body.includes(hook.id)),
    false,
  )
})

test('webhooks are for Owners, Admins and Integration Managers, and of one Team alone', async () => {
  const hook = await make({ active: false })
  for (const role of ['admin', 'integration_manager'] as const) {
    const as = { as: { userToken: (await makeMember(role, team.team_id)).token } }
    await show(wire.updateWebhook, { params: of(hook), body: fields({ active: false }) }, as)
  }
  const member = { as: { userToken: (await makeMember('member', team.team_id)).token } }
  await refused(wire.createWebhook, { params: team, body: fields() }, member, 'insufficient_role')
  await refused(wire.listWebhooks, { params: team }, member, 'insufficient_role')
  await refused(wire.deleteWebhook, { params: of(hook) }, member, 'insufficient_role')
  const elsewhere = { as: { userToken: (await makeMember('owner', await makeTeam('Another Team'))).token } }
  await refused(wire.createWebhook, { params: team, body: fields() }, elsewhere, 'team_not_found')
  await refused(wire.listWebhooks, { params: team }, elsewhere, 'team_not_found')
  await refused(wire.deleteWebhook, { params: of(hook) }, elsewhere, 'webhook_not_found')
})

async function refuses(bodies: readonly (readonly [AnyInput['body'], string])[]): Promise<void> {
  const hook = await make({ active: false })
  for (const [body, field] of bodies) {
    for (const call of [
      [wire.createWebhook, { params: team, body }],
      [wire.updateWebhook, { params: of(hook), body }],
    ] as const) {
      const { details } = await refused(call[0], call[1], owner, 'validation_failed')
      assert.ok(
        details?.some((detail) => detail.field.startsWith(field)),
        `${JSON.stringify(details)} without ${field}`,
      )
    }
  }
}

test('cases 102-113: private addresses and other schemes are refused at create and at update', async () => {
  // Loopback in IPv4 is allowed by the operator of this target, for the sake of the endpoint above.
  const urls = [
    'http://[::1]',
    'http://169.254.169.254/latest/meta-data',
    'http://[fd00:ec2::254]',
    'http://10.0.0.1',
    'http://0xa.1',
    'http://167772161',
    'http://012.0.0.1',
    'http://[::ffff:10.0.0.1]',
    'http://100.64.0.1',
    'http://192.168.1.1',
    'http://0.0.0.0:8384',
    'file:///etc/passwd',
    'gopher://example.com/',
    'ftp://example.com/',
    'data:text/plain,a',
    'javascript:alert(1)',
  ]
  await refuses(urls.map((url) => [{ ...fields(), url }, 'url'] as const))
})

test('cases 114, 121, 122: user names, hosts that cannot be and ports of other services are refused', async () => {
  const urls = [
    'http://public@10.0.0.1/',
    'http://10.0.0.1#@example.com',
    'http://user:password@example.com/',
    'http://exa%00mple.com/',
    'http://',
    'http://nobody.invalid/',
    ...[22, 25, 5432, 6379].map((port) => `http://127.0.0.1:${port}/`),
    `http://127.0.0.1/${'x'.repeat(2_048)}`,
  ]
  await refuses(urls.map((url) => [{ ...fields(), url }, 'url'] as const))
})

test('cases 124, 125: headers that are ours, too many, too long or that end a line are refused', async () => {
  const names = [
    'Host',
    'Content-Length',
    'content-type',
    'Transfer-Encoding',
    'Connection',
    'Webhook-Id',
    'TE',
    'Upgrade',
  ]
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, nth) => [`x-${nth}`, '1']))
  await refuses(
    [
      ...names.map((name) => ({ [name]: 'x' })),
      many,
      { a: 'x'.repeat(16_384) },
      { a: 'x'.repeat(4_096), b: 'x'.repeat(4_096) },
      { a: 'x\r\nHost: elsewhere' },
      { a: 'x\ny' },
      { a: 'ü→' },
      { 'a b': 'x' },
      { 'a:': 'x' },
      { '': 'x' },
      { a: 5 },
      { 'X-A': '1', 'x-a': '2' },
    ].map((headers) => [{ ...fields(), headers }, 'headers'] as const),
  )
  const taken = { Authorization: 'Basic abc', Cookie: 'a=b', 'X-Latin': 'ü' }
  assert.deepEqual((await make({ active: false, headers: taken })).headers, taken)
})

test('case 126: extras stay under their own key, are text, and have a bound', async () => {
  const extras = { event_id: 'mine', object: 'mine', custom_webhook_id: 'mine', constructor: 'x' }
  const hook = await make({ active: false, body_extras: extras })
  await use(wire.testWebhook, { params: of(hook) }, owner)
  const [call] = await heardFor(hook)
  const event = JSON.parse(call?.body ?? '{}') as { event_id: string; body_extras: unknown; custom_webhook_id: string }
  assert.deepEqual(event.body_extras, extras)
  assert.notEqual(event.event_id, 'mine')
  assert.equal(event.custom_webhook_id, hook.id)
  await refuses(
    [
      { a: 5 },
      { a: null },
      { a: { b: 'c' } },
      { a: 'x'.repeat(4_097) },
      { ['x'.repeat(101)]: 'a' },
      Object.fromEntries(Array.from({ length: 51 }, (_, nth) => [`k${nth}`, ''])),
      Object.fromEntries(Array.from({ length: 5 }, (_, nth) => [`k${nth}`, 'x'.repeat(4_096)])),
    ].map((body_extras) => [{ ...fields(), body_extras }, 'body_extras'] as const),
  )
  const huge = { ...fields(), body_extras: { a: 'x'.repeat(1024 * 1024) } }
  await refused(wire.createWebhook, { params: team, body: huge }, owner, 'body_too_large')
})

test('case 127: events and method are those of the contract', async () => {
  const { active: _, ...inactive } = fields()
  const { events: __, ...eventless } = fields()
  const { method: ___, ...methodless } = fields()
  const { url: ____, ...placeless } = fields()
  await refuses([
    [{ ...fields(), events: [] }, 'events'],
    [{ ...fields(), events: ['package.created', 'package.created'] }, 'events'],
    [{ ...fields(), events: ['package.burnt'] }, 'events'],
    [{ ...fields(), events: 'package.created' }, 'events'],
    [{ ...fields(), method: 'DELETE' }, 'method'],
    [{ ...fields(), method: 'post' }, 'method'],
    [{ ...fields(), active: 'yes' }, 'active'],
    [{ ...fields(), name: 'x'.repeat(201) }, 'name'],
    [inactive, 'active'],
    [eventless, 'events'],
    [methodless, 'method'],
    [placeless, 'url'],
  ])
})

test('what the server decides is not taken from the caller', async () => {
  const body = { ...fields({ active: false }), id: randomUUID(), secret: 'whsec_chosen', connections: 9 }
  const hook = await use(wire.createWebhook, { params: team, body }, owner)
  assert.notEqual(hook.id, body.id)
  assert.notEqual(hook.secret, body.secret)
})

test('a create that is repeated with its key makes one webhook', async () => {
  const how = { ...owner, idempotencyKey: randomUUID() }
  const input = { params: team, body: fields({ active: false, name: how.idempotencyKey }) }
  const [one, two] = [await use(wire.createWebhook, input, how), await use(wire.createWebhook, input, how)]
  assert.deepEqual(one, two)
  const all = await use(wire.listWebhooks, { params: team }, owner)
  assert.equal(all.filter(({ name }) => name === how.idempotencyKey).length, 1)
  const other = { ...input, body: { ...input.body, name: 'other' } }
  await refused(wire.createWebhook, other, how, 'idempotency_conflict')
})
