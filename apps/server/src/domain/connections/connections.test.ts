import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '@longshore/kit/ids'
import { foreignStores } from '#blob/foreign-store'
import { guardedAgent } from '#outbound/guarded-agent'
import { guardedHooks } from '#outbound/hooks'
import { sql } from '#platform/db'
import { customerBucket } from '#test-kit/customer-bucket'
import { type TestCx, testCx } from '#test-kit/cx'
import { startEndpoint } from '#test-kit/endpoint'
import { makeMember, makeTeam } from '#test-kit/make'
import { browseConnection } from './browse.ts'
import {
  type ConnectionFields,
  createConnection,
  deleteConnection,
  listConnections,
  readConnection,
  rotateGatewaySecret,
  updateConnection,
} from './connections.ts'
import { tryConnection } from './try-connection.ts'

const keys = { bucket: 'vault', access_key_id: 'AKIDEXAMPLE', secret_access_key: 'very-secret-indeed' }

const fields = (more: Partial<ConnectionFields> = {}): ConnectionFields => ({
  name: 'Vault',
  provider: 's3',
  direction: 'both',
  authorization: { ...keys, endpoint: 'http://127.0.0.1:9000' },
  ...more,
})

test('a connection is made, changed and deleted, and never shows its keys', async (t) => {
  const cx = await testCx(t)
  const { id: teamId, owner } = await makeTeam(cx)
  const made = await createConnection(cx, owner.caller, teamId, fields({ target_directory: '/in//' }))
  assert.deepEqual(
    { ...made, created_at: '', updated_at: '' },
    {
      id: made.id,
      team_id: teamId,
      name: 'Vault',
      provider: 's3',
      direction: 'both',
      target_directory: 'in',
      created_at: '',
      updated_at: '',
    },
  )
  const changed = await updateConnection(cx, owner.caller, made.id, { name: 'Attic', target_directory: 'a/b' })
  assert.deepEqual([changed.name, changed.direction, changed.target_directory], ['Attic', 'both', 'a/b'])
  assert.deepEqual(await listConnections(cx, owner.caller, teamId), [changed])
  assert.deepEqual(await readConnection(cx, owner.caller, made.id), changed)
  const rows = JSON.stringify(await cx.db.rows(sql`select * from cloud_connections`))
  for (const secret of [keys.secret_access_key, keys.access_key_id]) {
    assert.ok(!rows.includes(secret) && !JSON.stringify([made, changed]).includes(secret))
  }
  await deleteConnection(cx, owner.caller, made.id)
  for (const call of [readConnection, deleteConnection, tryConnection]) {
    await assert.rejects(call(cx, owner.caller, made.id), { code: 'connection_not_found' })
  }
})

test('a storage gateway has a secret that is shown once, and no keys', async (t) => {
  const cx = await testCx(t)
  const { id: teamId, owner } = await makeTeam(cx)
  const gateway = { name: 'NAS', provider: 'storage_gateway', direction: 'export' } as const
  const { id, secret } = await createConnection(cx, owner.caller, teamId, gateway)
  assert.match(secret ?? '', /^lsg_[\w-]{43}$/)
  assert.ok(!('secret' in (await readConnection(cx, owner.caller, id))))
  const given = { ...keys, endpoint: 'http://127.0.0.1:9000' }
  await assert.rejects(createConnection(cx, owner.caller, teamId, { ...gateway, authorization: given }), {
    code: 'validation_failed',
  })
  await assert.rejects(updateConnection(cx, owner.caller, id, { authorization: given }), { code: 'validation_failed' })
  const { authorization: _authorization, ...without } = fields()
  await assert.rejects(createConnection(cx, owner.caller, teamId, without), { code: 'validation_failed' })
  await assert.rejects(tryConnection(cx, owner.caller, id), { code: 'gateway_offline' })
  await assert.rejects(browseConnection(cx, owner.caller, id, {}), { code: 'gateway_offline' })
})

test('a new secret is shown once and kept as a hash alone; a store has none to renew', async (t) => {
  const cx = await testCx(t)
  const { id: teamId, owner } = await makeTeam(cx)
  const gateway = { name: 'NAS', provider: 'storage_gateway', direction: 'both' } as const
  const made = await createConnection(cx, owner.caller, teamId, gateway)
  const { secret } = await rotateGatewaySecret(cx, owner.caller, made.id)
  assert.match(secret, /^lsg_[\w-]{43}$/)
  assert.notEqual(secret, made.secret)
  assert.ok(!JSON.stringify(await cx.db.rows(sql`select * from cloud_connections`)).includes(secret))
  const store = await createConnection(cx, owner.caller, teamId, fields())
  await assert.rejects(rotateGatewaySecret(cx, owner.caller, store.id), { code: 'validation_failed' })
  const member = await makeMember(cx, teamId, 'member')
  await assert.rejects(rotateGatewaySecret(cx, member.caller, made.id), { code: 'insufficient_role' })
  await deleteConnection(cx, owner.caller, made.id)
  await assert.rejects(rotateGatewaySecret(cx, owner.caller, made.id), { code: 'connection_not_found' })
})

test('members do not manage connections, and another Team has none', async (t) => {
  const cx = await testCx(t)
  const { id: teamId, owner } = await makeTeam(cx)
  const { id } = await createConnection(cx, owner.caller, teamId, fields())
  const [manager, member] = [
    await makeMember(cx, teamId, 'integration_manager'),
    await makeMember(cx, teamId, 'member'),
  ]
  assert.equal((await readConnection(cx, manager.caller, id)).id, id)
  await assert.rejects(readConnection(cx, member.caller, id), { code: 'insufficient_role' })
  const stranger = (await makeTeam(cx)).owner
  await assert.rejects(updateConnection(cx, stranger.caller, id, { name: 'mine' }), { code: 'connection_not_found' })
  await assert.rejects(listConnections(cx, stranger.caller, teamId), { code: 'team_not_found' })
  await assert.rejects(readConnection(cx, stranger.caller, newId()), { code: 'connection_not_found' })
})

const wrong: Readonly<Record<string, Partial<ConnectionFields>>> = {
  'a folder that climbs': { target_directory: 'a/../../b' },
  'a folder with an empty name': { target_directory: 'a//b' },
  'a bucket with a slash': { authorization: { ...keys, bucket: 'vault/../other' } },
  'a bucket that ends the host name': { authorization: { ...keys, bucket: 'evil.example/' } },
  'a region that is a host name': { authorization: { ...keys, region: 'evil.example/#' } },
  'a path in the address': { authorization: { ...keys, endpoint: 'http://127.0.0.1:9000/other' } },
  'a user name in the address': { authorization: { ...keys, endpoint: 'http://public@127.0.0.1:9000' } },
  'a port of another service': { authorization: { ...keys, endpoint: 'http://127.0.0.1:6379' } },
  'a line break in a key': {
    authorization: { ...keys, access_key_id: 'a\r\nHost: evil', endpoint: 'http://127.0.0.1:9000' },
  },
}

for (const [what, more] of Object.entries(wrong)) {
  test(`refused: ${what}`, async (t) => {
    const cx = await testCx(t)
    const { id: teamId, owner } = await makeTeam(cx)
    await assert.rejects(createConnection(cx, owner.caller, teamId, fields(more)), { code: 'validation_failed' })
  })
}

// As an operator runs it who has not allowed a private range.
function guarded(
  t: Parameters<typeof testCx>[0],
  cx: TestCx,
  resolve?: () => Promise<{ address: string; family: number }[]>,
) {
  const options = { allowedRanges: [], ...(resolve === undefined ? {} : { resolve }) }
  const [hooks, agent] = [guardedHooks(options), guardedAgent(options)]
  t.after(() => Promise.all([hooks.close(), agent.destroy()]))
  return { ...cx, hooks, foreignStore: foreignStores(agent) }
}

test('B128: a store at a private, loopback or metadata address is refused when it is named', async (t) => {
  const cx = guarded(t, await testCx(t))
  const { id: teamId, owner } = await makeTeam(cx)
  for (const host of [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0x7f.1',
    '2130706433',
    '169.254.169.254',
    '[fd00:ec2::254]',
    '10.0.0.1',
    '100.64.0.1',
    '0.0.0.0',
  ]) {
    const authorization = { ...keys, endpoint: `http://${host}:9000` }
    await assert.rejects(createConnection(cx, owner.caller, teamId, fields({ authorization })), (error: Error) => {
      assert.match(error.message, /authorization\/endpoint: must lead to a public address/, host)
      return true
    })
  }
})

test('B128: a name that was public when it was given and is private when it is used leads nowhere', async (t) => {
  const plain = await testCx(t)
  const endpoint = await startEndpoint(t)
  let address = '192.0.3.1'
  const cx = guarded(t, plain, async () => [{ address, family: 4 }])
  const { id: teamId, owner } = await makeTeam(cx)
  const authorization = { ...keys, endpoint: `http://rebind.example:${endpoint.port}` }
  const { id } = await createConnection(cx, owner.caller, teamId, fields({ authorization }))
  address = '127.0.0.1'
  assert.deepEqual(await tryConnection(cx, owner.caller, id), {
    ok: false,
    message: 'The address of the store is not public.',
  })
  await assert.rejects(browseConnection(cx, owner.caller, id, {}), { code: 'connection_refused' })
  assert.equal(endpoint.connections(), 0)
})

test('B118, B123: a store that sends us elsewhere is not followed, and one that never stops is cut off', async (t) => {
  const cx = await testCx(t)
  const elsewhere = await startEndpoint(t)
  const sending = await startEndpoint(t, (reply) => reply.writeHead(307, { location: elsewhere.url }).end())
  let written = 0
  const pouring = await startEndpoint(t, (reply) => {
    const piece = Buffer.alloc(256 * 1024, 'x')
    const pour = () => {
      while (!reply.destroyed && reply.write(piece)) written += piece.length
    }
    reply.on('drain', pour).on('error', () => {})
    reply.writeHead(200, { 'content-type': 'application/xml' })
    pour()
  })
  const { id: teamId, owner } = await makeTeam(cx)
  const connected = async (endpoint: string) =>
    (await createConnection(cx, owner.caller, teamId, fields({ authorization: { ...keys, endpoint } }))).id
  const redirecting = await connected(`http://127.0.0.1:${sending.port}`)
  assert.equal((await tryConnection(cx, owner.caller, redirecting)).ok, false)
  assert.equal(elsewhere.calls.length, 0)
  const endless = await connected(`http://127.0.0.1:${pouring.port}`)
  await assert.rejects(browseConnection(cx, owner.caller, endless, {}), { code: 'storage_unavailable' })
  assert.ok(written < 200 * 1024 * 1024, `${written} bytes were taken`)
})

test('a store is tried as it will be used, and says plainly what is wrong', async (t) => {
  const cx = await testCx(t)
  const bucket = await customerBucket(t, { open: false })
  const { id: teamId, owner } = await makeTeam(cx)
  const { id } = await createConnection(cx, owner.caller, teamId, fields({ authorization: bucket.authorization }))
  assert.deepEqual(await tryConnection(cx, owner.caller, id), { ok: true, message: '' })
  assert.deepEqual([await bucket.keys(), await bucket.openUploads()], [[], 0])
  const cases = {
    'The store refused (NoSuchBucket).': { bucket: 'there-is-no-such-bucket' },
    'The store refused (InvalidAccessKeyId).': { access_key_id: 'NOBODY' },
    'The store refused (SignatureDoesNotMatch).': { secret_access_key: 'wrong' },
    'The store did not answer.': { endpoint: 'http://127.0.0.1:1025' },
  }
  for (const [message, wrongly] of Object.entries(cases)) {
    await updateConnection(cx, owner.caller, id, { authorization: { ...bucket.authorization, ...wrongly } })
    assert.deepEqual(await tryConnection(cx, owner.caller, id), { ok: false, message })
  }
  await assert.rejects(browseConnection(cx, owner.caller, id, {}), { code: 'storage_unavailable' })
})

test('a store is looked into folder by folder and page by page, whatever its names', async (t) => {
  const cx = await testCx(t)
  const bucket = await customerBucket(t, { open: false })
  const names = ['a.txt', 'b/', 'b/1.txt', 'b/deep/2.txt', 'c & d <e>.txt', 'f+g/x', 'ü/y']
  for (const name of names) await bucket.put(name, 'x'.repeat(name.length))
  const { id: teamId, owner } = await makeTeam(cx)
  const { id } = await createConnection(cx, owner.caller, teamId, fields({ authorization: bucket.authorization }))
  const root = await browseConnection(cx, owner.caller, id, {})
  assert.deepEqual(
    root.files.map(({ kind, path, size }) => `${kind} ${path} ${size ?? ''}`),
    ['file a.txt 5', 'directory b ', 'file c & d <e>.txt 13', 'directory f+g ', 'directory ü '],
  )
  assert.equal(root.next, '')
  const inside = await browseConnection(cx, owner.caller, id, { prefix: '/b/' })
  assert.deepEqual(
    inside.files.map(({ kind, name, path }) => [kind, name, path]),
    [
      ['file', '1.txt', 'b/1.txt'],
      ['directory', 'deep', 'b/deep'],
    ],
  )
  const paged: string[] = []
  let after = ''
  do {
    const page = await browseConnection(cx, owner.caller, id, { after, count: 2 })
    paged.push(...page.files.map(({ path }) => path))
    after = page.next
  } while (after !== '')
  assert.deepEqual(
    paged,
    root.files.map(({ path }) => path),
  )
})
