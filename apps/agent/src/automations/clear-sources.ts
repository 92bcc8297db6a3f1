import { lstat, rmdir, unlink } from 'node:fs/promises'
import type { Log } from '@longshore/kit/log'
import { lookOf } from '#host/source-file'
import type { Database } from '#state/database'
import { itemsToMove } from '#state/items'
import { readTransfer } from '#state/transfers'

const page = 500

/**
 * Deletes what an upload has sent, file by file, and the folders that are empty then. A file that is not exactly what
 * was sent stays, and so does what was never sent.
 */
export async function clearSources(db: Database, upload: string, log: Log): Promise<void> {
  const row = readTransfer(db, 'up', upload)
  if (row === undefined) return
  const folders: string[] = []
  let last = -1
  while (true) {
    const items = itemsToMove(db, row.seq, last, page)
    if (items.length === 0) break
    for (const { kind, local, identity } of items) {
      if (kind === 'directory') folders.push(local)
      else await removeFile(local, identity, log)
    }
    last = items.at(-1)?.n ?? last
  }
  // A folder comes before what is in it.
  for (const folder of folders.toReversed()) await rmdir(folder).catch(() => undefined)
}

async function removeFile(local: string, identity: string, log: Log): Promise<void> {
  const stats = await lstat(local, { bigint: true }).catch(() => undefined)
  if (stats === undefined || !stats.isFile() || lookOf(stats).identity !== identity) return
  await unlink(local).catch((err: unknown) => log.warn({ path: local, err }, 'a file that was sent stays'))
}
