import { authorizeAsUser } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { teamsOfUser } from '#store/users'
import { presentUser } from './present.ts'

/** The user behind a credential and their Teams. An API key only ever speaks for the one Team it belongs to. */
export async function whoAmI(cx: Pick<Cx, 'db'>, caller: Caller) {
  const user = await authorizeAsUser(cx, caller)
  const teams = await teamsOfUser(cx.db, user.id)
  return {
    user: presentUser(user),
    teams: caller.kind === 'api-key' ? teams.filter((team) => team.id === caller.teamId) : teams,
  }
}
