import type { FolderPage } from '#blob/foreign-store'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { askGateway } from '#domain/gateways/ask'
import type { ConnectionRow } from '#store/connections'
import { managedConnection } from './connections.ts'
import { connectionFault } from './faults.ts'
import { storeOf } from './store-of.ts'

const pageLength = 1_000

interface Wanted {
  readonly folder: string
  readonly after: string
  readonly count: number
}

/** One folder in the storage of a connection. */
export async function browseConnection(
  cx: Pick<Cx, 'db' | 'box' | 'foreignStore' | 'switchboard'>,
  caller: Caller,
  id: string,
  { prefix = '', after = '', count = pageLength }: { prefix?: string; after?: string; count?: number },
) {
  const connection = await managedConnection(cx, caller, id)
  const wanted = { folder: prefix.replace(/^\/+|\/+$/g, ''), after, count }
  const { entries, next } =
    connection.provider === 's3' ? await inStore(cx, connection, wanted) : await behindGateway(cx, connection, wanted)
  return {
    files: entries.map(({ kind, path, size, modifiedAt }) => ({
      kind,
      name: path.slice(path.lastIndexOf('/') + 1),
      path,
      ...(size === undefined ? {} : { size }),
      ...(modifiedAt === undefined ? {} : { last_modified: modifiedAt.toISOString() }),
    })),
    next,
  }
}

async function inStore(
  cx: Pick<Cx, 'box' | 'foreignStore'>,
  connection: ConnectionRow,
  { folder, after, count }: Wanted,
): Promise<FolderPage> {
  const store = storeOf(cx, connection)
  try {
    return await store.listFolder(folder === '' ? '' : `${folder}/`, after, count)
  } catch (error) {
    throw connectionFault(error)
  } finally {
    store.close()
  }
}

async function behindGateway(
  cx: Pick<Cx, 'switchboard'>,
  connection: ConnectionRow,
  { folder, after, count }: Wanted,
): Promise<FolderPage> {
  const { entries, next } = await askGateway(cx, connection.id, { ask: 'list', path: folder, after, count })
  return {
    entries: entries.map(({ kind, name, size, last_modified }) => ({
      kind,
      path: folder === '' ? name : `${folder}/${name}`,
      ...(size === undefined ? {} : { size }),
      ...(last_modified === undefined ? {} : { modifiedAt: new Date(last_modified) }),
    })),
    next,
  }
}
