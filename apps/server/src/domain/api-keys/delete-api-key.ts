import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { accessTopic } from '#domain/realtime/announce'
import { deleteApiKeyRow } from '#store/api-keys'
import { ownApiKey } from './own-api-key.ts'

export async function deleteApiKey(cx: Pick<Cx, 'db'>, caller: Caller, id: string): Promise<void> {
  const key = await ownApiKey(cx, caller, id)
  await cx.db.transaction(async (tx) => {
    await deleteApiKeyRow(tx, key.id)
    tx.announce(accessTopic(key.created_by))
  })
}
