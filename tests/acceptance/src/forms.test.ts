import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as wire from '@longshore/contract/cloud/forms'
import { fileUrl, listFiles } from '@longshore/contract/cloud/files'
import { createLink } from '@longshore/contract/cloud/links'
import { deletePackage } from '@longshore/contract/cloud/packages'
import { deletePortal, lookUpPortal } from '@longshore/contract/cloud/portals'
import { type AnyInput, ask, errorOf, refused, show, use } from '#calls'
import { send } from '#http'
import { makeMember, makeTeam } from '#members'
import { packageToken } from '#mint'
import { answer, asOwner, inPortal, makeForm, makePortal, newForm, newPackage, sender, sendTo } from '#portals'
import { test } from '#record'
import { target } from '#target'
import { finalize, inPackage, makePackage, managing, type Package, readTokenOf, someName, upload } from '#walk'

const team = { team_id: target.team_id }
const formOf = (form: { readonly id: string }) => ({ form_id: form.id })
const templateOf = (template: { readonly id: string }) => ({ form_template_id: template.id })

/** Whoever manages the packages of the Team. */
const manager = (pkg: Package) => ({ as: { packageToken: packageToken(pkg, 'manage', { usr: target.owner.id }) } })

test('a Portal gets a form, which is replaced and deleted', async () => {
  const portal = await makePortal()
  const fields = newForm({ delivery_formats: ['json', 'csv', 'xml', 'email_body'] })
  const made = await show(wire.createForm, { params: inPortal(portal), body: fields }, asOwner)
  assert.deepEqual(
    [made.name, made.delivery_formats, made.disabled, made.portal_id, made.team_id, made.form_template_id],
    [fields.name, fields.delivery_formats, false, portal.id, target.team_id, ''],
  )
  assert.deepEqual(made.fields[1], { ...fields.fields?.[1], position: 1, options: [] })
  await refused(wire.createForm, { params: inPortal(portal), body: fields }, asOwner, 'form_exists')

  const same = await show(wire.updateForm, { params: formOf(made), body: made }, asOwner)
  assert.deepEqual({ ...same, updated_at: '' }, { ...made, updated_at: '' })
  const off = await show(wire.updateForm, { params: formOf(made), body: { ...fields, disabled: true } }, asOwner)
  assert.equal(off.disabled, true)
  assert.deepEqual(await show(wire.readForm, { params: inPortal(portal) }, asOwner), off)
  assert.equal('custom_metadata' in (await use(lookUpPortal, { params: { subdomain: portal.subdomain } })), false)

  await show(wire.deleteForm, { params: formOf(made) }, asOwner)
  await refused(wire.deleteForm, { params: formOf(made) }, asOwner, 'form_not_found')
  await refused(wire.updateForm, { params: formOf(made), body: fields }, asOwner, 'form_not_found')
  await refused(wire.answerForm, { params: inPortal(portal), body: {} }, sender(), 'form_not_found')
  await makeForm(portal)
})

test('forms that cannot be are refused with the field that is wrong', async () => {
  const portal = await makePortal()
  const form = await makeForm(await makePortal())
  const field = { name: 'a', label: 'A', type: 'short_text', visibility: 'optional' }
  const many = Array.from({ length: 101 }, (_, n) => ({ ...field, name: `f${n}` }))
  for (const [at, body] of [
    ['name', { name: '' }],
    ['delivery_formats', { delivery_formats: ['json', 'json'] }],
    ['delivery_formats/0', { delivery_formats: ['pdf'] }],
    ['fields/1/name', { fields: [field, field] }],
    ['fields/0/name', { fields: [{ ...field, name: '' }] }],
    ['fields/0/type', { fields: [{ ...field, type: 'file' }] }],
    ['fields/0/visibility', { fields: [{ ...field, visibility: 'secret' }] }],
    ['fields', { fields: many }],
    ...['package_name', 'package_description', 'sender_email'].map(
      (type) =>
        [
          'fields/1/type',
          {
            fields: [
              { ...field, type },
              { ...field, name: 'b', type },
            ],
          },
        ] as const,
    ),
  ] as const) {
    const wrong = { ...newForm(), ...body }
    const refusal = await refused(
      wire.createForm,
      { params: inPortal(portal), body: wrong },
      asOwner,
      'validation_failed',
    )
    assert.equal(refusal.details?.[0]?.field, at, JSON.stringify(body))
    await refused(wire.updateForm, { params: formOf(form), body: wrong }, asOwner, 'validation_failed')
    await refused(wire.createFormTemplate, { params: team, body: wrong }, asOwner, 'validation_failed')
  }
})

test('templates are made, listed, replaced and deleted; forms made from them stay', async () => {
  const owner = await makeMember('owner', await makeTeam(someName('Templates')))
  const how = { as: { userToken: owner.token } }
  const params = { team_id: owner.team_id }
  const made = await show(wire.createFormTemplate, { params, body: newForm({ name: 'b' }) }, how)
  const second = await use(wire.createFormTemplate, { params, body: { name: 'A', delivery_formats: [] } }, how)
  assert.deepEqual(await show(wire.listFormTemplates, { params }, how), [second, made])
  const portal = await makePortal({}, how, owner.team_id)
  const body = { name: 'From a template', delivery_formats: [], form_template_id: made.id }
  const form = await show(wire.createForm, { params: inPortal(portal), body }, how)
  assert.deepEqual([form.form_template_id, form.fields], [made.id, made.fields])

  const changed = await show(wire.updateFormTemplate, { params: templateOf(made), body: { ...second } }, how)
  assert.deepEqual([changed.name, changed.fields], ['A', []])
  await show(wire.deleteFormTemplate, { params: templateOf(made) }, how)
  await refused(wire.deleteFormTemplate, { params: templateOf(made) }, how, 'form_template_not_found')
  const gone = { params: templateOf(made), body: newForm() }
  await refused(wire.updateFormTemplate, gone, how, 'form_template_not_found')
  const kept = await use(wire.updateForm, { params: formOf(form), body: form }, how)
  assert.deepEqual(kept.fields, form.fields)
})

test("another Team's template is refused like one that does not exist", async () => {
  const owner = await makeMember('owner', await makeTeam(someName('Rivals')))
  const theirs = await use(
    wire.createFormTemplate,
    { params: { team_id: owner.team_id }, body: newForm() },
    { as: { userToken: owner.token } },
  )
  const portal = await makePortal()
  const messages = []
  for (const form_template_id of [theirs.id, randomUUID()]) {
    const input = { params: inPortal(portal), body: { ...newForm(), form_template_id } }
    messages.push((await refused(wire.createForm, input, asOwner, 'validation_failed')).message)
  }
  assert.equal(messages[0], messages[1])
})

test('what is not there is not found', async () => {
  await refused(wire.readForm, { params: { portal_id: randomUUID() } }, asOwner, 'portal_not_found')
  await refused(wire.readForm, { params: inPortal(await makePortal()) }, asOwner, 'form_not_found')
  await refused(wire.createForm, { params: { portal_id: randomUUID() }, body: newForm() }, asOwner, 'portal_not_found')
  await refused(wire.answerForm, { params: { portal_id: randomUUID() }, body: {} }, sender(), 'portal_not_found')
  const params = { team_id: randomUUID() }
  await refused(wire.createFormTemplate, { params, body: newForm() }, asOwner, 'team_not_found')
  await refused(wire.listFormTemplates, { params }, asOwner, 'team_not_found')
  const portal = await makePortal()
  const form = await makeForm(portal)
  await use(deletePortal, { params: inPortal(portal) }, asOwner)
  await refused(wire.updateForm, { params: formOf(form), body: newForm() }, asOwner, 'form_not_found')
})

test('the same key makes a form, a template and an answer once', async () => {
  const portal = await makePortal()
  const made: readonly (readonly [typeof wire.createForm | typeof wire.createFormTemplate, AnyInput])[] = [
    [wire.createForm, { params: inPortal(portal), body: newForm() }],
    [wire.createFormTemplate, { params: team, body: newForm() }],
  ]
  for (const [endpoint, input] of made) {
    const how = { ...asOwner, idempotencyKey: randomUUID() }
    const first = await show(endpoint as typeof wire.createForm, input as never, how)
    assert.deepEqual(await show(endpoint as typeof wire.createForm, input as never, how), first)
    await refused(endpoint, { ...input, body: newForm() }, how, 'idempotency_conflict')
  }
  const how = { ...sender(), idempotencyKey: randomUUID() }
  const input = { params: inPortal(portal), body: { scene: { value: '1' } } }
  const first = await show(wire.answerForm, input, how)
  assert.deepEqual(await show(wire.answerForm, input, how), first)
  const other = { params: inPortal(portal), body: { scene: { value: '2' } } }
  await refused(wire.answerForm, other, how, 'idempotency_conflict')
})

test('an answer has a value for every field, and those that cannot be changed keep theirs', async () => {
  const portal = await makePortal()
  const field = { label: 'L', type: 'short_text' } as const
  const form = await makeForm(portal, {
    fields: [
      { ...field, name: 'open', visibility: 'required' },
      { ...field, name: 'fixed', visibility: 'readonly', default_value: 'Harbour' },
      { ...field, name: 'secret', visibility: 'hidden', default_value: '4711' },
      { ...field, name: 'free', visibility: 'optional', default_value: 'none' },
    ],
  })
  const text = JSON.stringify({
    open: { value: ' <b>& ' },
    fixed: { value: 'x' },
    secret: { value: 'y' },
    unknown: { value: 'z' },
  }).replace('}}', '},"__proto__":{"value":"p"}}')
  const how = { ...sender(), text, headers: [['content-type', 'application/json']] as const }
  const reply = await ask(wire.answerForm, { params: inPortal(portal) }, how)
  assert.ok(reply.status === 201 || reply.status === 400, reply.text)
  const given = { open: { value: ' <b>& ' }, fixed: { value: 'x' }, secret: { value: 'y' }, unknown: { value: 'z' } }
  const response = await show(wire.answerForm, { params: inPortal(portal), body: given }, sender())
  assert.deepEqual([response.form_id, response.portal_id], [form.id, portal.id])
  assert.deepEqual(
    response.fields.map(({ name, value }) => [name, value]),
    [
      ['open', ' <b>& '],
      ['fixed', 'Harbour'],
      ['secret', '4711'],
      ['free', 'none'],
    ],
  )
})

test('required fields without a value are all named', async () => {
  const portal = await makePortal()
  const field = { label: 'L', type: 'short_text', visibility: 'required' } as const
  await makeForm(portal, {
    fields: [
      { ...field, name: 'a' },
      { ...field, name: 'b' },
    ],
  })
  for (const body of [{}, { a: { value: '' } }, { a: { value: ' \t' } }, { c: { value: 'x' } }]) {
    const refusal = await refused(wire.answerForm, { params: inPortal(portal), body }, sender(), 'form_field_required')
    assert.deepEqual(
      refusal.details?.map(({ field }) => field),
      ['a', 'b'],
    )
  }
  for (const body of [{ a: { value: null } }, { a: {} }, { a: 'x' }, { a: { value: 5 } }, { a: null }]) {
    await refused(wire.answerForm, { params: inPortal(portal), body }, sender(), 'validation_failed')
  }
  const tooMany = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`f${n}`, { value: 'x' }]))
  await refused(wire.answerForm, { params: inPortal(portal), body: tooMany }, sender(), 'validation_failed')
})

test('a form is answered with the right code, at an open Portal, or by the Team', async () => {
  const guarded = await makePortal({ access_code: 'sesame' })
  const inactive = await makePortal({ active: false })
  const over = await makePortal({ expiry_enabled: true, expiry: new Date(Date.now() - 1_000).toISOString() })
  for (const portal of [guarded, inactive, over]) await makeForm(portal, { fields: [] })
  const input = (portal: { id: string }) => ({ params: inPortal(portal), body: {} })
  await refused(wire.answerForm, input(guarded), sender('wrong'), 'access_code_wrong')
  await refused(wire.answerForm, input(guarded), sender(), 'access_code_wrong')
  await refused(wire.answerForm, input(guarded), {}, 'credential_missing')
  await refused(wire.answerForm, input(inactive), sender(), 'portal_inactive')
  await refused(wire.answerForm, input(over), sender(), 'portal_expired')
  await show(wire.answerForm, input(guarded), sender('sesame'))
  for (const portal of [guarded, inactive, over]) await show(wire.answerForm, input(portal), asOwner)
})

test('managers read what was answered, nobody else does, and not after the end', async () => {
  const portal = await makePortal()
  await makeForm(portal)
  const response = await answer(portal, { scene: { value: '12b' } })
  const pkg = await sendTo(portal, { form_data_id: response.id })
  const params = inPackage(pkg)
  assert.equal(pkg.custom_metadata_id, response.id)
  assert.deepEqual(await show(wire.packageMetadata, { params }, manager(pkg)), response)
  await refused(wire.packageMetadata, { params }, managing(pkg), 'token_level_insufficient')
  const plain = await makePackage()
  await refused(wire.packageMetadata, { params: inPackage(plain) }, managing(plain), 'form_response_not_found')
  await refused(wire.packageMetadata, { params }, managing(plain), 'package_not_found')
  await use(deletePackage, { params }, manager(pkg))
  await refused(wire.packageMetadata, { params }, manager(pkg), 'package_expired')
})

test('the answers arrive as files of the package, beside what the sender has of that name', async () => {
  const portal = await makePortal()
  await makeForm(portal, { delivery_formats: ['json', 'csv', 'xml'] })
  const response = await answer(portal, { scene: { value: '=12 "b"' }, note: { value: '<&>\n]]>' } })
  const pkg = await sendTo(portal, { form_data_id: response.id })
  await upload(pkg, Buffer.from('theirs'), { name: 'metadata.json' })
  await finalize(pkg)
  const files = await use(listFiles, { params: inPackage(pkg) }, managing(pkg))
  const own = files.filter((file) => file.kind === 'file')
  assert.deepEqual(own.map((file) => file.name).toSorted(), [
    'metadata (2).json',
    'metadata.csv',
    'metadata.json',
    'metadata.xml',
  ])
  const readToken = await readTokenOf(await use(createLink, { params: inPackage(pkg), body: {} }, manager(pkg)))
  const content = async (name: string) => {
    const file = own.find((one) => one.name === name)
    const params = { package_id: pkg.id, file_id: file?.id ?? '' }
    const { method, url } = await use(fileUrl, { params }, { as: { packageToken: readToken } })
    const reply = await send({ method, url })
    assert.equal(reply.body.length, file?.size)
    return reply.text
  }
  assert.equal(await content('metadata.json'), 'theirs')
  assert.deepEqual(JSON.parse(await content('metadata (2).json')), response)
  assert.equal(
    await content('metadata.csv'),
    `name,label,type,value\r\nscene,Scene,short_text,"'=12 ""b"""\r\nnote,Note,long_text,"<&>\n]]>"\r\n`,
  )
  assert.match(
    await content('metadata.xml'),
    /<field name="note" label="Note" type="long_text">&#60;&#38;&#62;&#10;\]\]&#62;<\/field>/,
  )
  assert.equal(newPackage().sender, pkg.sender)
})

test('a body that is no map of answers is refused', async () => {
  const portal = await makePortal()
  await makeForm(portal)
  for (const body of [[], 'x', 5, null]) {
    const reply = await ask(wire.answerForm, { params: inPortal(portal), body }, sender())
    assert.ok(['validation_failed', 'malformed_request'].includes(errorOf(reply).error), reply.text)
  }
})
