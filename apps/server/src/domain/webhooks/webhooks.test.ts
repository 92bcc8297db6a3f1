import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '@longshore/kit/ids'
import { guardedHooks } from '#outbound/hooks'
import { sql } from '#platform/db'
import { testCx } from '#test-kit/cx'
import { makeMember, makeTeam } from '#test-kit/make'
import { makeWebhook, webhookFields } from '#test-kit/webhooks'
import { checkHeaders, checkUrl } from './rules.ts'
import { createWebhook, deleteWebhook, listWebhooks, rotateSecret, updateWebhook } from './webhooks.ts'

const refused = (field: string) => (error: { code?: string; details?: readonly { field: string }[] }) =>
  error.code === 'validation_failed' && error.details?.[0]?.field === field

test('a webhook is created, replaced, listed and deleted; its secret is shown once', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const { secret, ...hook } = await makeWebhook(cx, team, {
    name: 'CI',
    headers: { Authorization: 'Bearer hunter2' },
    body_extras: { z: 'last', a: 'first' },
  })
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.deepEqual(await listWebhooks(cx, team.owner.caller, team.id), [{ ...hook, connections: 0 }])

  const updated = await updateWebhook(cx, team.owner.caller, hook.id, webhookFields({ active: false, method: 'PUT' }))
  assert.deepEqual(
    { ...updated, updated_at: '' },
    { ...hook, active: false, method: 'PUT', name: '', headers: {}, body_extras: {}, updated_at: '' },
  )

  await deleteWebhook(cx, team.owner.caller, hook.id)
  assert.deepEqual(await listWebhooks(cx, team.owner.caller, team.id), [])
  const gone = { code: 'webhook_not_found' }
  await assert.rejects(deleteWebhook(cx, team.owner.caller, hook.id), gone)
  await assert.rejects(updateWebhook(cx, team.owner.caller, hook.id, webhookFields()), gone)
  await assert.rejects(rotateSecret(cx, team.owner.caller, hook.id), gone)
})

test('header values and secrets are not readable in the database', async (t) => {
  const cx = await testCx(t)
  const { secret } = await makeWebhook(cx, await makeTeam(cx), { headers: { Authorization: 'Bearer hunter2' } })
  const row = await cx.db.row<{ all: string }>(sql`select w::text as all from webhooks w`)
  const bytes = Buffer.from((row?.all ?? '').replaceAll('\\x', ''), 'latin1').toString()
  for (const plain of [
    'hunter2',
    secret,
    Buffer.from('hunter2').toString('hex'),
    Buffer.from(secret).toString('hex'),
  ]) {
    assert.ok(!bytes.includes(plain))
  }
})

test('members may not manage webhooks, and those of another Team do not exist', async (t) => {
  const cx = await testCx(t)
  const [team, other] = [await makeTeam(cx), await makeTeam(cx)]
  const hook = await makeWebhook(cx, team)
  const member = await makeMember(cx, team.id, 'member')
  const manager = await makeMember(cx, team.id, 'integration_manager')
  assert.equal((await listWebhooks(cx, manager.caller, team.id)).length, 1)
  await assert.rejects(listWebhooks(cx, member.caller, team.id), { code: 'insufficient_role' })
  await assert.rejects(deleteWebhook(cx, member.caller, hook.id), { code: 'insufficient_role' })
  await assert.rejects(deleteWebhook(cx, other.owner.caller, hook.id), { code: 'webhook_not_found' })
  await assert.rejects(rotateSecret(cx, other.owner.caller, hook.id), { code: 'webhook_not_found' })
  await assert.rejects(createWebhook(cx, other.owner.caller, team.id, webhookFields()), { code: 'team_not_found' })
})

test('connections counts the Portals it is attached to, not those that were deleted', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const hook = await makeWebhook(cx, team)
  await cx.db.transaction(async (tx) => {
    for (const [index, id] of [newId(), newId(), newId()].entries()) {
      const deleted = index === 2 ? new Date() : null
      await tx.run(sql`
        insert into portals (team_id, id, name, subdomain, deleted_at)
        values (${team.id}, ${id}, 'Portal', ${`portal-${id}`}, ${deleted})
      `)
      await tx.run(sql`
        insert into portal_webhooks (team_id, portal_id, webhook_id) values (${team.id}, ${id}, ${hook.id})
      `)
    }
  })
  assert.equal((await listWebhooks(cx, team.owner.caller, team.id))[0]?.connections, 2)
  await deleteWebhook(cx, team.owner.caller, hook.id)
})

test('cases 101-112: private addresses are refused at create and at update', async (t) => {
  const lenient = await testCx(t)
  const hooks = guardedHooks({ allowedRanges: [] })
  t.after(() => hooks.close())
  const cx = { ...lenient, hooks }
  const team = await makeTeam(cx)
  const hook = await makeWebhook(lenient, team)
  const urls = [
    'http://127.0.0.1',
    'http://0x7f.1',
    'http://2130706433',
    'http://0177.0.0.1',
    'http://[::ffff:127.0.0.1]',
    'http://localhost.:8384',
    'http://[::1]',
    'http://169.254.169.254/latest/meta-data',
    'http://[fd00:ec2::254]',
    'http://10.0.0.1',
    'http://0xa.1',
    'http://167772161',
    'http://[::ffff:10.0.0.1]',
    'http://100.64.0.1',
    'http://0.0.0.0:8384',
  ]
  for (const url of urls) {
    await assert.rejects(makeWebhook(cx, team, { url }), refused('url'), url)
    await assert.rejects(updateWebhook(cx, team.owner.caller, hook.id, webhookFields({ url })), refused('url'), url)
  }
  assert.equal((await listWebhooks(cx, team.owner.caller, team.id)).length, 1)
})

test('case 113: only http and https are taken', () => {
  for (const url of [
    'file:///etc/passwd',
    'gopher://a/',
    'ftp://a/',
    'data:text/plain,a',
    'javascript:alert(1)',
    '//a',
  ]) {
    assert.throws(() => checkUrl(url), refused('url'), url)
  }
})

test('case 114: what stands before an @ does not hide the host', () => {
  assert.throws(() => checkUrl('http://example.com@127.0.0.1/'), refused('url'))
  assert.throws(() => checkUrl('http://user:password@example.com/'), refused('url'))
  assert.equal(checkUrl('http://127.0.0.1#@example.com').hostname, '127.0.0.1')
  assert.equal(checkUrl('http://127.0.0.1\\@example.com/').hostname, '127.0.0.1')
})

test('case 121: a host is brought into one form, and that form is kept', () => {
  const hosts = {
    'http://EXAMPLE.com./a': 'http://example.com/a',
    'http://ⓔxample.com/': 'http://example.com/',
    'http://%31%32%37.0.0.1/': 'http://127.0.0.1/',
    'http://127。0。0。1/': 'http://127.0.0.1/',
    'https://exämple.com:443/?q=1#part': 'https://xn--exmple-cua.com/?q=1',
  }
  for (const [given, kept] of Object.entries(hosts)) assert.equal(checkUrl(given).href, kept)
  assert.throws(() => checkUrl('http://exa%00mple.com/'), refused('url'))
})

test('case 122: ports of other services are refused', () => {
  for (const port of [0, 21, 22, 23, 25, 110, 445, 1023, 2375, 3306, 5432, 6379, 9200, 11_211, 27_017]) {
    assert.throws(() => checkUrl(`http://example.com:${port}/`), refused('url'), String(port))
  }
  for (const port of [80, 443, 1024, 3000, 8080, 8443, 65_535]) checkUrl(`https://example.com:${port}/`)
})

test('case 124: headers of the connection and of the message are ours, in any case', () => {
  const ours = [
    'Host',
    'CONTENT-LENGTH',
    'content-type',
    'Transfer-Encoding',
    'connection',
    'Keep-Alive',
    'TE',
    'Trailer',
  ]
  for (const name of [...ours, 'Upgrade', 'Expect', 'Proxy-Authorization', 'webhook-id', 'Webhook-Anything']) {
    assert.throws(() => checkHeaders({ [name]: 'x' }), refused(`headers/${name}`), name)
  }
  checkHeaders({ Authorization: 'Bearer x', Cookie: 'a=b', 'User-Agent': 'me', 'X-Content': 'fine' })
  assert.throws(() => checkHeaders({ 'X-A': '1', 'x-a': '2' }), refused('headers/x-a'))
  assert.throws(() => checkHeaders({ a: 'x'.repeat(4_096), b: 'x'.repeat(4_096) }), refused('headers'))
})

test('case 126: extras are bounded', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const many = Object.fromEntries(Array.from({ length: 5 }, (_, nth) => [`k${nth}`, 'x'.repeat(4_096)]))
  await assert.rejects(makeWebhook(cx, team, { body_extras: many }), refused('body_extras'))
})
