import { newId } from '@longshore/kit/ids'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { createOnce, type Once } from '#domain/idempotency'
import { enterPortal, portalOfTeam, type Visit } from '#domain/portals/enter-portal'
import { Refusal } from '#domain/refusal'
import { type Answer, insertResponse } from '#store/form-responses'
import { type FieldRow, formOfPortal } from '#store/forms'
import { presentResponse } from './present.ts'

export type GivenAnswers = Readonly<Record<string, { readonly value: string }>>

/** Takes the answers to a Portal's form. They wait a day for the package that names them. */
export async function answerForm(
  cx: Pick<Cx, 'db' | 'box' | 'limiter'>,
  caller: Caller,
  portalId: string,
  visit: Visit,
  given: GivenAnswers,
  once?: Once,
) {
  const portal =
    caller.kind === 'anonymous'
      ? await enterPortal(cx, portalId, visit)
      : (await portalOfTeam(cx, caller, 'portal.see', portalId)).portal
  const form = await formOfPortal(cx.db, portal.team_id, portal.id)
  if (form === undefined || form.disabled) throw new Refusal('form_not_found', 'This Portal asks for no form.')
  const answers = answersTo(form.fields, given)
  return createOnce(cx, once, async (tx) => {
    const response = await insertResponse(tx, {
      team_id: portal.team_id,
      id: newId(),
      portal_id: portal.id,
      form_id: form.id,
      delivery_formats: form.delivery_formats,
      answers,
    })
    if (response === undefined) throw new Error('The answers were kept and are not there.')
    return presentResponse(response)
  })
}

/** An answer for each field of the form. Names that the form does not have are not looked at. */
function answersTo(fields: readonly FieldRow[], given: GivenAnswers): readonly Answer[] {
  const missing: string[] = []
  const answers = fields.map((field) => {
    const value = answerTo(field, given)
    if (field.visibility === 'required' && value.trim() === '') missing.push(field.name)
    return { name: field.name, label: field.label, type: field.type, value }
  })
  if (missing.length === 0) return answers
  throw new Refusal('form_field_required', `Fill in ${missing.map((name) => `'${name}'`).join(', ')}.`, {
    details: missing.map((field) => ({ field, reason: 'is required' })),
  })
}

function answerTo(field: FieldRow, given: GivenAnswers): string {
  // What the sender cannot change keeps its value, whatever is sent.
  if (field.visibility === 'readonly' || field.visibility === 'hidden') return field.default_value
  // Own properties only: a field may be called `constructor`.
  const answer = Object.hasOwn(given, field.name) ? given[field.name]?.value : undefined
  return answer ?? (field.visibility === 'required' ? '' : field.default_value)
}
