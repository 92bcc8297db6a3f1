import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { maxChunkSize, MiB, minChunkSize } from '#limits'
import {
  AppliedTag,
  Bytes,
  Count,
  Email,
  Id,
  Line,
  Link,
  Page,
  QueryBoolean,
  QueryList,
  Secret,
  TagObject,
  Text,
  Time,
  Word,
} from '#shapes'

export const packageStates = ['new', 'finalized', 'expired', 'archived'] as const
export const PackageState = Word(packageStates)

export const ChunkSize = Type.Integer({
  minimum: 0,
  maximum: maxChunkSize,
  description: `Bytes; 0 or left out for the default, otherwise at least ${minChunkSize}.`,
})

const Recipients = Type.Array(Email, { maxItems: 1_000, uniqueItems: true })

const PackageName = Line(255, { minLength: 1 })

export const PackageParams = Type.Object({ package_id: Id })
export const TeamParams = Type.Object({ team_id: Id })

/** A package as its managers see it. Callers of lesser level get it without token, password and recipients. */
export const Package = Type.Object({
  id: Id,
  team_id: Id,
  portal_id: Type.String({ description: 'Empty when the package did not come through a Portal.' }),
  name: Type.String(),
  description: Type.String(),
  access_limit: Count,
  access_token: Type.Optional(Type.String()),
  contains_virus: Type.Boolean(),
  created_at: Time,
  updated_at: Time,
  finalized_at: Time,
  custom_expiry: Type.Boolean(),
  custom_metadata_id: Type.String(),
  downloads: Count,
  expiry: Time,
  password: Type.Optional(Type.String()),
  progress_channels: Type.Array(Type.String()),
  recipients: Type.Optional(Type.Array(Type.String())),
  sender: Type.String(),
  size: Bytes,
  state: PackageState,
  teamspace: Type.Union([Type.Object({ id: Id, name: Type.String() }), Type.Null()]),
  teamspace_id: Type.String(),
  total_files: Count,
  unlimited_storage: Type.Boolean(),
  chunk_size: Bytes,
  tag: Type.Optional(AppliedTag),
})

export const createTeamPackage = endpoint({
  chapter: 'Packages',
  summary: 'Create a package for a Team',
  method: 'POST',
  path: '/v1/teams/:team_id/packages',
  credential: 'user',
  params: TeamParams,
  body: Type.Object({
    name: PackageName,
    description: Text(10_000),
    recipients: Recipients,
    access_limit: Type.Optional(Count),
    password: Type.Optional(Secret),
    unlimited_storage: Type.Optional(Type.Boolean()),
    chunk_size: Type.Optional(ChunkSize),
    tag: Type.Optional(TagObject),
    teamspace_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'Only its members see the package; the whole Team if left out.' }),
    ),
  }),
  bodyLimit: MiB / 2,
  status: 201,
  reply: Package,
  idempotent: true,
  refusals: ['team_not_found'],
})

export const readPackage = endpoint({
  chapter: 'Packages',
  summary: 'Read a package',
  description: 'With a read or write token the reply has no access_token, password or recipients.',
  method: 'GET',
  path: '/v1/packages/:package_id',
  credential: 'package-token',
  levels: ['manage', 'write', 'read'],
  params: PackageParams,
  status: 200,
  reply: Package,
  refusals: ['package_not_found', 'package_expired'],
})

export const updatePackage = endpoint({
  chapter: 'Packages',
  summary: 'Update a package',
  description:
    'Leaving out `tag` removes the tag. `access_limit`, `password` and `recipients` take a management token of a Team package.',
  method: 'PUT',
  path: '/v1/packages/:package_id',
  credential: 'package-token',
  levels: ['manage', 'write'],
  params: PackageParams,
  body: Type.Object({
    name: PackageName,
    description: Type.Optional(Text(10_000)),
    tag: Type.Optional(TagObject),
    access_limit: Type.Optional(Count),
    password: Type.Optional(Secret),
    recipients: Type.Optional(Recipients),
  }),
  bodyLimit: MiB / 2,
  status: 200,
  reply: Package,
  refusals: ['package_not_found', 'package_expired'],
})

export const setPackageExpiry = endpoint({
  chapter: 'Packages',
  summary: 'Set when a package expires',
  method: 'PUT',
  path: '/v1/packages/:package_id/expiry',
  credential: 'package-token',
  levels: ['manage'],
  params: PackageParams,
  body: Type.Object({ expiry: Type.Optional(Time), unlimited_storage: Type.Optional(Type.Boolean()) }),
  status: 200,
  reply: Package,
  refusals: ['package_not_found', 'package_expired'],
})

export const deletePackage = endpoint({
  chapter: 'Packages',
  summary: 'Delete a package',
  description:
    'Files and form answers go; name, recipients and sender are kept. The package is `expired` from then on.',
  method: 'DELETE',
  path: '/v1/packages/:package_id',
  credential: 'package-token',
  levels: ['manage'],
  params: PackageParams,
  status: 204,
  refusals: ['package_not_found'],
})

export const finalizePackage = endpoint({
  chapter: 'Upload',
  summary: 'Finalize a package',
  description: 'Closes the package to further files and sets its announcements going. A repeat answers 204 again.',
  method: 'POST',
  path: '/v1/packages/:package_id/finalize',
  credential: 'package-token',
  levels: ['manage', 'write'],
  params: PackageParams,
  status: 204,
  refusals: [
    'package_not_found',
    'files_unfinished',
    'package_empty',
    'package_expired',
    'package_too_large',
    'file_too_large',
    'storage_unavailable',
  ],
})

export const archivePackage = endpoint({
  chapter: 'Packages',
  summary: 'Archive an expired package',
  method: 'PUT',
  path: '/v1/packages/:package_id/archive',
  credential: 'package-token',
  levels: ['manage'],
  params: PackageParams,
  status: 204,
  refusals: ['package_not_found', 'package_not_expired'],
})

export const unarchivePackage = endpoint({
  chapter: 'Packages',
  summary: 'Take a package out of the archive',
  method: 'PUT',
  path: '/v1/packages/:package_id/unarchive',
  credential: 'package-token',
  levels: ['manage'],
  params: PackageParams,
  status: 204,
  refusals: ['package_not_found', 'package_not_expired'],
})

const bulk = {
  chapter: 'Packages',
  method: 'PUT',
  credential: 'user',
  roles: ['owner', 'admin'],
  params: TeamParams,
  body: Type.Object({ expiry_start: Time, expiry_end: Time }),
  status: 200,
  reply: Type.Object({ total_updated: Count }),
  refusals: ['team_not_found'],
} as const

export const archiveSent = endpoint({
  ...bulk,
  summary: 'Archive sent packages by expiry',
  path: '/v1/teams/:team_id/archive',
})
export const unarchiveSent = endpoint({
  ...bulk,
  summary: 'Take sent packages out of the archive by expiry',
  path: '/v1/teams/:team_id/unarchive',
})
export const archiveReceived = endpoint({
  ...bulk,
  summary: 'Archive received packages by expiry',
  path: '/v1/teams/:team_id/inbox/archive',
})
export const unarchiveReceived = endpoint({
  ...bulk,
  summary: 'Take received packages out of the archive by expiry',
  path: '/v1/teams/:team_id/inbox/unarchive',
})

export const packageSorts = [
  'name',
  'created_at',
  'finalized_at',
  'size',
  'usage_total_bytes',
  'expiry',
  'sender',
  'status',
  'teamspace_id',
] as const

export const Sort = (names: readonly string[]) =>
  Type.String({
    pattern: `^-?(?:${names.join('|')})$`,
    description: `One of ${names.join(', ')}; a leading - sorts downwards.`,
  })

const paging = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'The first page is 1.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Records on a page; 50 if left out.' })),
}

const packageFilters = {
  sort: Type.Optional(Sort(packageSorts)),
  tags: Type.Optional(QueryList(Id)),
  sender: Type.Optional(Line(254)),
  created_at_start: Type.Optional(Time),
  created_at_end: Type.Optional(Time),
  finalized_at_start: Type.Optional(Time),
  finalized_at_end: Type.Optional(Time),
  expiry_start: Type.Optional(Time),
  expiry_end: Type.Optional(Time),
  extra_storage: Type.Optional(QueryBoolean),
}

const teamPackageQuery = {
  ...paging,
  ...packageFilters,
  status: Type.Optional(QueryList(PackageState, 4)),
  name: Type.Optional(Line(255)),
  teamspaces: Type.Optional(QueryList(Id)),
}

export const listTeamPackages = endpoint({
  chapter: 'Packages',
  summary: 'List the packages a Team sent',
  method: 'GET',
  path: '/v1.1/teams/:team_id/packages',
  credential: 'user',
  params: TeamParams,
  query: Type.Object(teamPackageQuery),
  status: 200,
  reply: Page(Package),
  refusals: ['team_not_found'],
})

export const listInbox = endpoint({
  chapter: 'Packages',
  summary: 'List the packages a Team received through Portals',
  method: 'GET',
  path: '/v1.1/teams/:team_id/inbox',
  credential: 'user',
  params: TeamParams,
  query: Type.Object({ ...teamPackageQuery, portal: Type.Optional(Id) }),
  status: 200,
  reply: Page(Package),
  refusals: ['team_not_found'],
})

export const readTeamPackage = endpoint({
  chapter: 'Packages',
  summary: 'Read one package of a Team',
  method: 'GET',
  path: '/v1.1/teams/:team_id/packages/:package_id',
  credential: 'user',
  params: Type.Object({ team_id: Id, package_id: Id }),
  status: 200,
  reply: Package,
  refusals: ['team_not_found', 'package_not_found'],
})

/** A record of the lists without pages. */
const LegacyPackage = Type.Object({ ...Package.properties, links: Type.Array(Link) })

const onlyOneAtATime =
  'One array without pages. A Team reads one such list at a time: the next waits a little, then is refused with rate_limited. New integrations use v1.1.'

const legacyStates = Type.Object({
  expired: Type.Optional(QueryBoolean),
  finalized: Type.Optional(QueryBoolean),
  new: Type.Optional(QueryBoolean),
  archived: Type.Optional(QueryBoolean),
})

export const listTeamPackagesLegacy = endpoint({
  chapter: 'Packages',
  summary: 'List all packages a Team sent (legacy)',
  description: onlyOneAtATime,
  method: 'GET',
  path: '/v1/teams/:team_id/packages',
  credential: 'user',
  params: TeamParams,
  query: legacyStates,
  status: 200,
  reply: Type.Array(LegacyPackage),
  refusals: ['team_not_found'],
})

const PortalParams = Type.Object({ portal_id: Id })

export const listPortalPackages = endpoint({
  chapter: 'Packages',
  summary: 'List the packages of a Portal',
  method: 'GET',
  path: '/v1.1/portals/:portal_id/packages',
  credential: 'user',
  params: PortalParams,
  query: Type.Object({ ...paging, ...packageFilters }),
  status: 200,
  reply: Page(Package),
  refusals: ['portal_not_found'],
})

export const listPortalPackagesLegacy = endpoint({
  chapter: 'Packages',
  summary: 'List all packages of a Portal (legacy)',
  description: onlyOneAtATime,
  method: 'GET',
  path: '/v1/portals/:portal_id/packages',
  credential: 'user',
  params: PortalParams,
  query: legacyStates,
  status: 200,
  reply: Type.Array(LegacyPackage),
  refusals: ['portal_not_found'],
})

export const createPortalPackage = endpoint({
  chapter: 'Packages',
  summary: 'Create a package in a Portal',
  description: 'X-Access-Code is needed where the Portal has one. The reply carries a write token.',
  method: 'POST',
  path: '/v1/portals/:portal_id/packages',
  credential: 'access-code',
  params: PortalParams,
  body: Type.Object({
    name: PackageName,
    description: Text(10_000),
    sender: Email,
    form_data_id: Type.Optional(Id),
    chunk_size: Type.Optional(ChunkSize),
  }),
  status: 201,
  reply: Package,
  idempotent: true,
  refusals: ['portal_not_found', 'portal_inactive', 'portal_expired', 'form_field_required', 'form_response_used'],
})
