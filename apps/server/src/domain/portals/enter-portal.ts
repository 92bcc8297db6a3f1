import { sameSecret } from '@longshore/kit/secrets'
import { authorizeForThing, type Member } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import { countGuess } from '#domain/access/guesses'
import { viewerOf } from '#domain/access/visible'
import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'
import { isPortalSeen, portalById, type PortalRow } from '#store/portals'
import { accessCodeContext } from './present.ts'

/** What an outside sender shows, and where they come from. */
export interface Visit {
  readonly accessCode: string | undefined
  readonly address: string
}

export const noSuchPortal = (id: string): Refusal => new Refusal('portal_not_found', `There is no Portal '${id}'.`)

/** A Portal for an outside sender: open, and with the right access code where it has one. */
export async function enterPortal(
  cx: Pick<Cx, 'db' | 'box' | 'limiter'>,
  id: string,
  visit: Visit,
): Promise<PortalRow> {
  const portal = await portalById(cx.db, id)
  if (portal === undefined) throw noSuchPortal(id)
  refuseClosed(portal)
  await checkAccessCode(cx, portal, visit)
  return portal
}

export function refuseClosed(portal: PortalRow): void {
  if (!portal.active) throw new Refusal('portal_inactive')
  if (portal.expired) throw new Refusal('portal_expired')
}

async function checkAccessCode(
  cx: Pick<Cx, 'box' | 'limiter'>,
  portal: PortalRow,
  { accessCode, address }: Visit,
): Promise<void> {
  if (!portal.has_access_code || portal.access_code_sealed === null) return
  if (accessCode === undefined || accessCode === '') {
    throw new Refusal('access_code_wrong', 'This Portal has an access code. Send it in X-Access-Code.')
  }
  await countGuess(cx, `portal:${portal.id}`, address)
  if (!sameSecret(accessCode, cx.box.open(accessCodeContext(portal.id), portal.access_code_sealed))) {
    throw new Refusal('access_code_wrong')
  }
}

/** A Portal for somebody of its Team. One that the member may not see does not exist for them. */
export async function portalOfTeam(
  cx: Pick<Cx, 'db'>,
  caller: Caller,
  action: 'portal.see' | 'portal.manage' | 'form.manage',
  id: string,
): Promise<{ readonly portal: PortalRow; readonly member: Member }> {
  const found = await portalById(cx.db, id)
  const { thing, member } = await authorizeForThing(cx, caller, action, found, noSuchPortal(id))
  const viewer = viewerOf(member)
  if (!viewer.seesAll && !(await isPortalSeen(cx.db, thing.team_id, id, viewer))) throw noSuchPortal(id)
  return { portal: thing, member }
}
