import { authorizeInTeam } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'
import { type TeamSettingsChange, teamById, updateSettings } from '#store/teams'
import { presentSettings } from './present.ts'

export async function readTeamSettings(cx: Pick<Cx, 'db'>, caller: Caller, teamId: string) {
  await authorizeInTeam(cx, caller, 'team.read-settings', teamId)
  const team = await teamById(cx.db, teamId)
  if (team === undefined) throw new Refusal('team_not_found')
  return presentSettings(team)
}

/** Changes what is given; the rest stays. Packages that exist keep the expiry they have. */
export async function updateTeamSettings(
  cx: Pick<Cx, 'db'>,
  caller: Caller,
  teamId: string,
  change: TeamSettingsChange,
) {
  await authorizeInTeam(cx, caller, 'team.change-settings', teamId)
  const team = await cx.db.transaction((tx) => updateSettings(tx, teamId, change))
  if (team === undefined) throw new Refusal('team_not_found')
  return presentSettings(team)
}
