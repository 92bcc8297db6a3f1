import { newId } from '@longshore/kit/ids'
import { authorizeForThing, authorizeInTeam } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { createOnce, type Once } from '#domain/idempotency'
import { invalid, Refusal } from '#domain/refusal'
import { presentMember } from '#domain/teams/present'
import type { Reads, Tx } from '#platform/db'
import { membersById, membersOfSpace } from '#store/members'
import {
  addToSpace,
  countSpaces,
  deleteSpaceRow,
  emptySpace,
  insertSpace,
  renameSpace,
  type SpaceRow,
  spaceById,
  spacesOfTeam,
  takeFromSpace,
} from '#store/spaces'

const pageSize = 50

type Needs = Pick<Cx, 'db'>

/** The Teamspaces of a Team; the first page is 0. */
export async function listSpaces(
  cx: Needs,
  caller: Caller,
  teamId: string,
  { page = 0, limit = pageSize }: { page?: number; limit?: number },
) {
  await authorizeInTeam(cx, caller, 'space.manage', teamId)
  const [total, records] = await Promise.all([countSpaces(cx.db, teamId), spacesOfTeam(cx.db, teamId, page, limit)])
  return { metadata: { per_page: limit, total }, records: records.map(({ id, name }) => ({ id, name })) }
}

export interface SpaceFields {
  readonly name: string
  readonly membership_ids?: readonly string[]
}

export async function createSpace(
  cx: Pick<Cx, 'db' | 'box'>,
  caller: Caller,
  teamId: string,
  given: SpaceFields,
  once?: Once,
) {
  await authorizeInTeam(cx, caller, 'space.manage', teamId)
  return createOnce(cx, once, async (tx) => {
    const space = { id: newId(), team_id: teamId, name: given.name }
    await insertSpace(tx, space)
    await add(tx, space, given.membership_ids ?? [])
    return presentSpace(tx, space)
  })
}

export async function readSpace(cx: Needs, caller: Caller, id: string) {
  return presentSpace(cx.db, await managedSpace(cx, caller, id))
}

/** Renames a Teamspace. Its members become exactly those listed; left out, they stay. */
export async function updateSpace(cx: Needs, caller: Caller, id: string, given: SpaceFields) {
  const space = { ...(await managedSpace(cx, caller, id)), name: given.name }
  return cx.db.transaction(async (tx) => {
    if (!(await renameSpace(tx, id, given.name))) throw noSuchSpace(id)
    if (given.membership_ids !== undefined) {
      await emptySpace(tx, space)
      await add(tx, space, given.membership_ids)
    }
    return presentSpace(tx, space)
  })
}

export async function deleteSpace(cx: Needs, caller: Caller, id: string): Promise<void> {
  await managedSpace(cx, caller, id)
  if (!(await cx.db.transaction((tx) => deleteSpaceRow(tx, id)))) throw noSuchSpace(id)
}

/** Adds members, all or none, and answers them with all their Teamspaces. */
export async function addSpaceMembers(cx: Needs, caller: Caller, id: string, membershipIds: readonly string[]) {
  const space = await managedSpace(cx, caller, id)
  return cx.db.transaction(async (tx) => {
    await add(tx, space, membershipIds)
    return (await membersById(tx, space.team_id, membershipIds)).map(presentMember)
  })
}

export async function removeSpaceMember(cx: Needs, caller: Caller, id: string, membershipId: string): Promise<void> {
  const space = await managedSpace(cx, caller, id)
  if (!(await cx.db.transaction((tx) => takeFromSpace(tx, space, membershipId)))) {
    throw new Refusal('member_not_found', `This Teamspace has no member '${membershipId}'.`)
  }
}

async function managedSpace(cx: Needs, caller: Caller, id: string): Promise<SpaceRow> {
  const found = await spaceById(cx.db, id)
  return (await authorizeForThing(cx, caller, 'space.manage', found, noSuchSpace(id))).thing
}

const noSuchSpace = (id: string) =>
  new Refusal('teamspace_not_found', `There is no Teamspace '${id}' for this credential.`)

async function add(tx: Tx, space: SpaceRow, membershipIds: readonly string[]): Promise<void> {
  const known = await addToSpace(tx, space, membershipIds)
  if (known < new Set(membershipIds).size) throw invalid('membership_ids', 'must all be members of this Team')
}

const presentSpace = async (reads: Reads, space: SpaceRow) => ({
  id: space.id,
  name: space.name,
  members: (await membersOfSpace(reads, space.team_id, space.id)).map(presentMember),
})
