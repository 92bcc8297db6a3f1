import { showTime } from '#domain/times'
import type { LinkRow } from '#store/links'

/** A link never outlives its package, whatever its own expiry says. Null: neither ends. */
export function linkExpiry(link: Pick<LinkRow, 'expiry'>, pkg: { readonly expiry: Date | null }): Date | null {
  if (link.expiry === null) return pkg.expiry
  if (pkg.expiry === null) return link.expiry
  return link.expiry < pkg.expiry ? link.expiry : pkg.expiry
}

export const isLocked = (link: LinkRow): boolean => link.access_limit > 0 && link.access_count >= link.access_limit

export const presentLink = (link: LinkRow, pkg: { readonly expiry: Date | null; readonly state: string }) => ({
  id: link.id,
  email: link.email,
  expiry: showTime(linkExpiry(link, pkg)),
  access_limit: link.access_limit,
  access_limit_enabled: link.access_limit > 0,
  access_count: link.access_count,
  last_access_at: showTime(link.last_access_at),
  active: link.active && link.deleted_at === null && pkg.state === 'finalized',
  locked: isLocked(link),
  password: link.password_sealed === null ? '' : '****',
  package_id: link.package_id,
  created_at: showTime(link.created_at),
})
