import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { askGateway } from '#domain/gateways/ask'
import { Refusal } from '#domain/refusal'
import type { ConnectionRow } from '#store/connections'
import { managedConnection } from './connections.ts'
import { explainFault } from './faults.ts'
import { storeOf } from './store-of.ts'

type Needs = Pick<Cx, 'db' | 'box' | 'foreignStore' | 'switchboard'>

/** Does what transfers over a connection will do, and leaves nothing behind. */
export async function tryConnection(cx: Needs, caller: Caller, id: string) {
  const connection = await managedConnection(cx, caller, id)
  const message = connection.provider === 's3' ? await tryStore(cx, connection) : await tryGateway(cx, connection)
  return { ok: message === '', message }
}

async function tryStore(cx: Needs, connection: ConnectionRow): Promise<string> {
  const store = storeOf(cx, connection)
  const folder = connection.target_directory === '' ? '' : `${connection.target_directory}/`
  try {
    if (connection.direction !== 'export') await store.listFolder(folder, '', 1)
    if (connection.direction !== 'import') {
      // An upload that is begun and taken back shows that we may write, without anything ever being there to see.
      const key = `${folder}longshore-test`
      await store.abort(key, await store.beginUpload(key))
    }
    return ''
  } catch (error) {
    const said = explainFault(error)
    if (said === undefined) throw error
    return said
  } finally {
    store.close()
  }
}

async function tryGateway(cx: Needs, connection: ConnectionRow): Promise<string> {
  const { permissions } = await askGateway(cx, connection.id, { ask: 'about' })
  const wanted = { import: 'r', export: 'w', both: 'rw' }[connection.direction]
  const isMissing = (permission: 'r' | 'w') => wanted.includes(permission) && !permissions.includes(permission)
  if (isMissing('r') || isMissing('w')) return `Its agent allows '${permissions}', and '${wanted}' is needed.`
  if (connection.direction === 'export') return ''
  try {
    await askGateway(cx, connection.id, { ask: 'list', path: connection.target_directory, after: '', count: 1 })
    return ''
  } catch (error) {
    if (error instanceof Refusal && error.code === 'connection_refused') return error.message
    throw error
  }
}
