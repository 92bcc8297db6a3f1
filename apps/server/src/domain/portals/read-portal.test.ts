import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '@longshore/kit/ids'
import { createSpace } from '#domain/spaces/spaces'
import { sql } from '#platform/db'
import { testCx, type TestCx } from '#test-kit/cx'
import { makeMember, makeTeam } from '#test-kit/make'
import { makePortal, makeWebhook, visitTo } from '#test-kit/make-portals'
import { lookUpPortal, readPortal } from './read-portal.ts'

const nobody = { kind: 'anonymous' } as const

const field = { name: 'scene', label: 'Scene', type: 'short_text', visibility: 'required' } as const

async function makeRichPortal(cx: TestCx, wishes: { access_code?: string } = {}) {
  const team = await makeTeam(cx)
  return makePortal(cx, {
    team,
    recipients: ['recipient@example.test'],
    cc_recipients: ['copy@example.test'],
    has_download_password: true,
    download_password: 'download-secret',
    custom_webhooks: [{ id: await makeWebhook(cx, team.id) }],
    access_list: [team.owner.membershipId],
    form: { fields: [field] },
    ...wishes,
  })
}

const publicNames = [
  'active',
  'background_url',
  'custom_metadata',
  'expiry',
  'expiry_enabled',
  'file_type_restriction_enabled',
  'file_types',
  'has_access_code',
  'id',
  'logo_url',
  'max_file_count',
  'max_file_size',
  'max_package_size',
  'message',
  'name',
  'package_size_restriction_enabled',
  'primary_color',
  'subdomain',
  'terms_of_service',
  'terms_of_service_enabled',
  'url',
]

test('with an access code one sees the public fields and nothing else', async (t) => {
  const cx = await testCx(t)
  const portal = await makeRichPortal(cx, { access_code: 'sésame & co' })
  const seen = await readPortal(cx, nobody, portal.id, visitTo(portal))
  assert.deepEqual(Object.keys(seen).toSorted(), publicNames)
  const text = JSON.stringify(seen)
  for (const secret of ['sésame', 'download-secret', 'example.test', portal.team.owner.membershipId]) {
    assert.equal(text.includes(secret), false, secret)
  }
})

test('a wrong, missing or empty code is refused; without a code any will do', async (t) => {
  const cx = await testCx(t)
  const portal = await makeRichPortal(cx, { access_code: 'sesame' })
  const other = await makePortal(cx, { access_code: 'other' })
  for (const accessCode of [undefined, '', 'other', 'Sesame', 'sesame ', 'sesame\u0000', 'x'.repeat(10_000)]) {
    await assert.rejects(readPortal(cx, nobody, portal.id, visitTo({ accessCode })), { code: 'access_code_wrong' })
  }
  await readPortal(cx, nobody, other.id, visitTo(other))
  const open = await makePortal(cx)
  for (const accessCode of [undefined, '', 'whatever']) await readPortal(cx, nobody, open.id, visitTo({ accessCode }))
})

test('a code that is switched off is not asked for', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx, { has_access_code: false, access_code: 'sesame' })
  await readPortal(cx, nobody, portal.id, visitTo())
})

test('tries are counted before the code is looked at, by address and by Portal', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx, { access_code: 'sesame' })
  for (let n = 0; n < 10; n++) {
    await assert.rejects(readPortal(cx, nobody, portal.id, visitTo({ accessCode: 'wrong' })), {
      code: 'access_code_wrong',
    })
  }
  await assert.rejects(readPortal(cx, nobody, portal.id, visitTo(portal)), { code: 'rate_limited' })

  const others = [await makePortal(cx, { access_code: 'sesame' }), await makePortal(cx, { access_code: 'sesame' })]
  for (let n = 0; n < 10; n++) {
    const { id } = others[n % 2] ?? portal
    await assert.rejects(readPortal(cx, nobody, id, { accessCode: 'wrong', address: '2001:db8::1' }), {
      code: 'access_code_wrong',
    })
  }
  const neighbour = { accessCode: 'sesame', address: '2001:db8::ffff' }
  await assert.rejects(readPortal(cx, nobody, others[0]?.id ?? '', neighbour), { code: 'rate_limited' })
})

test('an inactive Portal and one whose time is over are closed to outside senders, and open to the Team', async (t) => {
  const cx = await testCx(t)
  const inactive = await makePortal(cx, { active: false })
  const over = await makePortal(cx, { expiry_enabled: true, expiry: new Date(Date.now() - 1_000).toISOString() })
  const notYet = await makePortal(cx, { expiry_enabled: true, expiry: new Date(Date.now() + 60_000).toISOString() })
  const notMeant = await makePortal(cx, { expiry_enabled: false, expiry: new Date(0).toISOString() })
  await assert.rejects(readPortal(cx, nobody, inactive.id, visitTo()), { code: 'portal_inactive' })
  await assert.rejects(lookUpPortal(cx, inactive.subdomain), { code: 'portal_inactive' })
  await assert.rejects(readPortal(cx, nobody, over.id, visitTo()), { code: 'portal_expired' })
  await assert.rejects(lookUpPortal(cx, over.subdomain), { code: 'portal_expired' })
  for (const portal of [inactive, over]) await readPortal(cx, portal.team.owner.caller, portal.id, visitTo())
  for (const portal of [notYet, notMeant]) await readPortal(cx, nobody, portal.id, visitTo())
})

test('a Portal is found by its subdomain in any case; the form shows only where no code guards it', async (t) => {
  const cx = await testCx(t)
  const open = await makeRichPortal(cx)
  const guarded = await makeRichPortal(cx, { access_code: 'sesame' })
  const seen = await lookUpPortal(cx, open.subdomain.toUpperCase())
  assert.deepEqual(seen.custom_metadata, [{ ...field, default_value: '', position: 0, options: [] }])
  const names = Object.keys(await lookUpPortal(cx, guarded.subdomain)).toSorted()
  assert.deepEqual(
    names,
    publicNames.filter((name) => name !== 'custom_metadata'),
  )
  for (const subdomain of ['nobody-here', 'a\u0000b', "x' or 1=1", '%', 'ſ']) {
    await assert.rejects(lookUpPortal(cx, subdomain), { code: 'portal_not_found' })
  }
})

test('a disabled form is not asked for', async (t) => {
  const cx = await testCx(t)
  const portal = await makeRichPortal(cx)
  await cx.db.transaction((tx) => tx.run(sql`update forms set disabled = true where portal_id = ${portal.id}`))
  assert.equal('custom_metadata' in (await lookUpPortal(cx, portal.subdomain)), false)
})

test('code and password are shown to Owners and Admins only', async (t) => {
  const cx = await testCx(t)
  const portal = await makeRichPortal(cx, { access_code: 'sesame' })
  for (const [role, shown] of [
    ['owner', true],
    ['admin', true],
    ['integration_manager', false],
    ['member', false],
  ] as const) {
    const { caller } = await makeMember(cx, portal.teamId, role)
    const seen: Record<string, unknown> = await readPortal(cx, caller, portal.id, visitTo())
    assert.equal(seen['access_code'], shown ? 'sesame' : undefined, role)
    assert.equal(seen['download_password'], shown ? 'download-secret' : undefined, role)
    assert.deepEqual(seen['recipients'], ['recipient@example.test'], role)
  }
})

test('a member reads the Portals they may see; the others do not exist for them', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const [inside, outside, manager] = [
    await makeMember(cx, team.id, 'member'),
    await makeMember(cx, team.id, 'member'),
    await makeMember(cx, team.id, 'integration_manager'),
  ]
  const space = await createSpace(cx, team.owner.caller, team.id, {
    name: 'Editors',
    membership_ids: [inside.membershipId],
  })
  const privately = { access_level: 'private', access_code: 'sesame', access_list: [inside.membershipId] } as const
  const elsewhere = await makePortal(cx, { team, teamspace_id: space.id })
  await readPortal(cx, outside.caller, elsewhere.id, visitTo())
  const portals = [
    await makePortal(cx, { team, ...privately }),
    await makePortal(cx, { team, ...privately, teamspace_id: space.id }),
  ]
  for (const { id } of portals) {
    await readPortal(cx, inside.caller, id, visitTo())
    await readPortal(cx, manager.caller, id, visitTo())
    // Nor does the code help who comes as a member.
    await assert.rejects(readPortal(cx, outside.caller, id, visitTo({ accessCode: 'sesame' })), {
      code: 'portal_not_found',
    })
  }
})

test('an unknown Portal and one of another Team are not found', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx)
  const stranger = (await makeTeam(cx)).owner.caller
  await assert.rejects(readPortal(cx, stranger, portal.id, visitTo()), { code: 'portal_not_found' })
  await assert.rejects(readPortal(cx, stranger, newId(), visitTo()), { code: 'portal_not_found' })
  await assert.rejects(readPortal(cx, nobody, newId(), visitTo()), { code: 'portal_not_found' })
})
