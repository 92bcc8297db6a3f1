import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tidy } from '#domain/housekeeping'
import { purgePackages } from '#domain/packages/purge-package'
import { sql } from '#platform/db'
import { testCx, type TestCx } from '#test-kit/cx'
import { callerFor, letExpire, makeMember, makePackage, makeTeam } from '#test-kit/make'
import { answer, makePortal, makePortalPackage, visitTo } from '#test-kit/make-portals'
import { answerForm } from './answer-form.ts'
import type { GivenField } from './fields.ts'
import { packageMetadata } from './package-metadata.ts'

const field = (name: string, visibility: GivenField['visibility'], default_value?: string): GivenField => ({
  name,
  label: `The ${name}`,
  type: 'short_text',
  visibility,
  ...(default_value === undefined ? {} : { default_value }),
})

const fields = [
  field('scene', 'required', 'a default'),
  field('take', 'optional', '1'),
  field('studio', 'readonly', 'Harbour Films'),
  field('job', 'hidden', '4711'),
]

const countResponses = async (cx: TestCx) =>
  (await cx.db.row<{ n: number }>(sql`select count(*)::integer as n from form_responses`))?.n

test('an answer has every field of the form with label, type and value, and nothing else', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx, { form: { fields } })
  const given = { scene: { value: ' 12b ' }, studio: { value: 'Other' }, job: { value: '1' }, unknown: { value: 'x' } }
  const response = await answer(cx, portal, given)
  assert.equal(response.portal_id, portal.id)
  assert.deepEqual(response.fields, [
    { name: 'scene', label: 'The scene', type: 'short_text', value: ' 12b ' },
    { name: 'take', label: 'The take', type: 'short_text', value: '1' },
    { name: 'studio', label: 'The studio', type: 'short_text', value: 'Harbour Films' },
    { name: 'job', label: 'The job', type: 'short_text', value: '4711' },
  ])
  const emptied = await answer(cx, portal, { scene: { value: 'x' }, take: { value: '' } })
  assert.equal(emptied.fields[1]?.value, '')
})

test('required fields without a value are named, all of them, and nothing is kept', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx, { form: { fields: [...fields, field('camera', 'required')] } })
  for (const value of ['', ' ', '\t\n', '\u3000\u00a0']) {
    await assert.rejects(answer(cx, portal, { scene: { value } }), {
      code: 'form_field_required',
      details: [
        { field: 'scene', reason: 'is required' },
        { field: 'camera', reason: 'is required' },
      ],
    })
  }
  assert.equal(await countResponses(cx), 0)
})

test('fields named like what every object has are answered by what was sent alone', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx, {
    form: { fields: [field('constructor', 'optional'), field('toString', 'required')] },
  })
  await assert.rejects(answer(cx, portal, {}), { code: 'form_field_required' })
  const response = await answer(cx, portal, JSON.parse('{"toString": {"value": "x"}}'))
  assert.deepEqual(
    response.fields.map(({ value }) => value),
    ['', 'x'],
  )
})

test('a Portal without form, or with a disabled one, takes no answers', async (t) => {
  const cx = await testCx(t)
  await assert.rejects(answer(cx, await makePortal(cx), {}), { code: 'form_not_found' })
  const portal = await makePortal(cx, { form: {} })
  await cx.db.transaction((tx) => tx.run(sql`update forms set disabled = true`))
  await assert.rejects(answer(cx, portal, {}), { code: 'form_not_found' })
})

test('outside senders need an open Portal and its code; members need neither, but must see it', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const member = await makeMember(cx, team.id, 'member')
  const closed = await makePortal(cx, { team, active: false, form: {} })
  const over = await makePortal(cx, { team, expiry_enabled: true, expiry: '2020-01-01T00:00:00Z', form: {} })
  const secret = await makePortal(cx, { team, access_level: 'private', access_code: 'sesame', form: {} })
  await assert.rejects(answer(cx, closed, {}), { code: 'portal_inactive' })
  await assert.rejects(answer(cx, over, {}), { code: 'portal_expired' })
  await assert.rejects(answer(cx, { ...secret, accessCode: 'wrong' }, {}), { code: 'access_code_wrong' })
  await answer(cx, secret, {})
  for (const { id } of [closed, over, secret]) await answerForm(cx, team.owner.caller, id, visitTo(), {})
  await assert.rejects(answerForm(cx, member.caller, secret.id, visitTo(), {}), { code: 'portal_not_found' })
  const stranger = (await makeTeam(cx)).owner.caller
  await assert.rejects(answerForm(cx, stranger, closed.id, visitTo(), {}), { code: 'portal_not_found' })
})

test('answers that no package took are dropped after a day, those of packages stay', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx, { form: {} })
  const [used, old, young] = [await answer(cx, portal, {}), await answer(cx, portal, {}), await answer(cx, portal, {})]
  await makePortalPackage(cx, portal, { form_data_id: used.id })
  await cx.db.transaction((tx) =>
    tx.run(sql`
      update form_responses set created_at = now() - interval '25 hours' where id in (${used.id}, ${old.id})`),
  )
  await assert.rejects(makePortalPackage(cx, portal, { form_data_id: old.id }), { code: 'validation_failed' })
  await tidy(cx)
  const left = await cx.db.rows<{ id: string }>(sql`select id from form_responses order by id`)
  assert.deepEqual(
    left.map(({ id }) => id),
    [used.id, young.id],
  )
})

test('managers read the answers of a package; nobody else does, and not after its end', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx, { form: { fields } })
  const response = await answer(cx, portal, { scene: { value: '12b' } })
  const pkg = await makePortalPackage(cx, portal, { form_data_id: response.id })
  const manager = await callerFor(cx, pkg, 'manage', { userId: portal.team.owner.userId })
  assert.deepEqual(await packageMetadata(cx, manager, pkg.id), response)
  await assert.rejects(packageMetadata(cx, pkg.manager, pkg.id), { code: 'token_level_insufficient' })
  const reader = await callerFor(cx, pkg, 'read')
  await assert.rejects(packageMetadata(cx, reader, pkg.id), { code: 'token_level_insufficient' })
  const other = await makePackage(cx)
  await assert.rejects(packageMetadata(cx, other.manager, pkg.id), { code: 'package_not_found' })
  await assert.rejects(packageMetadata(cx, other.manager, other.id), { code: 'form_response_not_found' })

  await cx.db.transaction((tx) => tx.run(sql`update packages set state = 'finalized' where id = ${pkg.id}`))
  await letExpire(cx, pkg)
  await assert.rejects(packageMetadata(cx, manager, pkg.id), { code: 'package_expired' })
  await purgePackages(cx, [{ teamId: pkg.teamId, packageId: pkg.id, last: false }], new AbortController().signal)
  assert.equal(await countResponses(cx), 0)
})
