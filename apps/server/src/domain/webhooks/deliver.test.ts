import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zeroTime } from '@longshore/contract/limits'
import { newId } from '@longshore/kit/ids'
import { Webhook } from 'standardwebhooks'
import { fileUrl } from '#domain/downloads/file-url'
import { recordEvent } from '#domain/events/record-event'
import { createLink } from '#domain/links/manage-links'
import { deletePackage } from '#domain/packages/delete-package'
import { expireDuePackages } from '#domain/packages/expire-packages'
import { finalizePackage } from '#domain/packages/finalize-package'
import { sql } from '#platform/db'
import { packageById } from '#store/packages'
import { testCx } from '#test-kit/cx'
import { startEndpoint } from '#test-kit/endpoint'
import { eventsOf } from '#test-kit/look'
import { callerFor, letExpire, makePackage, makeTeam } from '#test-kit/make'
import { deliverDue, deliveries, letFallDue, makeWebhook, webhookFields } from '#test-kit/webhooks'
import { takeDeliveries } from './deliver.ts'
import { listDeliveries, replayDelivery, testWebhook } from './deliveries.ts'
import { Lanes } from './lanes.ts'
import { deleteWebhook, rotateSecret, updateWebhook } from './webhooks.ts'

test('what happens to a package is sent to the webhooks of its Team, signed, with their method, headers and extras', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const endpoint = await startEndpoint(t)
  const hook = await makeWebhook(cx, team, {
    url: endpoint.url,
    method: 'PUT',
    headers: { 'X-Team': 'harbour' },
    body_extras: { event_id: 'mine', object: 'mine', 'ü "quoted"': '\n' },
  })
  const pkg = await makePackage(cx, { team, name: 'Rushes "1"', files: [{}], finalized: true })
  assert.equal(await deliverDue(cx), 2)

  const bodies = endpoint.calls.map((call) => new Webhook(hook.secret).verify(call.body, call.headers) as never)
  const finalized = bodies.find((body) => body['event_type'] === 'package.finalized')
  assert.ok(finalized)
  const row = await packageById(cx.db, pkg.teamId, pkg.id)
  const [, event] = await cx.db.rows<{ id: string; event_time: Date }>(
    sql`select id, event_time from events where package_id = ${pkg.id} order by id`,
  )
  assert.deepEqual(finalized, {
    event_id: event?.id,
    event_time: event?.event_time.toISOString(),
    event_type: 'package.finalized',
    body_extras: { event_id: 'mine', object: 'mine', 'ü "quoted"': '\n' },
    object: {
      type: 'package',
      id: pkg.id,
      name: 'Rushes "1"',
      sender: team.owner.email,
      size: row?.size,
      state: 'finalized',
      total_files: 1,
      created_at: row?.created_at.toISOString(),
      updated_at: row?.updated_at.toISOString(),
    },
    custom_webhook_id: hook.id,
  })
  for (const call of endpoint.calls) {
    assert.equal(call.method, 'PUT')
    assert.equal(call.headers['x-team'], 'harbour')
    assert.equal(call.headers['webhook-id'], (JSON.parse(call.body) as { event_id: string }).event_id)
  }
  assert.deepEqual(
    (await deliveries(cx)).map(({ state, attempts, response_status, error }) => [
      state,
      attempts,
      response_status,
      error,
    ]),
    [
      ['delivered', 1, 200, ''],
      ['delivered', 1, 200, ''],
    ],
  )
  assert.equal(await deliverDue(cx), 0)
})

test('only active webhooks that want the event get it, and none of another Team', async (t) => {
  const cx = await testCx(t)
  const [team, other] = [await makeTeam(cx), await makeTeam(cx)]
  const wanting = await makeWebhook(cx, team, { events: ['package.created'] })
  await makeWebhook(cx, team, { events: ['package.finalized'] })
  await makeWebhook(cx, team, { events: ['package.created'], active: false })
  await makeWebhook(cx, other, { events: ['package.created'] })
  await makePackage(cx, { team })
  assert.deepEqual(
    (await deliveries(cx)).map(({ webhook_id, event_type }) => [webhook_id, event_type]),
    [[wanting.id, 'package.created']],
  )
})

test('packages of a Portal go to the webhooks attached to it, and to no other', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const [attached, loose] = [await makeWebhook(cx, team), await makeWebhook(cx, team)]
  const pkg = await makePackage(cx, { team: await makeTeam(cx) })
  const row = await packageById(cx.db, pkg.teamId, pkg.id)
  assert.ok(row)
  const portalId = newId()
  await cx.db.transaction(async (tx) => {
    await tx.run(
      sql`insert into portals (team_id, id, name, subdomain) values (${team.id}, ${portalId}, 'P', 'portal')`,
    )
    await tx.run(sql`
      insert into portal_webhooks (team_id, portal_id, webhook_id) values (${team.id}, ${portalId}, ${attached.id})
    `)
    await recordEvent(tx, 'package.created', { ...row, team_id: team.id, id: newId(), portal_id: portalId })
  })
  const [delivery, ...more] = await deliveries(cx)
  assert.deepEqual([delivery?.webhook_id, more], [attached.id, []])
  assert.notEqual(delivery?.webhook_id, loose.id)
  assert.equal((JSON.parse(delivery?.body ?? '') as { object: { portal_id: string } }).object.portal_id, portalId)
})

test('an event whose change does not commit is sent to nobody', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  await makeWebhook(cx, team)
  const pkg = await makePackage(cx, { team })
  const row = await packageById(cx.db, pkg.teamId, pkg.id)
  const before = (await deliveries(cx)).length
  let woken = 0
  t.after(cx.wake.subscribe('deliveries', () => woken++))
  await assert.rejects(
    cx.db.transaction(async (tx) => {
      if (row !== undefined) await recordEvent(tx, 'package.finalized', row)
      throw new Error('something else went wrong')
    }),
  )
  assert.equal((await deliveries(cx)).length, before)
  assert.equal(woken, 0)
})

test('created, finalized, downloaded, link made, expired and deleted are told of, each in its number', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  await makeWebhook(cx, team, {
    events: [
      'package.created',
      'package.finalized',
      'package.expired',
      'package.deleted',
      'package.downloaded',
      'link.created',
    ],
  })
  const pkg = await makePackage(cx, { team, files: [{}], finalized: true })
  const links = [await createLink(cx, pkg.manager, pkg.id, {}), await createLink(cx, pkg.manager, pkg.id, {})]
  for (const link of [...links, ...links]) {
    const reader = await callerFor(cx, pkg, 'read', { linkId: link.id })
    await fileUrl(cx, reader, pkg.id, pkg.files[0]?.id ?? '', {})
    await fileUrl(cx, reader, pkg.id, pkg.files[0]?.id ?? '', {})
  }
  await letExpire(cx, pkg)
  await expireDuePackages(cx, new AbortController().signal)
  await expireDuePackages(cx, new AbortController().signal)
  await deletePackage(cx, pkg.manager, pkg.id)
  const deleted = await makePackage(cx, { team })
  await deletePackage(cx, deleted.manager, deleted.id)
  await deletePackage(cx, deleted.manager, deleted.id)

  const types = async (id: string) => (await eventsOf(cx, id)).map((event) => event.type)
  assert.deepEqual(await types(pkg.id), [
    'package.created',
    'package.finalized',
    'link.created',
    'link.created',
    ...Array.from({ length: 4 }, () => 'package.downloaded'),
    'package.expired',
  ])
  assert.deepEqual(await types(deleted.id), ['package.created', 'package.deleted'])
  const sent = await deliveries(cx)
  assert.equal(sent.length, 11)
  const stateIn = (type: string) =>
    (JSON.parse(sent.find((one) => one.event_type === type)?.body ?? '{}') as { object: { state: string } }).object
      .state
  assert.deepEqual(
    [stateIn('package.created'), stateIn('link.created'), stateIn('package.expired'), stateIn('package.deleted')],
    ['new', 'finalized', 'expired', 'expired'],
  )
})

test('a failing endpoint is tried five times with the same id and bytes, and then the delivery has failed', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const endpoint = await startEndpoint(t, (reply) => reply.writeHead(500).end())
  const hook = await makeWebhook(cx, team, { url: endpoint.url, events: ['package.created'], body_extras: { a: '1' } })
  await makePackage(cx, { team })
  const pauses = []
  for (let attempt = 1; attempt <= 5; attempt++) {
    // What is changed at the webhook meanwhile does not change what is sent.
    const change = webhookFields({
      url: endpoint.url,
      events: ['package.deleted'],
      body_extras: { a: String(attempt) },
    })
    await updateWebhook(cx, team.owner.caller, hook.id, change)
    assert.equal(await deliverDue(cx), 1)
    pauses.push((await deliveries(cx))[0]?.in_seconds)
    assert.equal(await deliverDue(cx), 0, 'not before its time')
    await letFallDue(cx)
  }
  assert.equal(await deliverDue(cx), 0)
  assert.equal(new Set(endpoint.calls.map((call) => call.body)).size, 1)
  assert.equal(new Set(endpoint.calls.map((call) => call.headers['webhook-id'])).size, 1)
  assert.equal(endpoint.calls.length, 5)
  for (const [index, wanted] of [30, 120, 600, 3600].entries()) {
    const pause = pauses[index] ?? 0
    assert.ok(pause > wanted * 0.88 && pause < wanted * 1.1, `${pause} s instead of about ${wanted} s`)
  }
  assert.equal(pauses[4], null)
  const [failed] = (await listDeliveries(cx, team.owner.caller, hook.id, { state: 'failed' })).records
  assert.deepEqual(
    [failed?.attempts, failed?.response_status, failed?.error, failed?.next_attempt_at],
    [5, 500, 'The endpoint answered 500.', zeroTime],
  )
})

test('410 switches the webhook off, and nothing that waits is sent to it any more', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const endpoint = await startEndpoint(t, (reply) => reply.writeHead(410).end())
  await makeWebhook(cx, team, { url: endpoint.url, events: ['package.created'] })
  await makePackage(cx, { team })
  await deliverDue(cx)
  const hooks = await cx.db.rows<{ active: boolean }>(sql`select active from webhooks`)
  assert.deepEqual(hooks, [{ active: false }])
  await makePackage(cx, { team })
  await letFallDue(cx)
  await deliverDue(cx)
  assert.equal(endpoint.calls.length, 1)
  assert.equal((await deliveries(cx)).length, 1)
})

test('what waits for a webhook that was switched off or deleted is dropped, not sent', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const endpoint = await startEndpoint(t)
  const [off, gone] = [
    await makeWebhook(cx, team, { url: endpoint.url }),
    await makeWebhook(cx, team, { url: endpoint.url }),
  ]
  await makePackage(cx, { team })
  await updateWebhook(cx, team.owner.caller, off.id, webhookFields({ url: endpoint.url, active: false }))
  await deleteWebhook(cx, team.owner.caller, gone.id)
  await deliverDue(cx)
  assert.equal(endpoint.calls.length, 0)
  assert.deepEqual(
    (await deliveries(cx)).map(({ state, attempts, error }) => `${state} ${attempts} ${error}`).toSorted(),
    ['failed 0 The webhook is not active.', 'failed 0 The webhook was deleted.'],
  )
})

test('a test call is one attempt, also where the webhook is off', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const endpoint = await startEndpoint(t, (reply) => reply.writeHead(404).end())
  const hook = await makeWebhook(cx, team, { url: endpoint.url, active: false, body_extras: { a: 'b' } })
  const shown = await testWebhook(cx, team.owner.caller, hook.id)
  assert.deepEqual(
    [shown.event_type, shown.package_id, shown.state, shown.attempts],
    ['webhook.test', '', 'pending', 0],
  )
  await deliverDue(cx)
  await letFallDue(cx)
  await deliverDue(cx)
  assert.equal(endpoint.calls.length, 1)
  const { records } = await listDeliveries(cx, team.owner.caller, hook.id, {})
  assert.deepEqual([records[0]?.id, records[0]?.state, records[0]?.response_status], [shown.id, 'failed', 404])
})

test('a replay sends the same event again, as a delivery of its own', async (t) => {
  const cx = await testCx(t)
  const [team, other] = [await makeTeam(cx), await makeTeam(cx)]
  const endpoint = await startEndpoint(t)
  const hook = await makeWebhook(cx, team, { url: endpoint.url, events: ['package.created'] })
  const second = await makeWebhook(cx, team, { url: endpoint.url, events: ['package.deleted'] })
  await makePackage(cx, { team })
  await deliverDue(cx)
  const [first] = await deliveries(cx)
  assert.ok(first)
  const again = await replayDelivery(cx, team.owner.caller, hook.id, first.id)
  assert.notEqual(again.id, first.id)
  assert.deepEqual([again.event_id, again.attempts, again.state], [first.event_id, 0, 'pending'])
  await deliverDue(cx)
  assert.equal(endpoint.calls[0]?.body, endpoint.calls[1]?.body)
  const unknown = { code: 'delivery_not_found' }
  await assert.rejects(replayDelivery(cx, team.owner.caller, hook.id, newId()), unknown)
  await assert.rejects(replayDelivery(cx, team.owner.caller, second.id, first.id), unknown)
  await assert.rejects(replayDelivery(cx, other.owner.caller, hook.id, first.id), { code: 'webhook_not_found' })
})

test('deliveries are listed newest first, page by page, each once', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const hook = await makeWebhook(cx, team, { events: ['package.created'] })
  for (let nth = 0; nth < 5; nth++) await makePackage(cx, { team })
  const seen: string[] = []
  let after: string | undefined
  for (let page = 0; page < 4; page++) {
    const list = await listDeliveries(cx, team.owner.caller, hook.id, { limit: 2, ...(after ? { after } : {}) })
    seen.push(...list.records.map((record) => record.id))
    if (list.next === '') break
    after = list.next
  }
  assert.deepEqual(seen, (await deliveries(cx)).map((one) => one.id).toReversed())
  assert.equal((await listDeliveries(cx, team.owner.caller, hook.id, { state: 'pending' })).records.length, 5)
  assert.equal((await listDeliveries(cx, team.owner.caller, hook.id, { state: 'delivered' })).records.length, 0)
  await assert.rejects(listDeliveries(cx, team.owner.caller, hook.id, { after: 'x' }), { code: 'validation_failed' })
})

test('case 129: after a rotation both secrets verify, until the day is over', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const endpoint = await startEndpoint(t)
  const hook = await makeWebhook(cx, team, { url: endpoint.url })
  const { secret, previous_secret_expiry } = await rotateSecret(cx, team.owner.caller, hook.id)
  const hours = (Date.parse(previous_secret_expiry) - Date.now()) / 3_600_000
  assert.ok(hours > 23.9 && hours <= 24)
  const send = async () => {
    await testWebhook(cx, team.owner.caller, hook.id)
    await deliverDue(cx)
    const call = endpoint.calls.at(-1)
    assert.ok(call)
    return [hook.secret, secret].map((key) => {
      try {
        return new Webhook(key).verify(call.body, call.headers) !== undefined
      } catch {
        return false
      }
    })
  }
  assert.deepEqual(await send(), [true, true])
  await cx.db.transaction((tx) => tx.run(sql`update webhooks set previous_secret_until = now() - interval '1 second'`))
  assert.deepEqual(await send(), [false, true])
})

test('of many deliveries to one webhook a worker takes its share, and all others come along', async (t) => {
  const cx = await testCx(t)
  const [busy, quiet] = [await makeTeam(cx), await makeTeam(cx)]
  await makeWebhook(cx, busy, { events: ['package.created'] })
  await makeWebhook(cx, quiet, { events: ['package.created'] })
  for (let nth = 0; nth < 6; nth++) await makePackage(cx, { team: busy })
  await makePackage(cx, { team: quiet })
  const lanes = new Lanes({ slots: 100, each: 2, answering: 4, hung: 1 })
  const take = async () => {
    const taken = await takeDeliveries(cx, lanes, 'recent')
    for (const one of taken) lanes.begin(one.webhook_id)
    return taken.map((one) => (one.team_id === busy.id ? 'busy' : 'quiet')).toSorted()
  }
  assert.deepEqual(await take(), ['busy', 'busy', 'quiet'])
  assert.deepEqual(await take(), [])
  const [other] = [new Lanes({ slots: 1, each: 2, answering: 4, hung: 1 })]
  assert.equal((await takeDeliveries(cx, other, 'recent')).length, 1, 'what is left is free for another worker')
})

test('what is taken is left alone for 40 seconds and then taken up by another', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  await makeWebhook(cx, team, { events: ['package.created'] })
  await makePackage(cx, { team })
  assert.equal((await takeDeliveries(cx, new Lanes(), 'recent')).length, 1)
  assert.equal((await takeDeliveries(cx, new Lanes(), 'recent')).length, 0)
  const lease = (await deliveries(cx))[0]?.in_seconds ?? 0
  assert.ok(lease > 38 && lease <= 40)
  await letFallDue(cx)
  const [again] = await takeDeliveries(cx, new Lanes(), 'recent')
  assert.equal(again?.attempts, 0, 'nothing was noted, so no attempt is lost')
})

test('a finalize that is repeated makes no second event', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  await makeWebhook(cx, team, { events: ['package.finalized'] })
  const pkg = await makePackage(cx, { team, files: [{}], finalized: true })
  await finalizePackage(cx, pkg.manager, pkg.id)
  assert.equal((await deliveries(cx)).length, 1)
})
