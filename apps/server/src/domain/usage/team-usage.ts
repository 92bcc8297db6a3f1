import { authorizeInTeam } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { usageOf } from '#store/usage'

const defaultDays = 30

/** What a Team sent, received and handed out, day by day. */
export async function teamUsage(cx: Pick<Cx, 'db'>, caller: Caller, teamId: string, asked: { readonly days?: number }) {
  await authorizeInTeam(cx, caller, 'team.read-usage', teamId)
  return { days: await usageOf(cx.db, teamId, asked.days ?? defaultDays) }
}
