import { authorizeInTeam } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { apiKeysOfTeam } from '#store/api-keys'
import { presentApiKey } from './present.ts'

export async function listApiKeys(cx: Pick<Cx, 'db'>, caller: Caller, teamId: string) {
  const member = await authorizeInTeam(cx, caller, 'api-key.list', teamId)
  const keys = await apiKeysOfTeam(cx.db, teamId, member.role === 'owner' ? undefined : member.userId)
  return keys.map(presentApiKey)
}
