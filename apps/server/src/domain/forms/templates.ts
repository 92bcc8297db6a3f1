import { newId } from '@longshore/kit/ids'
import { authorizeForThing, authorizeInTeam } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { createOnce, type Once } from '#domain/idempotency'
import { Refusal } from '#domain/refusal'
import {
  deleteTemplateRow,
  insertTemplate,
  type TemplateRow,
  templateById,
  templatesOfTeam,
  updateTemplateRow,
} from '#store/forms'
import { fieldsOf } from './fields.ts'
import type { GivenForm } from './manage-forms.ts'
import { presentTemplate } from './present.ts'

export async function createFormTemplate(
  cx: Pick<Cx, 'db' | 'box'>,
  caller: Caller,
  teamId: string,
  given: GivenForm,
  once?: Once,
) {
  await authorizeInTeam(cx, caller, 'form.manage', teamId)
  const fields = fieldsOf(given.fields ?? [])
  return createOnce(cx, once, async (tx) => {
    const { name, delivery_formats } = given
    const made = { team_id: teamId, id: newId(), name, delivery_formats, disabled: false, fields }
    const template = await insertTemplate(tx, made)
    if (template === undefined) throw new Error('The template was made and is not there.')
    return presentTemplate(template)
  })
}

export async function listFormTemplates(cx: Pick<Cx, 'db'>, caller: Caller, teamId: string) {
  await authorizeInTeam(cx, caller, 'form-template.list', teamId)
  return (await templatesOfTeam(cx.db, teamId)).map(presentTemplate)
}

/** Replaces a template. Forms that were made from it stay as they are. */
export async function updateFormTemplate(
  cx: Pick<Cx, 'db'>,
  caller: Caller,
  id: string,
  given: GivenForm & { readonly disabled?: boolean },
) {
  const template = await managedTemplate(cx, caller, id)
  const { name, delivery_formats, disabled = false } = given
  const changed = { name, delivery_formats, disabled, fields: fieldsOf(given.fields ?? []) }
  const updated = await cx.db.transaction((tx) => updateTemplateRow(tx, template.team_id, id, changed))
  if (updated === undefined) throw noSuchTemplate(id)
  return presentTemplate(updated)
}

export async function deleteFormTemplate(cx: Pick<Cx, 'db'>, caller: Caller, id: string): Promise<void> {
  const template = await managedTemplate(cx, caller, id)
  if (!(await cx.db.transaction((tx) => deleteTemplateRow(tx, template.team_id, id)))) throw noSuchTemplate(id)
}

async function managedTemplate(cx: Pick<Cx, 'db'>, caller: Caller, id: string): Promise<TemplateRow> {
  const found = await templateById(cx.db, id)
  return (await authorizeForThing(cx, caller, 'form.manage', found, noSuchTemplate(id))).thing
}

const noSuchTemplate = (id: string) =>
  new Refusal('form_template_not_found', `There is no form template '${id}' for this credential.`)
