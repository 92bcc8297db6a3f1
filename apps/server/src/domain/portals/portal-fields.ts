import type { Cx } from '#domain/cx'
import { checkRecipients } from '#domain/packages/create-team-package'
import type { TagObject } from '#domain/packages/apply-tag'
import { invalid } from '#domain/refusal'
import { readTime } from '#domain/times'
import { plainType } from '#domain/uploads/file-types'
import type { PortalFields, PortalRow } from '#store/portals'
import type { TeamRow } from '#store/teams'
import { accessCodeContext, downloadPasswordContext } from './present.ts'
import { checkSubdomain } from './subdomains.ts'

/** A Portal as it is sent to us. */
export interface GivenPortal {
  readonly name: string
  readonly subdomain: string
  readonly message?: string
  readonly has_access_code?: boolean
  readonly access_code?: string
  readonly active?: boolean
  readonly recipients?: readonly string[]
  readonly cc_recipients?: readonly string[]
  readonly disable_upload_receipt?: boolean
  readonly has_download_password?: boolean
  readonly download_password?: string
  readonly custom_expiry_days?: number
  readonly cloud_connections?: readonly { readonly id: string }[]
  readonly custom_webhooks?: readonly { readonly id: string }[]
  readonly tag?: TagObject
  readonly access_level?: 'regular' | 'private'
  readonly access_list?: readonly string[]
  readonly teamspace_id?: string
  readonly terms_of_service_enabled?: boolean
  readonly terms_of_service?: { readonly title?: string; readonly text?: string }
  readonly package_size_restriction_enabled?: boolean
  readonly max_package_size?: number
  readonly max_file_size?: number
  readonly max_file_count?: number
  readonly file_type_restriction_enabled?: boolean
  readonly file_types?: readonly string[]
  readonly expiry_enabled?: boolean
  readonly expiry?: string
  readonly primary_color?: string
  readonly logo_url?: string
  readonly background_url?: string
}

/**
 * What a Portal becomes: the spec's fields that were left out get their defaults, those that are ours stay as they were.
 * The tag is found or made in the transaction, so it is not among them.
 */
export function portalFields(
  cx: Pick<Cx, 'box'>,
  id: string,
  given: GivenPortal,
  { team, before }: { readonly team: TeamRow; readonly before: PortalRow | undefined },
): Omit<PortalFields, 'tag_id'> {
  checkSubdomain(given.subdomain)
  checkRecipients(team, given.recipients ?? [])
  checkRecipients(team, given.cc_recipients ?? [], 'cc_recipients')
  if (given.custom_expiry_days === -1 && !team.unlimited_storage_allowed) {
    throw invalid('custom_expiry_days', 'this Team does not keep packages without end')
  }
  return {
    name: given.name,
    subdomain: given.subdomain,
    message: given.message ?? '',
    active: given.active ?? false,
    ...codeAndPassword(cx, id, given),
    recipients: given.recipients ?? [],
    cc_recipients: given.cc_recipients ?? before?.cc_recipients ?? [],
    disable_upload_receipt: given.disable_upload_receipt ?? before?.disable_upload_receipt ?? false,
    custom_expiry_days: given.custom_expiry_days ?? 0,
    access_level: given.access_level ?? 'regular',
    teamspace_id: given.teamspace_id || null,
    terms_of_service_enabled: given.terms_of_service_enabled ?? false,
    terms_of_service: terms(given.terms_of_service),
    package_size_restriction_enabled: given.package_size_restriction_enabled ?? false,
    max_package_size: given.max_package_size ?? 0,
    max_file_size: given.max_file_size ?? 0,
    max_file_count: given.max_file_count ?? 0,
    ...fileTypes(given),
    ...closing(given),
    primary_color: given.primary_color ?? before?.primary_color ?? '',
    logo_url: given.logo_url ?? before?.logo_url ?? '',
    background_url: given.background_url ?? before?.background_url ?? '',
  }
}

/** A code or password that is switched off is kept, so that it can be switched on again. */
function codeAndPassword(cx: Pick<Cx, 'box'>, id: string, given: GivenPortal) {
  const { access_code = '', download_password = '' } = given
  const has_access_code = given.has_access_code ?? access_code !== ''
  const has_download_password = given.has_download_password ?? false
  if (has_access_code && access_code === '') throw invalid('access_code', 'is required with has_access_code')
  if (given.access_level === 'private' && !has_access_code) {
    throw invalid('access_code', 'a private Portal needs an access code')
  }
  if (has_download_password && download_password === '') {
    throw invalid('download_password', 'is required with has_download_password')
  }
  return {
    has_access_code,
    access_code_sealed: access_code === '' ? null : cx.box.seal(accessCodeContext(id), access_code),
    has_download_password,
    download_password_sealed:
      download_password === '' ? null : cx.box.seal(downloadPasswordContext(id), download_password),
  }
}

// Only what the contract names: whatever else an object carries is not ours to keep or to show.
const terms = ({ title, text }: { readonly title?: string; readonly text?: string } = {}) => ({
  ...(title === undefined ? {} : { title }),
  ...(text === undefined ? {} : { text }),
})

function fileTypes({ file_type_restriction_enabled = false, file_types = [] }: GivenPortal) {
  const empty = file_types.findIndex((type) => plainType(type) === '')
  if (empty >= 0) throw invalid(`file_types/${empty}`, 'must be an extension')
  if (file_type_restriction_enabled && file_types.length === 0) {
    throw invalid('file_types', 'must name an extension, or the Portal would take nothing')
  }
  return { file_type_restriction_enabled, file_types }
}

function closing({ expiry_enabled = false, expiry }: GivenPortal) {
  const time = expiry === undefined ? null : readTime('expiry', expiry)
  if (expiry_enabled && time === null) throw invalid('expiry', 'is required with expiry_enabled')
  return { expiry_enabled, expiry: time }
}
