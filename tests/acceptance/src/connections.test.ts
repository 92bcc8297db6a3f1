import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as wire from '@longshore/contract/cloud/connections'
import { refused, show, use } from '#calls'
import { connectionFields, elsewhere } from '#elsewhere'
import { test } from '#record'
import { target } from '#target'
import { makeSent } from '#walk'

const team = { team_id: target.team_id }
const owner = { as: { apiKey: target.api_key } }
type Fields = Parameters<typeof connectionFields>[0]

const make = (more: Fields = {}) => use(wire.createConnection, { params: team, body: connectionFields(more) }, owner)
const of = ({ id }: { readonly id: string }) => ({ cloud_connection_id: id })

test('a connection is made, read, listed, changed and deleted, and its keys are never shown', async () => {
  const made = await show(
    wire.createConnection,
    { params: team, body: connectionFields({ target_directory: '/in/' }) },
    owner,
  )
  assert.equal(made.target_directory, 'in')
  const read = await show(wire.readConnection, { params: of(made) }, owner)
  assert.deepEqual(read, made)
  const listed = await show(wire.listConnections, { params: team }, owner)
  assert.deepEqual(
    listed.filter(({ id }) => id === made.id),
    [made],
  )
  const changed = await show(wire.updateConnection, { params: of(made), body: { name: 'Attic' } }, owner)
  assert.deepEqual({ ...changed, updated_at: '' }, { ...made, name: 'Attic', updated_at: '' })
  const text = JSON.stringify([made, read, listed, changed])
  for (const secret of Object.values(target.elsewhere.keys)) assert.ok(!text.includes(secret))
  await show(wire.deleteConnection, { params: of(made) }, owner)
  for (const endpoint of [wire.readConnection, wire.deleteConnection, wire.testConnection, wire.listConnectionFiles]) {
    await refused(endpoint, { params: of(made) }, owner, 'connection_not_found')
  }
  await refused(wire.updateConnection, { params: of(made), body: {} }, owner, 'connection_not_found')
})

test('a connection is made once', async () => {
  const keyed = { ...owner, idempotencyKey: randomUUID() }
  const first = await show(wire.createConnection, { params: team, body: connectionFields() }, keyed)
  assert.deepEqual(await show(wire.createConnection, { params: team, body: connectionFields() }, keyed), first)
  const other = { params: team, body: connectionFields({ name: 'Other' }) }
  await refused(wire.createConnection, other, keyed, 'idempotency_conflict')
})

test('B128: addresses that lead into private networks are refused unless the operator allows them', async () => {
  // The target allows loopback, where the storage of this suite is.
  for (const host of ['10.0.0.1', '169.254.169.254', '[fd00:ec2::254]', '192.168.1.1', '100.64.0.1']) {
    const authorization = { ...elsewhere('open'), endpoint: `http://${host}:9000` }
    const input = { params: team, body: connectionFields({ authorization }) }
    const { details } = await refused(wire.createConnection, input, owner, 'validation_failed')
    assert.equal(details?.[0]?.field, 'authorization/endpoint', host)
    const { id } = await make()
    await refused(
      wire.updateConnection,
      { params: { cloud_connection_id: id }, body: { authorization } },
      owner,
      'validation_failed',
    )
  }
  const { pkg } = await makeSent()
  const authorization = { ...elsewhere('open'), endpoint: 'http://169.254.169.254' }
  const input = { params: { package_id: pkg.id }, body: { authorization } }
  await refused(wire.startTransfer, input, { as: { packageToken: pkg.access_token } }, 'validation_failed')
})

test('a connection is tried, and says what is wrong', async () => {
  const connection = await make()
  assert.deepEqual(await show(wire.testConnection, { params: of(connection) }, owner), { ok: true, message: '' })
  const wrong = { ...elsewhere('closed'), secret_access_key: 'not-the-right-one' }
  await use(wire.updateConnection, { params: of(connection), body: { authorization: wrong } }, owner)
  const { ok, message } = await show(wire.testConnection, { params: of(connection) }, owner)
  assert.deepEqual([ok, message], [false, 'The store refused (SignatureDoesNotMatch).'])
  await refused(wire.listConnectionFiles, { params: of(connection) }, owner, 'connection_refused')
  const away = { ...elsewhere('closed'), endpoint: 'http://127.0.0.1:1025' }
  await use(wire.updateConnection, { params: of(connection), body: { authorization: away } }, owner)
  await refused(wire.listConnectionFiles, { params: of(connection) }, owner, 'storage_unavailable')
})

test('a storage gateway is made with a secret, which is shown once; without its agent nothing is behind it', async () => {
  const fields = { name: 'NAS', provider: 'storage_gateway', direction: 'both' } as const
  const gateway = await show(wire.createConnection, { params: team, body: fields }, owner)
  assert.ok(gateway.secret !== undefined)
  assert.ok(!('secret' in (await use(wire.readConnection, { params: of(gateway) }, owner))))
  for (const endpoint of [wire.testConnection, wire.listConnectionFiles]) {
    await refused(endpoint, { params: of(gateway) }, owner, 'gateway_offline')
  }
})

test('a storage gateway is given another secret, and nothing else has one to renew', async () => {
  const fields = { name: 'NAS', provider: 'storage_gateway', direction: 'both' } as const
  const gateway = await use(wire.createConnection, { params: team, body: fields }, owner)
  const { secret } = await show(wire.rotateGatewaySecret, { params: of(gateway) }, owner)
  assert.match(secret, /^lsg_/)
  assert.notEqual(secret, gateway.secret)
  const store = await make()
  const { details } = await refused(wire.rotateGatewaySecret, { params: of(store) }, owner, 'validation_failed')
  assert.equal(details?.[0]?.field, 'cloud_connection_id')
  await use(wire.deleteConnection, { params: of(gateway) }, owner)
  await refused(wire.rotateGatewaySecret, { params: of(gateway) }, owner, 'connection_not_found')
})
