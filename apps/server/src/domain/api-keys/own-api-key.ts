import { authorizeForThing } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'
import { type ApiKeyRow, apiKeyById } from '#store/api-keys'

/** A key that the caller may change: any of the Team for an Owner, their own for everybody else. */
export async function ownApiKey(cx: Pick<Cx, 'db'>, caller: Caller, id: string): Promise<ApiKeyRow> {
  const notFound = new Refusal('api_key_not_found', `There is no API key '${id}' for this credential.`)
  const { thing: key, member } = await authorizeForThing(
    cx,
    caller,
    'api-key.change',
    await apiKeyById(cx.db, id),
    notFound,
  )
  if (member.role !== 'owner' && key.created_by !== member.userId) {
    throw new Refusal('insufficient_role', 'Only an Owner changes keys that somebody else created.')
  }
  return key
}

export const suspended = (id: string): Refusal =>
  new Refusal('api_key_suspended', `API key '${id}' is suspended and cannot be changed. Ask the operator.`)
