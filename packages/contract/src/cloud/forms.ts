import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { MiB } from '#limits'
import { Id, Line, Text, Time, Word } from '#shapes'
import { PackageParams, TeamParams } from './packages.ts'

/** An id that may be empty, so that an object can be sent back as it was read. */
export const IdOrEmpty = Type.Union([Id, Type.Literal('')], { description: 'UUID, or empty for none.' })

export const deliveryFormats = ['json', 'csv', 'xml', 'email_body'] as const
const DeliveryFormats = Type.Array(Word(deliveryFormats), { maxItems: 4, uniqueItems: true })

export const fieldTypes = [
  'checkbox',
  'radio',
  'dropdown',
  'date',
  'short_text',
  'long_text',
  'number',
  'url',
  'email',
  'package_name',
  'package_description',
  'sender_email',
] as const

export const FormField = Type.Object({
  name: Line(100, { minLength: 1, description: 'Unique in the form; not displayed.' }),
  label: Line(500),
  type: Word(fieldTypes),
  visibility: Word(['required', 'optional', 'readonly', 'hidden']),
  default_value: Type.Optional(Text(10_000)),
  position: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: 'Ascending; the place in the list if left out.' }),
  ),
  options: Type.Optional(
    Type.Array(Line(500), { maxItems: 200, description: 'Choices of a checkbox, radio or dropdown.' }),
  ),
})

const Fields = Type.Array(FormField, {
  maxItems: 100,
  description: 'At most one field each of package_name, package_description and sender_email.',
})

const FormName = Line(200, { minLength: 1 })

const fieldsOfReply = {
  id: Id,
  team_id: Id,
  name: Type.String(),
  delivery_formats: DeliveryFormats,
  disabled: Type.Boolean(),
  fields: Fields,
  created_at: Time,
  updated_at: Time,
}

export const Form = Type.Object({
  ...fieldsOfReply,
  portal_id: Id,
  form_template_id: Type.String({ description: 'Empty when the form was made without a template.' }),
})

export const FormTemplate = Type.Object(fieldsOfReply)

const PortalParams = Type.Object({ portal_id: Id })
const FormParams = Type.Object({ form_id: Id })
const TemplateParams = Type.Object({ form_template_id: Id })

const ChangedForm = Type.Object({
  name: FormName,
  delivery_formats: DeliveryFormats,
  disabled: Type.Optional(Type.Boolean()),
  fields: Type.Optional(Fields),
})

export const createForm = endpoint({
  chapter: 'Forms',
  summary: 'Give a Portal its form',
  description: 'Without `fields` the form takes those of its template, or starts without any.',
  method: 'POST',
  path: '/v1/portals/:portal_id/form',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: PortalParams,
  body: Type.Object({
    name: FormName,
    delivery_formats: DeliveryFormats,
    form_template_id: Type.Optional(IdOrEmpty),
    fields: Type.Optional(Fields),
  }),
  bodyLimit: 1 * MiB,
  status: 201,
  reply: Form,
  idempotent: true,
  refusals: ['portal_not_found', 'form_exists'],
})

export const readForm = endpoint({
  chapter: 'Forms',
  summary: 'Read the form of a Portal',
  description: 'Also one that is disabled, which the Portal itself does not show.',
  method: 'GET',
  path: '/v1/portals/:portal_id/form',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: PortalParams,
  status: 200,
  reply: Form,
  refusals: ['portal_not_found', 'form_not_found'],
})

export const updateForm = endpoint({
  chapter: 'Forms',
  summary: 'Replace a form',
  description: 'Answers that were given before stay as they are.',
  method: 'PUT',
  path: '/v1/metadata/forms/:form_id',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: FormParams,
  body: ChangedForm,
  bodyLimit: 1 * MiB,
  status: 200,
  reply: Form,
  refusals: ['form_not_found'],
})

export const deleteForm = endpoint({
  chapter: 'Forms',
  summary: 'Delete a form',
  description: 'The Portal goes on without one. Answers that belong to packages stay.',
  method: 'DELETE',
  path: '/v1/metadata/forms/:form_id',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: FormParams,
  status: 204,
  refusals: ['form_not_found'],
})

export const createFormTemplate = endpoint({
  chapter: 'Forms',
  summary: 'Create a form template',
  method: 'POST',
  path: '/v1/teams/:team_id/forms/templates',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: TeamParams,
  body: Type.Object({
    name: FormName,
    delivery_formats: DeliveryFormats,
    fields: Type.Optional(Fields),
  }),
  bodyLimit: 1 * MiB,
  status: 201,
  reply: FormTemplate,
  idempotent: true,
  refusals: ['team_not_found'],
})

export const listFormTemplates = endpoint({
  chapter: 'Forms',
  summary: 'List the form templates of a Team',
  method: 'GET',
  path: '/v1/teams/:team_id/forms/templates',
  credential: 'user',
  params: TeamParams,
  status: 200,
  reply: Type.Array(FormTemplate),
  refusals: ['team_not_found'],
})

export const updateFormTemplate = endpoint({
  chapter: 'Forms',
  summary: 'Replace a form template',
  description: 'Forms that were made from it stay as they are.',
  method: 'PUT',
  path: '/v1/metadata/forms/templates/:form_template_id',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: TemplateParams,
  body: ChangedForm,
  bodyLimit: 1 * MiB,
  status: 200,
  reply: FormTemplate,
  refusals: ['form_template_not_found'],
})

export const deleteFormTemplate = endpoint({
  chapter: 'Forms',
  summary: 'Delete a form template',
  description: 'Forms that were made from it stay.',
  method: 'DELETE',
  path: '/v1/metadata/forms/templates/:form_template_id',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: TemplateParams,
  status: 204,
  refusals: ['form_template_not_found'],
})

export const FormResponse = Type.Object({
  id: Id,
  form_id: Id,
  portal_id: Id,
  fields: Type.Array(
    Type.Object({ name: Type.String(), label: Type.String(), type: Word(fieldTypes), value: Type.String() }),
  ),
  created_at: Time,
})

// The pattern bounds the names of the answers as FormField bounds the names of the fields.
const FieldName = Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]{1,100}$' })

export const answerForm = endpoint({
  chapter: 'Forms',
  summary: 'Answer the form of a Portal',
  description:
    'The id of the reply goes into `form_data_id` of one package, within 24 hours. On a Portal without access code any X-Access-Code does, also an empty one.',
  method: 'POST',
  path: '/v1/portals/:portal_id/form/responses',
  credential: 'user-or-access-code',
  params: PortalParams,
  body: Type.Record(FieldName, Type.Object({ value: Text(10_000) }), {
    additionalProperties: false,
    maxProperties: 200,
    description: 'Field name to answer. Names that the form does not have are ignored.',
  }),
  bodyLimit: 1 * MiB,
  status: 201,
  reply: FormResponse,
  idempotent: true,
  refusals: ['portal_not_found', 'portal_inactive', 'portal_expired', 'form_not_found', 'form_field_required'],
})

export const packageMetadata = endpoint({
  chapter: 'Forms',
  summary: 'Read the form answers of a package',
  method: 'GET',
  path: '/v1/packages/:package_id/metadata',
  credential: 'package-token',
  levels: ['manage'],
  params: PackageParams,
  status: 200,
  reply: FormResponse,
  refusals: ['package_not_found', 'package_expired', 'form_response_not_found'],
})
