import { showTime } from '#domain/times'
import type { FieldRow, FormRow, TemplateRow } from '#store/forms'
import type { ResponseRow } from '#store/form-responses'

export const presentField = (field: FieldRow) => ({
  name: field.name,
  label: field.label,
  type: field.type,
  visibility: field.visibility,
  default_value: field.default_value,
  position: field.position,
  options: [...field.options],
})

export const presentTemplate = (template: TemplateRow) => ({
  id: template.id,
  team_id: template.team_id,
  name: template.name,
  delivery_formats: [...template.delivery_formats],
  disabled: template.disabled,
  fields: template.fields.map(presentField),
  created_at: showTime(template.created_at),
  updated_at: showTime(template.updated_at),
})

export const presentForm = (form: FormRow) => ({
  ...presentTemplate(form),
  portal_id: form.portal_id,
  form_template_id: form.form_template_id ?? '',
})

/** What was answered: to the sender, to managers of the package, and in `metadata.json`. */
export const presentResponse = (response: ResponseRow) => ({
  id: response.id,
  form_id: response.form_id,
  portal_id: response.portal_id,
  fields: response.answers.map(({ name, label, type, value }) => ({ name, label, type, value })),
  created_at: showTime(response.created_at),
})
