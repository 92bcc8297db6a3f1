import type { Cx } from '#domain/cx'
import { mendCounts, sumInMemory, type WrongCount, wrongCounts } from '#store/package-counts'
import { teamIds } from '#store/teams'

export interface WrongTeam {
  readonly teamId: string
  /** Some of those that are wrong. */
  readonly counts: readonly WrongCount[]
}

/** Holds the counts that totals come from against the packages themselves, Team by Team. */
export async function checkCounts(
  cx: Pick<Cx, 'db'>,
): Promise<{ readonly teams: number; readonly wrong: readonly WrongTeam[] }> {
  const teams = await teamIds(cx.db)
  const wrong: WrongTeam[] = []
  for (const teamId of teams) {
    const counts = await cx.db.transaction(async (tx) => {
      await sumInMemory(tx)
      return wrongCounts(tx, teamId)
    })
    if (counts.length > 0) wrong.push({ teamId, counts })
  }
  return { teams: teams.length, wrong }
}

/** Makes the counts what the packages add up to, of one Team or of all. */
export async function recount(cx: Pick<Cx, 'db'>, team?: string) {
  const mended: { teamId: string; mended: number }[] = []
  for (const teamId of team === undefined ? await teamIds(cx.db) : [team]) {
    const count = await cx.db.transaction(async (tx) => {
      await sumInMemory(tx)
      return mendCounts(tx, teamId)
    })
    mended.push({ teamId, mended: count })
  }
  return mended
}
