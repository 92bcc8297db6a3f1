import { newId } from '@longshore/kit/ids'
import { authorizeForThing } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { createOnce, type Once } from '#domain/idempotency'
import { portalOfTeam } from '#domain/portals/enter-portal'
import { invalid, Refusal } from '#domain/refusal'
import { isDuplicate } from '#platform/db'
import {
  type DeliveryFormat,
  deleteFormRow,
  formById,
  formOfPortal,
  type FormRow,
  insertForm,
  type TemplateRow,
  templateById,
  updateFormRow,
} from '#store/forms'
import { fieldsOf, type GivenField } from './fields.ts'
import { presentForm } from './present.ts'

export interface GivenForm {
  readonly name: string
  readonly delivery_formats: readonly DeliveryFormat[]
  readonly fields?: readonly GivenField[]
}

/** Gives a Portal its form. Without fields of its own it starts with those of its template. */
export async function createForm(
  cx: Pick<Cx, 'db' | 'box'>,
  caller: Caller,
  portalId: string,
  given: GivenForm & { readonly form_template_id?: string },
  once?: Once,
) {
  const { portal } = await portalOfTeam(cx, caller, 'form.manage', portalId)
  const template = await templateOf(cx, portal.team_id, given.form_template_id)
  const fields = given.fields === undefined ? (template?.fields ?? []) : fieldsOf(given.fields)
  try {
    return await createOnce(cx, once, async (tx) => {
      const form = await insertForm(tx, {
        team_id: portal.team_id,
        id: newId(),
        portal_id: portal.id,
        form_template_id: template?.id ?? null,
        name: given.name,
        delivery_formats: given.delivery_formats,
        disabled: false,
        fields,
      })
      if (form === undefined) throw new Error('The form was made and is not there.')
      return presentForm(form)
    })
  } catch (error) {
    throw isDuplicate(error, 'forms_team_id_portal_id_key') ? new Refusal('form_exists') : error
  }
}

async function templateOf(
  cx: Pick<Cx, 'db'>,
  teamId: string,
  id: string | undefined,
): Promise<TemplateRow | undefined> {
  if (!id) return undefined
  const template = await templateById(cx.db, id)
  if (template?.team_id !== teamId) throw invalid('form_template_id', 'must be a form template of this Team')
  return template
}

export async function readForm(cx: Pick<Cx, 'db'>, caller: Caller, portalId: string) {
  const { portal } = await portalOfTeam(cx, caller, 'form.manage', portalId)
  const form = await formOfPortal(cx.db, portal.team_id, portal.id)
  if (form === undefined) throw new Refusal('form_not_found', `The Portal '${portalId}' has no form.`)
  return presentForm(form)
}

/** Replaces a form. Answers that were given before keep what they were given to. */
export async function updateForm(
  cx: Pick<Cx, 'db'>,
  caller: Caller,
  id: string,
  given: GivenForm & { readonly disabled?: boolean },
) {
  const form = await managedForm(cx, caller, id)
  const changed = {
    name: given.name,
    delivery_formats: given.delivery_formats,
    disabled: given.disabled ?? false,
    fields: fieldsOf(given.fields ?? []),
  }
  const updated = await cx.db.transaction((tx) => updateFormRow(tx, form.team_id, id, changed))
  if (updated === undefined) throw noSuchForm(id)
  return presentForm(updated)
}

export async function deleteForm(cx: Pick<Cx, 'db'>, caller: Caller, id: string): Promise<void> {
  const form = await managedForm(cx, caller, id)
  if (!(await cx.db.transaction((tx) => deleteFormRow(tx, form.team_id, id)))) throw noSuchForm(id)
}

async function managedForm(cx: Pick<Cx, 'db'>, caller: Caller, id: string): Promise<FormRow> {
  return (await authorizeForThing(cx, caller, 'form.manage', await formById(cx.db, id), noSuchForm(id))).thing
}

const noSuchForm = (id: string) => new Refusal('form_not_found', `There is no form '${id}' for this credential.`)
