import type { fieldTypes, createForm, updateForm } from '@longshore/contract/cloud/forms'
import { deliveryFormats } from '@longshore/contract/cloud/forms'
import type { createPortal } from '@longshore/contract/cloud/portals'
import type { InputOf, ReplyOf } from '@longshore/contract/endpoint'
import { addressesIn } from '../frame/addresses.ts'
import { inputTime, timeOfInput } from '../frame/input-time.ts'
import type { Portal } from './queries.ts'

export type FieldType = (typeof fieldTypes)[number]
export type Visibility = 'required' | 'optional' | 'readonly' | 'hidden'
export type Form = ReplyOf<typeof updateForm>
export type DeliveryFormat = (typeof deliveryFormats)[number]

/** A field of the form while it is edited. Its place in the list is its position. */
export interface FieldDraft {
  readonly name: string
  readonly label: string
  readonly type: FieldType
  readonly visibility: Visibility
  readonly default_value: string
  /** One a line. */
  readonly options: string
  /** Its name follows its label: it is new, and nobody has named it. One that exists is known by its name elsewhere. */
  readonly isNamedByLabel: boolean
}

/** A Portal and its form as they are edited: numbers and lists as one types them. */
export interface PortalDraft {
  name: string
  subdomain: string
  message: string
  active: boolean
  recipients: string
  cc_recipients: string
  sendsReceipt: boolean
  tag: string
  teamspace_id: string
  webhooks: string[]
  connections: string[]
  has_access_code: boolean
  access_code: string
  access_level: 'regular' | 'private'
  access_list: string[]
  has_download_password: boolean
  download_password: string
  custom_expiry_days: string
  expiry_enabled: boolean
  /** In the time of `timeZone`. */
  expiry: string
  timeZone: string
  isLimited: boolean
  maxPackageGB: string
  maxFileGB: string
  max_file_count: string
  file_type_restriction_enabled: boolean
  file_types: string
  terms_of_service_enabled: boolean
  termsTitle: string
  termsText: string
  primary_color: string
  logo_url: string
  background_url: string
  hasForm: boolean
  formName: string
  delivery_formats: DeliveryFormat[]
  fields: FieldDraft[]
}

export const fieldsOfDraft = (fields: Form['fields']): FieldDraft[] =>
  fields
    .toSorted((a, b) => (a.position ?? 0) - (b.position ?? 0))
    .map((field) => ({
      name: field.name,
      label: field.label,
      type: field.type,
      visibility: field.visibility,
      default_value: field.default_value ?? '',
      options: (field.options ?? []).join('\n'),
      isNamedByLabel: false,
    }))

const gigabyte = 1_000_000_000
const inGB = (bytes: number) => (bytes === 0 ? '' : String(bytes / gigabyte))

export const draftOf = (portal: Partial<Portal>, form: Form | undefined, timeZone: string): PortalDraft => ({
  name: portal.name ?? '',
  subdomain: portal.subdomain ?? '',
  message: portal.message ?? '',
  active: portal.active ?? true,
  recipients: (portal.recipients ?? []).join('\n'),
  cc_recipients: (portal.cc_recipients ?? []).join('\n'),
  sendsReceipt: !(portal.disable_upload_receipt ?? false),
  tag: portal.tag?.name ?? '',
  teamspace_id: portal.teamspace_id ?? '',
  webhooks: (portal.custom_webhooks ?? []).map(({ id }) => id),
  connections: (portal.cloud_connections ?? []).map(({ id }) => id),
  has_access_code: portal.has_access_code ?? false,
  access_code: portal.access_code ?? '',
  access_level: portal.access_level ?? 'regular',
  access_list: [...(portal.access_list ?? [])],
  has_download_password: portal.has_download_password ?? false,
  download_password: portal.download_password ?? '',
  custom_expiry_days: String(portal.custom_expiry_days ?? 0),
  expiry_enabled: portal.expiry_enabled ?? false,
  expiry: portal.expiry === undefined ? '' : inputTime(portal.expiry, timeZone),
  timeZone,
  isLimited: portal.package_size_restriction_enabled ?? false,
  maxPackageGB: inGB(portal.max_package_size ?? 0),
  maxFileGB: inGB(portal.max_file_size ?? 0),
  max_file_count:
    portal.max_file_count === undefined || portal.max_file_count === 0 ? '' : String(portal.max_file_count),
  file_type_restriction_enabled: portal.file_type_restriction_enabled ?? false,
  file_types: (portal.file_types ?? []).join(', '),
  terms_of_service_enabled: portal.terms_of_service_enabled ?? false,
  termsTitle: portal.terms_of_service?.title ?? '',
  termsText: portal.terms_of_service?.text ?? '',
  primary_color: portal.primary_color ?? '',
  logo_url: portal.logo_url ?? '',
  background_url: portal.background_url ?? '',
  hasForm: form !== undefined && !form.disabled,
  formName: form?.name ?? '',
  delivery_formats: form?.delivery_formats ?? ['email_body'],
  fields: fieldsOfDraft(form?.fields ?? []),
})

const bytesOf = (gigabytes: string) => Math.round(Number(gigabytes || 0) * gigabyte)

/** The whole Portal as the API takes it. */
export const portalBodyOf = (draft: PortalDraft): InputOf<typeof createPortal>['body'] => ({
  name: draft.name,
  subdomain: draft.subdomain,
  message: draft.message,
  active: draft.active,
  recipients: addressesIn(draft.recipients),
  cc_recipients: addressesIn(draft.cc_recipients),
  disable_upload_receipt: !draft.sendsReceipt,
  ...(draft.tag.trim() === '' ? {} : { tag: { name: draft.tag.trim() } }),
  teamspace_id: draft.teamspace_id,
  custom_webhooks: draft.webhooks.map((id) => ({ id })),
  cloud_connections: draft.connections.map((id) => ({ id })),
  has_access_code: draft.has_access_code,
  access_code: draft.access_code,
  access_level: draft.access_level,
  access_list: draft.access_list,
  has_download_password: draft.has_download_password,
  download_password: draft.download_password,
  custom_expiry_days: Number(draft.custom_expiry_days || 0),
  expiry_enabled: draft.expiry_enabled,
  ...timed(draft),
  package_size_restriction_enabled: draft.isLimited,
  max_package_size: bytesOf(draft.maxPackageGB),
  max_file_size: bytesOf(draft.maxFileGB),
  max_file_count: Number(draft.max_file_count || 0),
  file_type_restriction_enabled: draft.file_type_restriction_enabled,
  file_types: [...new Set(draft.file_types.split(/[\s,;]+/).filter((type) => type !== ''))],
  terms_of_service_enabled: draft.terms_of_service_enabled,
  terms_of_service: { title: draft.termsTitle, text: draft.termsText },
  primary_color: draft.primary_color,
  logo_url: draft.logo_url,
  background_url: draft.background_url,
})

function timed({ expiry: value, timeZone }: PortalDraft): { expiry?: string } {
  const expiry = timeOfInput(value, timeZone)
  return expiry === undefined ? {} : { expiry }
}

const hasOptions: ReadonlySet<FieldType> = new Set(['checkbox', 'radio', 'dropdown'])
export const takesOptions = (type: FieldType): boolean => hasOptions.has(type)

/** The form as the API takes it. */
export const formBodyOf = (draft: PortalDraft): Omit<InputOf<typeof createForm>['body'], 'form_template_id'> => ({
  name: draft.formName.trim() === '' ? draft.name : draft.formName,
  delivery_formats: deliveryFormats.filter((format) => draft.delivery_formats.includes(format)),
  fields: draft.fields.map((field, position) => ({
    name: field.name,
    label: field.label,
    type: field.type,
    visibility: field.visibility,
    default_value: field.default_value,
    position,
    ...(takesOptions(field.type)
      ? {
          options: field.options
            .split('\n')
            .map((option) => option.trim())
            .filter((option) => option !== ''),
        }
      : {}),
  })),
})

/** A name for a field that no other one has: what stands in CSV and XML, not what senders see. */
export function freshName(label: string, taken: readonly string[]): string {
  const base =
    label
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '')
      .slice(0, 60) || 'field'
  if (!taken.includes(base)) return base
  let number = 2
  while (taken.includes(`${base}_${number}`)) number += 1
  return `${base}_${number}`
}

/** An address from a name, until somebody types another. */
export const subdomainOf = (name: string): string => freshName(name, []).replaceAll('_', '-').slice(0, 53)
