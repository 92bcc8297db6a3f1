import { newId } from '@longshore/kit/ids'
import { authorizeInTeam } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { createOnce, type Once } from '#domain/idempotency'
import { applyTag } from '#domain/packages/apply-tag'
import { invalid, Refusal } from '#domain/refusal'
import { isDuplicate, type Reads, type Tx } from '#platform/db'
import {
  deletePortalRow,
  insertPortal,
  lockPortal,
  portalById,
  type PortalRow,
  replaceAccessList,
  replaceConnections,
  replaceWebhooks,
  updatePortalRow,
} from '#store/portals'
import { spaceById } from '#store/spaces'
import { type TeamRow, teamById } from '#store/teams'
import { noSuchPortal, portalOfTeam } from './enter-portal.ts'
import { type GivenPortal, portalFields } from './portal-fields.ts'
import { presentPortal } from './present.ts'

type Needs = Pick<Cx, 'db' | 'box' | 'settings'>

export async function createPortal(cx: Needs, caller: Caller, teamId: string, given: GivenPortal, once?: Once) {
  const member = await authorizeInTeam(cx, caller, 'portal.manage', teamId)
  const team = await teamOf(cx.db, teamId)
  const id = newId()
  const fields = portalFields(cx, id, given, { team, before: undefined })
  return claimingSubdomain(given.subdomain, () =>
    createOnce(cx, once, async (tx) => {
      await checkTeamspace(tx, teamId, given.teamspace_id, undefined)
      await insertPortal(tx, teamId, id, { ...fields, tag_id: await applyTag(tx, teamId, given.tag) })
      return presentPortal(cx, await attach(tx, teamId, id, given), member.role)
    }),
  )
}

/** Replaces a Portal by the object that is sent; what is ours and left out stays. */
export async function updatePortal(cx: Needs, caller: Caller, id: string, given: GivenPortal) {
  const { portal, member } = await portalOfTeam(cx, caller, 'portal.manage', id)
  const teamId = portal.team_id
  const team = await teamOf(cx.db, teamId)
  return claimingSubdomain(given.subdomain, () =>
    cx.db.transaction(async (tx) => {
      // Locked before it is read again: what is left out keeps the value that the update before us wrote.
      if ((await lockPortal(tx, teamId, id)) === undefined) throw noSuchPortal(id)
      const before = await portalById(tx, id)
      const fields = portalFields(cx, id, given, { team, before })
      await checkTeamspace(tx, teamId, given.teamspace_id, before?.teamspace_id)
      const tag_id = await applyTag(tx, teamId, given.tag)
      if (!(await updatePortalRow(tx, teamId, id, { ...fields, tag_id }))) throw noSuchPortal(id)
      return presentPortal(cx, await attach(tx, teamId, id, given), member.role)
    }),
  )
}

/** Closes a Portal for good. Its packages stay, and with them the rule who may see them. */
export async function deletePortal(cx: Pick<Cx, 'db'>, caller: Caller, id: string): Promise<void> {
  const { portal } = await portalOfTeam(cx, caller, 'portal.manage', id)
  if (!(await cx.db.transaction((tx) => deletePortalRow(tx, portal.team_id, id)))) throw noSuchPortal(id)
}

async function teamOf(reads: Reads, teamId: string): Promise<TeamRow> {
  const team = await teamById(reads, teamId)
  if (team === undefined) throw new Refusal('team_not_found')
  return team
}

/** The unique index is the judge: of two who want a subdomain at once, one gets it. */
async function claimingSubdomain<Result>(subdomain: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isDuplicate(error, 'portals_subdomain')) throw error
    throw new Refusal('subdomain_taken', `The subdomain '${subdomain}' is in use. Choose another.`)
  }
}

/** The Teamspace that a Portal has already may stay, even if it was deleted: taking it away would open the Portal. */
async function checkTeamspace(
  tx: Tx,
  teamId: string,
  wanted: string | undefined,
  current: string | null | undefined,
): Promise<void> {
  if (!wanted || wanted.toLowerCase() === current) return
  const space = await spaceById(tx, wanted)
  if (space?.team_id !== teamId) throw invalid('teamspace_id', 'must be a Teamspace of this Team')
}

async function attach(tx: Tx, teamId: string, id: string, given: GivenPortal): Promise<PortalRow> {
  if (given.access_list !== undefined) {
    const wanted = distinct(given.access_list)
    if ((await replaceAccessList(tx, teamId, id, wanted)) < wanted.length) {
      throw invalid('access_list', 'must all be members of this Team')
    }
  }
  if (given.custom_webhooks !== undefined) {
    const wanted = distinct(given.custom_webhooks.map((webhook) => webhook.id))
    if ((await replaceWebhooks(tx, teamId, id, wanted)) < wanted.length) {
      throw invalid('custom_webhooks', 'must all be webhooks of this Team')
    }
  }
  if (given.cloud_connections !== undefined) {
    const wanted = distinct(given.cloud_connections.map((connection) => connection.id))
    if ((await replaceConnections(tx, teamId, id, wanted)) < wanted.length) {
      throw invalid('cloud_connections', 'must all be cloud connections of this Team that files may be sent to')
    }
  }
  const portal = await portalById(tx, id)
  if (portal === undefined) throw new Error(`Portal '${id}' was written and is not there.`)
  return portal
}

// Two spellings of one id are one id.
const distinct = (ids: readonly string[]): readonly string[] => [...new Set(ids.map((id) => id.toLowerCase()))]
