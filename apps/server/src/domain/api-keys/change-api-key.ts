import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { accessTopic } from '#domain/realtime/announce'
import { readTime } from '#domain/times'
import { updateApiKeyRow } from '#store/api-keys'
import type { ApiKeyFields } from './create-api-key.ts'
import { ownApiKey, suspended } from './own-api-key.ts'
import { presentApiKey } from './present.ts'

/** Changes a key. A suspended one stays as it is, whoever asks. */
export async function updateApiKey(cx: Pick<Cx, 'db'>, caller: Caller, id: string, given: ApiKeyFields) {
  const key = await ownApiKey(cx, caller, id)
  const updated = await cx.db.transaction((tx) => {
    tx.announce(accessTopic(key.created_by))
    return updateApiKeyRow(tx, key.id, {
      name: given.name,
      description: given.description,
      expiry: given.expiry === undefined ? undefined : readTime('expiry', given.expiry),
      state: given.state,
    })
  })
  if (updated === undefined) throw suspended(id)
  return presentApiKey(updated)
}

export async function switchApiKey(
  cx: Pick<Cx, 'db'>,
  caller: Caller,
  id: string,
  state: 'active' | 'inactive',
): Promise<void> {
  await updateApiKey(cx, caller, id, { state })
}
