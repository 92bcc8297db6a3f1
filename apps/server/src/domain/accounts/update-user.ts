import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { invalid } from '#domain/refusal'
import { teamsOfUser, updateUserRow } from '#store/users'
import { ownAccount } from './own-account.ts'
import { presentUser } from './present.ts'

export async function updateUser(
  cx: Pick<Cx, 'db'>,
  caller: Caller,
  userId: string,
  change: { name?: string; time_zone?: string; preferred_team_id?: string },
) {
  const user = await ownAccount(cx, caller, userId)
  if (change.time_zone !== undefined && !isTimeZone(change.time_zone)) {
    throw invalid('time_zone', 'must be the IANA name of a time zone, for example Europe/Paris')
  }
  if (change.preferred_team_id !== undefined) {
    const teams = await teamsOfUser(cx.db, user.id)
    if (!teams.some((team) => team.id === change.preferred_team_id)) {
      throw invalid('preferred_team_id', 'must be a Team that you belong to')
    }
  }
  const updated = await cx.db.transaction((tx) =>
    updateUserRow(tx, user.id, {
      name: change.name,
      timeZone: change.time_zone,
      preferredTeamId: change.preferred_team_id,
    }),
  )
  return presentUser(updated ?? user)
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
