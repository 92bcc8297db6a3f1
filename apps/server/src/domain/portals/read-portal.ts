import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'
import { portalBySubdomain } from '#store/portals'
import { enterPortal, portalOfTeam, refuseClosed, type Visit } from './enter-portal.ts'
import { presentPortal, presentPublicPortal } from './present.ts'

/** A Portal by its id: whole for its Team, the public view for who comes with an access code. */
export async function readPortal(
  cx: Pick<Cx, 'db' | 'box' | 'limiter' | 'settings'>,
  caller: Caller,
  id: string,
  visit: Visit,
) {
  if (caller.kind === 'anonymous') {
    return presentPublicPortal(cx, await enterPortal(cx, id, visit), { withForm: true })
  }
  const { portal, member } = await portalOfTeam(cx, caller, 'portal.see', id)
  return presentPortal(cx, portal, member.role)
}

/** A Portal by its address, for anyone. What its form asks is told only where there is no access code to know. */
export async function lookUpPortal(cx: Pick<Cx, 'db' | 'settings'>, given: string) {
  const subdomain = given.toLowerCase()
  const portal = /^[a-z0-9-]+$/.test(subdomain) ? await portalBySubdomain(cx.db, subdomain) : undefined
  if (portal === undefined) throw new Refusal('portal_not_found', 'There is no Portal at this address.')
  refuseClosed(portal)
  return presentPublicPortal(cx, portal, { withForm: !portal.has_access_code })
}
