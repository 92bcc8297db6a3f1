import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { MiB } from '#limits'
import {
  AppliedTag,
  Bytes,
  Count,
  Email,
  Id,
  Line,
  Page,
  QueryList,
  Secret,
  TagObject,
  Text,
  Time,
  Word,
} from '#shapes'
import { FormField, IdOrEmpty } from './forms.ts'
import { Sort, TeamParams } from './packages.ts'

const Subdomain = Type.String({
  pattern: '^[a-z0-9][a-z0-9-]{1,51}[a-z0-9]$',
  maxLength: 53,
  description: 'First label of the address of the upload page.',
})

const Color = Type.String({
  pattern: '^(?:#[0-9a-fA-F]{6})?$',
  maxLength: 7,
  description: '`#rrggbb`, or empty for the default.',
})

const ImageUrl = Type.String({
  pattern: '^(?:https?://[^\\s\\u0000-\\u001f\\u007f]+)?$',
  maxLength: 2_048,
  description: 'Address of an image, or empty.',
})

const Recipients = Type.Array(Email, { maxItems: 1_000, uniqueItems: true })

const Attached = Type.Array(Type.Object({ id: Id }), { maxItems: 100, description: 'The complete list.' })

const AccessLevel = Word(['regular', 'private'])

const ExpiryDays = Type.Integer({
  minimum: -1,
  maximum: 65_535,
  description: 'Days; -1 without end where the Team allows it, 0 for the default of the Team.',
})

const Terms = Type.Object({ title: Type.Optional(Line(200)), text: Type.Optional(Text(50_000)) })

const writable = {
  name: Line(200, { minLength: 1 }),
  subdomain: Subdomain,
  message: Type.Optional(Text(10_000)),
  has_access_code: Type.Optional(Type.Boolean()),
  access_code: Type.Optional(Secret),
  active: Type.Optional(Type.Boolean()),
  recipients: Type.Optional(Recipients),
  cc_recipients: Type.Optional(Recipients),
  disable_upload_receipt: Type.Optional(Type.Boolean()),
  has_download_password: Type.Optional(Type.Boolean()),
  download_password: Type.Optional(Secret),
  custom_expiry_days: Type.Optional(ExpiryDays),
  cloud_connections: Type.Optional(Attached),
  custom_webhooks: Type.Optional(Attached),
  tag: Type.Optional(TagObject),
  access_level: Type.Optional(AccessLevel),
  access_list: Type.Optional(Type.Array(Id, { maxItems: 1_000, description: 'Membership ids.' })),
  teamspace_id: Type.Optional(IdOrEmpty),
  terms_of_service_enabled: Type.Optional(Type.Boolean()),
  terms_of_service: Type.Optional(Terms),
  package_size_restriction_enabled: Type.Optional(Type.Boolean()),
  max_package_size: Type.Optional(Bytes),
  max_file_size: Type.Optional(Bytes),
  max_file_count: Type.Optional(Count),
  file_type_restriction_enabled: Type.Optional(Type.Boolean()),
  file_types: Type.Optional(Type.Array(Line(32, { minLength: 1 }), { maxItems: 500 })),
  expiry_enabled: Type.Optional(Type.Boolean()),
  expiry: Type.Optional(Time),
  primary_color: Type.Optional(Color),
  logo_url: Type.Optional(ImageUrl),
  background_url: Type.Optional(ImageUrl),
}

const publicFields = {
  id: Id,
  name: Type.String(),
  subdomain: Type.String(),
  url: Type.String({ description: 'Address of the upload page.' }),
  message: Type.String(),
  active: Type.Boolean(),
  has_access_code: Type.Boolean(),
  terms_of_service_enabled: Type.Boolean(),
  terms_of_service: Terms,
  package_size_restriction_enabled: Type.Boolean(),
  max_package_size: Type.Integer({ description: 'Bytes; 0 for no limit.' }),
  max_file_size: Type.Integer({ description: 'Bytes; 0 for no limit.' }),
  max_file_count: Type.Integer({ description: '0 for no limit.' }),
  file_type_restriction_enabled: Type.Boolean(),
  file_types: Type.Array(Type.String()),
  expiry_enabled: Type.Boolean(),
  expiry: Time,
  primary_color: Type.String(),
  logo_url: Type.String(),
  background_url: Type.String(),
  custom_metadata: Type.Optional(
    Type.Array(FormField, { description: 'Fields of the form, where the Portal has one that is not disabled.' }),
  ),
}

/** A Portal as anyone sees it who knows its address. */
export const PublicPortal = Type.Object(publicFields)

/** A Portal as its Team sees it. With an access code only the public fields are there. */
export const Portal = Type.Object({
  ...publicFields,
  team_id: Type.Optional(Id),
  access_code: Type.Optional(Type.String({ description: 'Only for Owners and Admins.' })),
  recipients: Type.Optional(Type.Array(Type.String())),
  cc_recipients: Type.Optional(Type.Array(Type.String())),
  disable_upload_receipt: Type.Optional(Type.Boolean()),
  has_download_password: Type.Optional(Type.Boolean()),
  download_password: Type.Optional(Type.String({ description: 'Only for Owners and Admins.' })),
  custom_expiry_days: Type.Optional(ExpiryDays),
  cloud_connections: Type.Optional(Type.Array(Type.Object({ id: Id }))),
  custom_webhooks: Type.Optional(Type.Array(Type.Object({ id: Id }))),
  tag: Type.Optional(AppliedTag),
  access_level: Type.Optional(AccessLevel),
  access_list: Type.Optional(Type.Array(Id)),
  teamspace_id: Type.Optional(Type.String({ description: 'Empty when the Portal has none.' })),
  created_at: Type.Optional(Time),
  updated_at: Type.Optional(Time),
})

const PortalParams = Type.Object({ portal_id: Id })

export const createPortal = endpoint({
  chapter: 'Portals',
  summary: 'Create a Portal',
  description: 'A private Portal needs an access code.',
  method: 'POST',
  path: '/v1/teams/:team_id/portals',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: TeamParams,
  body: Type.Object(writable),
  bodyLimit: 1 * MiB,
  status: 201,
  reply: Portal,
  idempotent: true,
  refusals: ['team_not_found', 'subdomain_taken'],
})

export const updatePortal = endpoint({
  chapter: 'Portals',
  summary: 'Replace a Portal',
  description:
    'Read the Portal, change it, send it whole. `custom_webhooks`, `cloud_connections`, `access_list`, `cc_recipients`, `disable_upload_receipt`, colour and images stay when left out; everything else left out gets its default.',
  method: 'PUT',
  path: '/v1/portals/:portal_id',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: PortalParams,
  body: Type.Object(writable),
  bodyLimit: 1 * MiB,
  status: 200,
  reply: Portal,
  refusals: ['portal_not_found', 'subdomain_taken'],
})

export const readPortal = endpoint({
  chapter: 'Portals',
  summary: 'Read a Portal',
  description:
    'With an access code the reply has the public fields only. On a Portal without access code any X-Access-Code does, also an empty one.',
  method: 'GET',
  path: '/v1/portals/:portal_id',
  credential: 'user-or-access-code',
  params: PortalParams,
  status: 200,
  reply: Portal,
  refusals: ['portal_not_found', 'portal_inactive', 'portal_expired'],
})

export const deletePortal = endpoint({
  chapter: 'Portals',
  summary: 'Delete a Portal',
  description: 'Its packages stay.',
  method: 'DELETE',
  path: '/v1/portals/:portal_id',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: PortalParams,
  status: 204,
  refusals: ['portal_not_found'],
})

export const portalSorts = ['name', 'created_at', 'active'] as const

export const listPortals = endpoint({
  chapter: 'Portals',
  summary: 'List the Portals of a Team',
  method: 'GET',
  path: '/v1.1/teams/:team_id/portals',
  credential: 'user',
  params: TeamParams,
  query: Type.Object({
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'The first page is 1.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Records on a page; 50 if left out.' })),
    sort: Type.Optional(Sort(portalSorts)),
    name: Type.Optional(Line(200, { description: 'Part of the name.' })),
    subdomain: Type.Optional(Line(53, { description: 'Part of the subdomain.' })),
    tags: Type.Optional(QueryList(Id)),
    teamspaces: Type.Optional(QueryList(Id)),
  }),
  status: 200,
  reply: Page(Portal),
  refusals: ['team_not_found'],
})

export const listPortalsLegacy = endpoint({
  chapter: 'Portals',
  summary: 'List all Portals of a Team (legacy)',
  description: 'One array without pages. New integrations use v1.1.',
  method: 'GET',
  path: '/v1/teams/:team_id/portals',
  credential: 'user',
  params: TeamParams,
  status: 200,
  reply: Type.Array(Portal),
  refusals: ['team_not_found'],
})

export const lookUpPortal = endpoint({
  chapter: 'Portals',
  summary: 'Find a Portal by its subdomain',
  description: 'The fields of its form are shown where the Portal has no access code.',
  method: 'GET',
  path: '/v1/subdomains/portals/:subdomain',
  credential: 'none',
  params: Type.Object({ subdomain: Type.String({ minLength: 1, maxLength: 63 }) }),
  status: 200,
  reply: PublicPortal,
  refusals: ['portal_not_found', 'portal_inactive', 'portal_expired'],
})
