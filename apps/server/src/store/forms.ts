import { type Reads, sql, type Tx } from '#platform/db'

/** A field of a form, as it is kept. */
export interface FieldRow {
  readonly name: string
  readonly label: string
  readonly type: FieldType
  readonly visibility: 'required' | 'optional' | 'readonly' | 'hidden'
  readonly default_value: string
  readonly position: number
  readonly options: readonly string[]
}

export type FieldType =
  | 'checkbox'
  | 'radio'
  | 'dropdown'
  | 'date'
  | 'short_text'
  | 'long_text'
  | 'number'
  | 'url'
  | 'email'
  | 'package_name'
  | 'package_description'
  | 'sender_email'

export type DeliveryFormat = 'json' | 'csv' | 'xml' | 'email_body'

export interface FormFields {
  readonly name: string
  readonly delivery_formats: readonly DeliveryFormat[]
  readonly disabled: boolean
  readonly fields: readonly FieldRow[]
}

export interface FormRow extends FormFields {
  readonly team_id: string
  readonly id: string
  readonly portal_id: string
  readonly form_template_id: string | null
  readonly created_at: Date
  readonly updated_at: Date
}

export type TemplateRow = Omit<FormRow, 'portal_id' | 'form_template_id'>

/** Whoever's form it is. A form goes with its Portal. */
export const formById = (reads: Reads, id: string) =>
  reads.row<FormRow>(sql`
    select f.* from forms f
      join portals o on o.team_id = f.team_id and o.id = f.portal_id and o.deleted_at is null
     where f.id = ${id}
  `)

export const formOfPortal = (reads: Reads, teamId: string, portalId: string) =>
  reads.row<FormRow>(sql`select f.* from forms f where f.team_id = ${teamId} and f.portal_id = ${portalId}`)

/** Fails with `forms_team_id_portal_id_key` when the Portal has a form. */
export const insertForm = (
  tx: Tx,
  form: FormFields & Pick<FormRow, 'team_id' | 'id' | 'portal_id' | 'form_template_id'>,
) =>
  tx.row<FormRow>(sql`
    insert into forms (team_id, id, portal_id, name, delivery_formats, form_template_id, disabled, fields)
    values (${form.team_id}, ${form.id}, ${form.portal_id}, ${form.name}, ${form.delivery_formats},
            ${form.form_template_id}, ${form.disabled}, ${JSON.stringify(form.fields)})
    returning *
  `)

/** Undefined when the form was deleted. */
export const updateFormRow = (tx: Tx, teamId: string, id: string, form: FormFields) =>
  tx.row<FormRow>(sql`
    update forms
       set name = ${form.name}, delivery_formats = ${form.delivery_formats}, disabled = ${form.disabled},
           fields = ${JSON.stringify(form.fields)}, updated_at = now()
     where team_id = ${teamId} and id = ${id}
    returning *
  `)

/** Returns false when it was deleted before. */
export const deleteFormRow = async (tx: Tx, teamId: string, id: string): Promise<boolean> =>
  (await tx.run(sql`delete from forms where team_id = ${teamId} and id = ${id}`)) === 1

/** Whoever's template it is. */
export const templateById = (reads: Reads, id: string) =>
  reads.row<TemplateRow>(sql`select * from form_templates where id = ${id}`)

export const templatesOfTeam = (reads: Reads, teamId: string) =>
  reads.rows<TemplateRow>(sql`select * from form_templates where team_id = ${teamId} order by lower(name), id`)

export const insertTemplate = (tx: Tx, template: FormFields & Pick<TemplateRow, 'team_id' | 'id'>) =>
  tx.row<TemplateRow>(sql`
    insert into form_templates (team_id, id, name, delivery_formats, disabled, fields)
    values (${template.team_id}, ${template.id}, ${template.name}, ${template.delivery_formats}, ${template.disabled},
            ${JSON.stringify(template.fields)})
    returning *
  `)

/** Undefined when the template was deleted. */
export const updateTemplateRow = (tx: Tx, teamId: string, id: string, template: FormFields) =>
  tx.row<TemplateRow>(sql`
    update form_templates
       set name = ${template.name}, delivery_formats = ${template.delivery_formats}, disabled = ${template.disabled},
           fields = ${JSON.stringify(template.fields)}, updated_at = now()
     where team_id = ${teamId} and id = ${id}
    returning *
  `)

/** Returns false when it was deleted before. */
export const deleteTemplateRow = async (tx: Tx, teamId: string, id: string): Promise<boolean> =>
  (await tx.run(sql`delete from form_templates where team_id = ${teamId} and id = ${id}`)) === 1
