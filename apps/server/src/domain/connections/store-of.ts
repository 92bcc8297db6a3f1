import type { ForeignStore } from '#blob/foreign-store'
import type { Cx } from '#domain/cx'
import type { ConnectionRow } from '#store/connections'
import { openConnectionKeys } from './authorization.ts'

/** The store behind a connection. To be closed by whoever opens it. */
export function storeOf(
  cx: Pick<Cx, 'box' | 'foreignStore'>,
  { id, authorization_sealed }: Pick<ConnectionRow, 'id' | 'authorization_sealed'>,
): ForeignStore {
  if (authorization_sealed === null) throw new Error(`Connection '${id}' is no store.`)
  return cx.foreignStore(openConnectionKeys(cx, id, authorization_sealed))
}
