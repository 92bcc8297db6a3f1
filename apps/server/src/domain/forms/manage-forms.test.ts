import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '@longshore/kit/ids'
import { deletePortal } from '#domain/portals/manage-portals'
import { sql } from '#platform/db'
import { testCx, type TestCx } from '#test-kit/cx'
import { makeMember, makeTeam } from '#test-kit/make'
import { answer, makePortal, makePortalPackage } from '#test-kit/make-portals'
import { race } from '#test-kit/race'
import type { GivenField } from './fields.ts'
import { createForm, deleteForm, updateForm } from './manage-forms.ts'
import { createFormTemplate, deleteFormTemplate, listFormTemplates, updateFormTemplate } from './templates.ts'

const field = (name: string, more: Partial<GivenField> = {}): GivenField => ({
  name,
  label: `The ${name}`,
  type: 'short_text',
  visibility: 'optional',
  ...more,
})

const fields = [field('scene', { position: 5 }), field('take', { position: 2, type: 'radio', options: ['1', '2'] })]

const form = { name: 'About the film', delivery_formats: ['json', 'email_body'] } as const

const countForms = async (cx: TestCx) =>
  (await cx.db.row<{ n: number }>(sql`select count(*)::integer as n from forms`))?.n

test('a form keeps its fields in the order of their positions', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx)
  const made = await createForm(cx, portal.team.owner.caller, portal.id, { ...form, fields })
  const { id, created_at, updated_at, ...rest } = made
  assert.deepEqual(rest, {
    team_id: portal.teamId,
    portal_id: portal.id,
    form_template_id: '',
    name: 'About the film',
    delivery_formats: ['json', 'email_body'],
    disabled: false,
    fields: [
      { ...fields[1], default_value: '' },
      { ...fields[0], default_value: '', options: [] },
    ],
  })
  assert.equal(created_at, updated_at)
  const { updated_at: _, ...kept } = await updateForm(cx, portal.team.owner.caller, id, made)
  assert.deepEqual(kept, { id, created_at, ...rest })
})

test('a Portal has one form, also when two are made at once', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx)
  const { caller } = portal.team.owner
  const { first, second } = await race(
    cx,
    (cx) => createForm(cx, caller, portal.id, form),
    (cx) => createForm(cx, caller, portal.id, form),
  )
  await first
  await assert.rejects(second, { code: 'form_exists' })
  assert.equal(await countForms(cx), 1)
})

test('names are unique, and what concerns the package is asked once at most', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx)
  const { caller } = portal.team.owner
  const wrong: readonly (readonly GivenField[])[] = [
    [field('a'), field('a')],
    [field('__proto__')],
    ...(['package_name', 'package_description', 'sender_email'] as const).map((type) => [
      field('a', { type }),
      field('b', { type }),
    ]),
  ]
  for (const fields of wrong) {
    await assert.rejects(createForm(cx, caller, portal.id, { ...form, fields }), { code: 'validation_failed' })
    await assert.rejects(createFormTemplate(cx, caller, portal.teamId, { ...form, fields }), {
      code: 'validation_failed',
    })
  }
  assert.equal(await countForms(cx), 0)
  const special = (['package_name', 'package_description', 'sender_email'] as const).map((type) =>
    field(type, { type }),
  )
  await createForm(cx, caller, portal.id, { ...form, fields: [...special, field('A'), field('a')] })
})

test('an update is the full form: fields left out are gone', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx)
  const { caller } = portal.team.owner
  const { id } = await createForm(cx, caller, portal.id, { ...form, fields })
  const off = await updateForm(cx, caller, id, { ...form, fields, disabled: true })
  assert.deepEqual([off.disabled, off.fields.length], [true, 2])
  const bare = await updateForm(cx, caller, id, { name: 'Other', delivery_formats: [] })
  assert.deepEqual([bare.disabled, bare.fields, bare.name, bare.delivery_formats], [false, [], 'Other', []])
})

test('a deleted form leaves its Portal without one, and the answers of packages where they are', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx)
  const { caller } = portal.team.owner
  const { id } = await createForm(cx, caller, portal.id, { ...form, fields })
  const response = await answer(cx, portal, {})
  const pkg = await makePortalPackage(cx, portal, { form_data_id: response.id })
  await deleteForm(cx, caller, id)
  await assert.rejects(deleteForm(cx, caller, id), { code: 'form_not_found' })
  await assert.rejects(updateForm(cx, caller, id, form), { code: 'form_not_found' })
  await assert.rejects(answer(cx, portal, {}), { code: 'form_not_found' })
  await makePortalPackage(cx, portal)
  const kept = await cx.db.row<{ id: string }>(sql`select id from form_responses where package_id = ${pkg.id}`)
  assert.equal(kept?.id, response.id)
  await createForm(cx, caller, portal.id, form)
})

test('a form goes with its Portal', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx)
  const { caller } = portal.team.owner
  const { id } = await createForm(cx, caller, portal.id, form)
  await deletePortal(cx, caller, portal.id)
  await assert.rejects(updateForm(cx, caller, id, form), { code: 'form_not_found' })
  await assert.rejects(createForm(cx, caller, portal.id, form), { code: 'portal_not_found' })
})

test('a form without fields of its own takes those of its template, and keeps them', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const { caller } = team.owner
  const template = await createFormTemplate(cx, caller, team.id, { ...form, fields })
  const [from, own, none] = [
    await makePortal(cx, { team }),
    await makePortal(cx, { team }),
    await makePortal(cx, { team }),
  ]
  const made = await createForm(cx, caller, from.id, { ...form, form_template_id: template.id })
  assert.deepEqual([made.form_template_id, made.fields], [template.id, template.fields])
  const other = await createForm(cx, caller, own.id, { ...form, form_template_id: template.id, fields: [] })
  assert.deepEqual(other.fields, [])
  assert.deepEqual((await createForm(cx, caller, none.id, { ...form, form_template_id: '' })).fields, [])

  await updateFormTemplate(cx, caller, template.id, { ...form, name: 'Changed', fields: [] })
  await deleteFormTemplate(cx, caller, template.id)
  const same = await updateForm(cx, caller, made.id, made)
  assert.deepEqual([same.form_template_id, same.fields], [template.id, template.fields])
})

test('templates are made, listed, replaced and deleted', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const { caller } = team.owner
  const b = await createFormTemplate(cx, caller, team.id, { ...form, name: 'b', fields })
  const a = await createFormTemplate(cx, caller, team.id, { ...form, name: 'A' })
  const member = await makeMember(cx, team.id, 'member')
  assert.deepEqual(await listFormTemplates(cx, member.caller, team.id), [a, b])
  const changed = await updateFormTemplate(cx, caller, b.id, { ...form, name: 'c', disabled: true })
  assert.deepEqual([changed.name, changed.disabled, changed.fields], ['c', true, []])
  await deleteFormTemplate(cx, caller, a.id)
  await assert.rejects(deleteFormTemplate(cx, caller, a.id), { code: 'form_template_not_found' })
  await assert.rejects(updateFormTemplate(cx, caller, a.id, form), { code: 'form_template_not_found' })
  assert.deepEqual(await listFormTemplates(cx, caller, team.id), [changed])
})

test('a template of another Team is refused, and one that does not exist in the same words', async (t) => {
  const cx = await testCx(t)
  const theirs = await makeTeam(cx)
  const template = await createFormTemplate(cx, theirs.owner.caller, theirs.id, form)
  const portal = await makePortal(cx)
  const messages: string[] = []
  for (const form_template_id of [template.id, newId()]) {
    await assert.rejects(
      createForm(cx, portal.team.owner.caller, portal.id, { ...form, form_template_id }),
      (error) => {
        messages.push((error as Error).message)
        return (error as { code: string }).code === 'validation_failed'
      },
    )
  }
  assert.equal(messages[0], messages[1])
  assert.equal(await countForms(cx), 0)
})

test('only Owners and Admins manage forms and templates; another Team finds none', async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx)
  const { caller } = portal.team.owner
  const { id } = await createForm(cx, caller, portal.id, form)
  const template = await createFormTemplate(cx, caller, portal.teamId, form)
  for (const role of ['integration_manager', 'member'] as const) {
    const { caller } = await makeMember(cx, portal.teamId, role)
    const refused = { code: 'insufficient_role' }
    await assert.rejects(createForm(cx, caller, portal.id, form), refused)
    await assert.rejects(updateForm(cx, caller, id, form), refused)
    await assert.rejects(deleteForm(cx, caller, id), refused)
    await assert.rejects(createFormTemplate(cx, caller, portal.teamId, form), refused)
    await assert.rejects(updateFormTemplate(cx, caller, template.id, form), refused)
    await assert.rejects(deleteFormTemplate(cx, caller, template.id), refused)
  }
  const stranger = (await makeTeam(cx)).owner.caller
  await assert.rejects(createForm(cx, stranger, portal.id, form), { code: 'portal_not_found' })
  await assert.rejects(updateForm(cx, stranger, id, form), { code: 'form_not_found' })
  await assert.rejects(deleteForm(cx, stranger, id), { code: 'form_not_found' })
  await assert.rejects(createFormTemplate(cx, stranger, portal.teamId, form), { code: 'team_not_found' })
  await assert.rejects(listFormTemplates(cx, stranger, portal.teamId), { code: 'team_not_found' })
  await assert.rejects(updateFormTemplate(cx, stranger, template.id, form), { code: 'form_template_not_found' })
  await assert.rejects(deleteFormTemplate(cx, stranger, template.id), { code: 'form_template_not_found' })
})
