import type { Cx } from '#domain/cx'
import type { Role } from '@longshore/contract/endpoint'
import { presentField } from '#domain/forms/present'
import { showTime } from '#domain/times'
import type { PortalRow } from '#store/portals'

export const accessCodeContext = (id: string): string => `portal/${id}/access-code`
export const downloadPasswordContext = (id: string): string => `portal/${id}/download-password`

type Needs = Pick<Cx, 'box' | 'settings'>

/** A Portal as outside senders see it. */
export const presentPublicPortal = (
  cx: Pick<Cx, 'settings'>,
  portal: PortalRow,
  { withForm }: { readonly withForm: boolean },
) => ({
  id: portal.id,
  name: portal.name,
  subdomain: portal.subdomain,
  url: cx.settings.portalUrl.replaceAll('{subdomain}', portal.subdomain),
  message: portal.message,
  active: portal.active,
  has_access_code: portal.has_access_code,
  terms_of_service_enabled: portal.terms_of_service_enabled,
  terms_of_service: portal.terms_of_service,
  package_size_restriction_enabled: portal.package_size_restriction_enabled,
  max_package_size: portal.max_package_size,
  max_file_size: portal.max_file_size,
  max_file_count: portal.max_file_count,
  file_type_restriction_enabled: portal.file_type_restriction_enabled,
  file_types: [...portal.file_types],
  expiry_enabled: portal.expiry_enabled,
  expiry: showTime(portal.expiry),
  primary_color: portal.primary_color,
  logo_url: portal.logo_url,
  background_url: portal.background_url,
  ...(withForm && portal.form_fields !== null ? { custom_metadata: portal.form_fields.map(presentField) } : {}),
})

const maySeeSecrets = (role: Role): boolean => role === 'owner' || role === 'admin'

/** A Portal as its Team sees it. Code and password are for those who may change them. */
export const presentPortal = (cx: Needs, portal: PortalRow, role: Role) => ({
  ...presentPublicPortal(cx, portal, { withForm: true }),
  team_id: portal.team_id,
  recipients: [...portal.recipients],
  cc_recipients: [...portal.cc_recipients],
  disable_upload_receipt: portal.disable_upload_receipt,
  has_download_password: portal.has_download_password,
  custom_expiry_days: portal.custom_expiry_days,
  cloud_connections: portal.connection_ids.map((id) => ({ id })),
  custom_webhooks: portal.webhook_ids.map((id) => ({ id })),
  ...(portal.tag_id !== null && portal.tag_name !== null ? { tag: { id: portal.tag_id, name: portal.tag_name } } : {}),
  access_level: portal.access_level,
  access_list: [...portal.access_list],
  teamspace_id: portal.teamspace_id ?? '',
  created_at: showTime(portal.created_at),
  updated_at: showTime(portal.updated_at),
  ...(maySeeSecrets(role)
    ? {
        access_code: opened(cx, accessCodeContext(portal.id), portal.access_code_sealed),
        download_password: opened(cx, downloadPasswordContext(portal.id), portal.download_password_sealed),
      }
    : {}),
})

const opened = (cx: Pick<Cx, 'box'>, context: string, sealed: Buffer | null): string =>
  sealed === null ? '' : cx.box.open(context, sealed)
